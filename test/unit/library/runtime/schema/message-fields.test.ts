import { describe, expect, it } from "vitest";
import {
  atMostOne,
  implicit,
  message,
  required,
} from "../../../../../library/runtime/schema/message.js";
import { check, parse } from "../../../../../library/runtime/schema/schema.js";
import * as t from "../../../../../library/runtime/schema/types.js";

/** Number of fields. A set of fields in one integer has fewer bits. */
const count = 70;
const names = Array.from(
  { length: count },
  (_, index) => `field${String.fromCharCode(65 + (index % 26))}${String(index)}`,
);
const Wide = message<Record<string, string>>("Wide", () => ({
  ...Object.fromEntries(names.map((name) => [name, required(t.string)])),
  left: atMostOne(t.string),
  right: atMostOne(t.string),
  note: implicit(t.string),
}));
const whole = Object.fromEntries(names.map((name) => [name, name]));
const messagesOf = (value: unknown): readonly string[] =>
  check(Wide, value, "json").issues?.map(({ message: text }) => text) ?? [];

describe("the fields of a message", () => {
  it("a message may have its fields in any order, after a message with another order", () => {
    const orders = [names, names.toReversed(), [...names.slice(35), ...names.slice(0, 35)], names];
    for (const order of orders)
      expect(
        parse(Wide, {
          unknown: 1,
          ...Object.fromEntries(order.map((name) => [name, name])),
          note: "",
        }),
      ).toEqual(whole);
  });

  it("a missing field is reported, wherever it is in a long list of fields", () => {
    for (const name of names) {
      const others = Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
      expect(messagesOf(others)).toEqual([`/${name} expected string, got nothing`]);
    }
  });

  it("a field with both of its names is reported, wherever it is in a long list of fields", () => {
    for (const name of names) {
      const other = name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
      expect(messagesOf({ ...whole, [other]: "" })).toEqual([
        `/ expected ${name} once, got an object`,
      ]);
      expect(messagesOf({ [other]: "", ...whole })).toEqual([
        `/ expected ${name} once, got an object`,
      ]);
    }
  });

  it("a oneof with three members is reported once", () => {
    const Three = message<Record<string, string>>("Three", () => ({
      a: atMostOne(t.string),
      b: atMostOne(t.string),
      c: atMostOne(t.string),
    }));
    const { issues } = check(Three, { a: "", b: "", c: "" }, "json");
    expect(issues?.map(({ message: text }) => text)).toEqual([
      "/ expected at most one of a, b, c, got an object",
    ]);
  });

  it("several members of a oneof after many fields are reported", () => {
    expect(messagesOf({ ...whole, left: "", right: "" })).toEqual([
      "/ expected at most one of left, right, got an object",
    ]);
  });
});
