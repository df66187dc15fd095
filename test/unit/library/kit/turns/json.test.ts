import { expect, expectTypeOf, it } from "vitest";
import {
  type JsonObject,
  type JsonValue,
  isJsonValue,
} from "../../../../../library/runtime/base/json.js";
import { json } from "../../../../../library/kit/turns/json.js";
import { Random } from "../../../../support/random/random.js";
import { sized } from "../../../../support/size.js";

it("json omits what JSON cannot represent, and keeps the positions of lists", () => {
  const value = {
    a: undefined,
    b: () => 1,
    c: Symbol("c"),
    d: [undefined, () => 1, 2],
    e: { f: undefined },
    g: null,
  };
  expect(json(value)).toEqual({ d: [null, null, 2], e: {}, g: null });
  expect([json(undefined), json(NaN), json(Infinity), json(0), json("a"), json(true)]).toEqual([
    null,
    null,
    null,
    0,
    "a",
    true,
  ]);
});

it("json converts bytes, dates, maps, sets, big numbers, errors and objects with toJSON", () => {
  const bytes = Uint8Array.from([0, 104, 105]).subarray(1);
  expect(
    json([bytes, bytes.slice().buffer, Buffer.from("hi"), new DataView(bytes.buffer, 1)]),
  ).toEqual(Array(4).fill("aGk="));
  expect(
    json({ at: new Date(0), never: new Date(NaN), url: new URL("https://a.example/") }),
  ).toEqual({
    at: "1970-01-01T00:00:00.000Z",
    never: null,
    url: "https://a.example/",
  });
  expect(json([new Map([["a", 1n]]), new Set([1, undefined])])).toEqual([{ a: "1" }, [1, null]]);
  expect(json(Object.assign(new TypeError("No"), { code: 7, cause: undefined }))).toEqual({
    name: "TypeError",
    message: "No",
    code: 7,
  });
});

it("json omits cycles and deep nesting, but keeps repeated objects", () => {
  const shared = { a: 1 };
  const value: Record<string, unknown> = { one: shared, two: [shared] };
  value["self"] = value;
  value["list"] = [value];
  expect(json(value)).toEqual({ one: shared, two: [shared], list: [null] });
  let deep: unknown = 1;
  for (let at = 0; at < 10_000; at += 1) deep = [deep];
  expect(isJsonValue(json(deep))).toBe(true);
});

it("json keeps keys that have a meaning in JavaScript as plain members", () => {
  const value = json(JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}'));
  expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1},"constructor":2}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

it("json returns JSON for every value, and JSON itself unchanged", () => {
  const random = new Random(1);
  const leaves = [
    1,
    NaN,
    "a",
    null,
    undefined,
    true,
    1n,
    new Date(0),
    new Uint8Array(2),
    new Map([[1, 2]]),
    Symbol(),
  ];
  const value = (depth: number): unknown => {
    if (depth === 0 || random.oneIn(4)) return random.pick(leaves);
    if (random.oneIn(2)) return random.list(4, () => value(depth - 1));
    return Object.fromEntries(
      random.list(4, () => [random.pick(["a", "b", "__proto__"]), value(depth - 1)]),
    );
  };
  for (let count = 0; count < sized(200, 2_000); count += 1) {
    const found = json(value(5));
    expect(isJsonValue(found)).toBe(true);
    expect(json(found)).toEqual(found);
  }
});

it("json has the type of its result", () => {
  expectTypeOf(json({ a: undefined })).toEqualTypeOf<JsonObject>();
  expectTypeOf(json([1])).toEqualTypeOf<JsonValue[]>();
  expectTypeOf(json(new Uint8Array())).toEqualTypeOf<string>();
  expectTypeOf(json(new Date())).toEqualTypeOf<string>();
  expectTypeOf(json(undefined)).toEqualTypeOf<null>();
  const anything: unknown = 1;
  expectTypeOf(json(anything)).toEqualTypeOf<JsonValue>();
});
