import { describe, expect, it } from "vitest";
import {
  atMostOne,
  implicit,
  message,
  optional,
  required,
} from "../../../../../library/runtime/schema/message.js";
import { keep, unknownFields } from "../../../../../library/runtime/protobuf/unknown-fields.js";
import { Reader } from "../../../../../library/runtime/protobuf/bytes-reader.js";
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
        `/ expected only one of ${name} and ${other}, got an object`,
      ]);
      expect(messagesOf({ [other]: "", ...whole })).toEqual([
        `/ expected only one of ${name} and ${other}, got an object`,
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

interface Leaf {
  id: string;
  note?: string;
  tags?: string[];
}

interface Tree {
  left?: Leaf;
  right?: Leaf;
  leaves?: Leaf[];
  byName?: Record<string, Leaf>;
}

const LeafSchema = message<Leaf>("Leaf", () => ({
  id: required(t.string),
  note: implicit(t.string),
  tags: implicit(t.list(t.string)),
}));
const TreeSchema = message<Tree>("Tree", () => ({
  left: optional(LeafSchema),
  right: optional(LeafSchema),
  leaves: implicit(t.list(LeafSchema)),
  byName: implicit(t.map(LeafSchema)),
}));

describe("the copy of a parser", () => {
  it("a canonical value is returned unchanged", () => {
    const tree = {
      left: { id: "1", note: "n", tags: ["a"] },
      leaves: [{ id: "2" }],
      byName: { x: { id: "3" } },
    };
    expect(parse(TreeSchema, tree)).toBe(tree);
  });

  it("only objects and lists with a difference are copied, and the value stays unchanged", () => {
    const tree = {
      left: { id: "1" },
      right: { id: "2", note: "" },
      leaves: [{ id: "3" }, { id: "4", unknown: 1 }],
      byName: { x: { id: "5" }, y: { id: "6", tags: [] } },
    };
    const before = JSON.stringify(tree);
    const parsed = parse(TreeSchema, tree);
    expect(parsed).toEqual({
      left: { id: "1" },
      right: { id: "2" },
      leaves: [{ id: "3" }, { id: "4" }],
      byName: { x: { id: "5" }, y: { id: "6" } },
    });
    expect(parsed.left).toBe(tree.left);
    expect(parsed.leaves?.[0]).toBe(tree.leaves[0]);
    expect(parsed.byName?.["x"]).toBe(tree.byName.x);
    expect(JSON.stringify(tree)).toBe(before);
  });

  it("members keep their order in a copy", () => {
    const parsed = parse(TreeSchema, { right: { id: "2" }, unknown: 1, left: { id: "1" } });
    expect(Object.keys(parsed)).toEqual(["right", "left"]);
  });

  it.each([
    ["an absent member", { id: "1", note: undefined }],
    ["null", { id: "1", note: null }],
    ["a member named __proto__", JSON.parse('{"id":"1","__proto__":{"note":"n"}}')],
    ["an object without a prototype", Object.assign(Object.create(null) as object, { id: "1" })],
    [
      "an object with inherited members",
      Object.assign(Object.create({ a: 1 }) as object, { id: "1" }),
    ],
  ])("a parser copies %s to a plain object with the known members", (_, value: unknown) => {
    expect(parse(LeafSchema, value)).toStrictEqual({ id: "1" });
  });

  it("a parser copies a decoded message without its unknown fields", () => {
    const leaf = { id: "1" };
    keep(leaf, new Reader(new Uint8Array([1])), 8, 1, 0);
    expect(Object.getOwnPropertySymbols(leaf)).toEqual([unknownFields]);
    const parsed = parse(TreeSchema, { left: leaf });
    expect(parsed.left).not.toBe(leaf);
    expect(Object.getOwnPropertySymbols(parsed.left ?? {})).toEqual([]);
  });
});
