import { beforeAll, describe, expect, it } from "vitest";
import * as v03 from "../../../../../generated/0.3.0/protobuf.js";
import * as v10 from "../../../../../generated/1.0/protobuf.js";
import { fromFile, type Module } from "../../../../oracle/subjects.js";
import { processorTime } from "../../../../support/processor-time.js";
import { errorWith } from "../../../../support/errors.js";

// An encoder is given values of which the compiler has said that they fit; what gets past it must
// not become other bytes.

const subject = fromFile("refusals", "test", "fixtures", "everything", "everything.proto");
let codec: Module;

beforeAll(async () => {
  codec = await subject.load("protobuf");
});

/** A required field apart from the rest, so that only these are wrong. */
const scalars = { must: "m", mustColor: "COLOR_RED", mustLong: "1", mustMap: {}, mustBool: true };
const messages: Readonly<Record<string, object>> = { Scalars: scalars };
const integer = "32-bit integer";
const long = "64-bit integer as a string";
const colors = "one of COLOR_UNSPECIFIED, COLOR_RED, COLOR_CRIMSON, COLOR_GREEN, COLOR_NEGATIVE";

describe("an EncodeError names the path of a value that protobuf cannot carry:", () => {
  it.each<[string, object, string]>([
    ["Scalars", { anInt32: 2 ** 40 }, `/anInt32 expected ${integer}, got 1099511627776`],
    ["Scalars", { anInt32: 1.5 }, `/anInt32 expected ${integer}, got 1.5`],
    ["Scalars", { optInt32: NaN }, `/optInt32 expected ${integer}, got NaN`],
    ["Scalars", { aUint32: -1 }, `/aUint32 expected unsigned ${integer}, got -1`],
    ["Scalars", { aSfixed32: null }, `/aSfixed32 expected ${integer}, got null`],
    [
      "Scalars",
      { aUint64: "18446744073709551616" },
      `/aUint64 expected unsigned ${long}, got "18446744073709551616"`,
    ],
    [
      "Scalars",
      { anInt64: "9223372036854775808" },
      `/anInt64 expected ${long}, got "9223372036854775808"`,
    ],
    ["Scalars", { aSfixed64: 5 }, `/aSfixed64 expected ${long}, got 5`],
    ["Scalars", { anInt64: 5n }, `/anInt64 expected ${long}, got a bigint`],
    ["Scalars", { aFloat: 1e300 }, "/aFloat expected 32-bit number, got 1e+300"],
    ["Scalars", { aDouble: "abc" }, '/aDouble expected number, got "abc"'],
    ["Scalars", { aBool: "yes" }, '/aBool expected boolean, got "yes"'],
    ["Scalars", { text: 5 }, "/text expected string, got 5"],
    ["Scalars", { must: undefined }, "/must expected string, got nothing"],
    ["Scalars", { someBytes: "ä" }, '/someBytes expected base64, got "ä"'],
    ["Scalars", { color: "RED" }, `/color expected ${colors}, got "RED"`],
    ["Scalars", { mustColor: ["COLOR_RED"] }, `/mustColor expected ${colors}, got a list`],
    ["Scalars", { color: 1.5 }, `/color expected ${integer}, got 1.5`],
    ["Scalars", { child: "x" }, '/child expected NestedInner, got "x"'],
    ["Scalars", { child: { label: Symbol("x") } }, "/child/label expected string, got a symbol"],
    ["Lists", { strings: "abc" }, '/strings expected a list, got "abc"'],
    ["Lists", { int32s: [1, 2, "3"] }, `/int32s/2 expected ${integer}, got "3"`],
    ["Lists", { inners: [{}, { label: "a" }, [{}]] }, "/inners/2 expected NestedInner, got a list"],
    [
      "Maps",
      { byBool: { yes: "x" } },
      '/byBool/yes expected a key that is true or false, got "yes"',
    ],
    [
      "Maps",
      { byInt32: { "0x1": "x" } },
      `/byInt32/0x1 expected a key that is a ${integer}, got "0x1"`,
    ],
    [
      "Maps",
      { byUint32: { 1: "a", "-1": "b", x: "c" } },
      `/byUint32/-1 expected unsigned ${integer}, got -1`,
    ],
    ["Maps", { byInt32: ["a"] }, "/byInt32 expected a map, got a list"],
    [
      "Maps",
      { toInt64: { a: "1", "b/c": "x", d: "2" } },
      `/toInt64/b~1c expected ${long}, got "x"`,
    ],
    ["WellKnown", { struct: { a: undefined } }, "/struct/a expected JSON value, got nothing"],
    [
      "WellKnown",
      { struct: { a: [1, new Date(0)] } },
      "/struct/a/1 expected plain JSON object, got an object",
    ],
    ["WellKnown", { value: NaN }, "/value expected JSON value, got NaN"],
    ["WellKnown", { value: { a: [() => 1] } }, "/value/a/0 expected JSON value, got a function"],
    ["WellKnown", { time: "yesterday" }, '/time expected RFC 3339 timestamp, got "yesterday"'],
    ["WellKnown", { span: "1" }, '/span expected duration such as "1.5s", got "1"'],
    ["WellKnown", { mask: "a_b" }, '/mask expected field mask, got "a_b"'],
    ["WellKnown", { empty: 5 }, "/empty expected empty object, got 5"],
    ["WellKnown", { nothing: "x" }, '/nothing expected null, got "x"'],
    ["WellKnown", { doubleValue: "x" }, '/doubleValue expected number, got "x"'],
    [
      "WellKnown",
      { any: { a: 1 } },
      "/any expected object with a type URL in @type, got an object",
    ],
    [
      "WellKnown",
      { any: { "@type": "x/y" } },
      "/any has content that does not match its type: expected base64 in value, because its type is unknown, got nothing",
    ],
    [
      "WellKnown",
      { anys: [{}, { "@type": "x/every.thing.v1.Forest", trees: [{ label: 5 }] }] },
      "/anys/1 has content that does not match its type: Forest: /trees/0/label expected string, got 5",
    ],
    [
      "Choices",
      { number: 1, flag: true },
      "/ expected at most one of number, color, none, anyJson, raw, inner, flag, long, wrapped, got an object",
    ],
    [
      "Tree",
      { children: [{ left: {}, leaf: "x" }] },
      "/children/0 expected at most one of left, leaf, got an object",
    ],
    ["Odd", { constructor: "a", class: 5, value: "b" }, "/class expected string, got 5"],
  ])("an EncodeError for %s names %o", (name, value, problem) => {
    const given = { ...messages[name], ...value };
    const thrown = expect(() => codec(`encode${name}`)(given));
    thrown.toThrow(
      expect.objectContaining({ name: "EncodeError", message: `${name}: ${problem}` }) as Error,
    );
  });

  it.each<[string, () => unknown, string]>([
    ["text", () => v10.encodeMessage("x" as never), 'Message: / expected Message, got "x"'],
    [
      "nothing",
      () => v10.encodeMessage(undefined as never),
      "Message: / expected Message, got nothing",
    ],
    [
      "a part with two kinds of content",
      () => v10.encodePart({ text: "x", url: "y" } as never),
      "Part: / expected at most one of text, raw, url, data, got an object",
    ],
    [
      "data without a form in JSON",
      () => v10.encodeArtifact({ artifactId: "a", parts: [{ data: NaN }] }),
      "Artifact: /parts/0/data expected JSON value, got NaN",
    ],
    [
      "a part without content",
      () => v03.encodePart({ text: "x" } as never),
      'Part: /kind expected "text" or "file" or "data", got nothing',
    ],
    [
      "an id that fits no resource name",
      () =>
        v03.encodeListTaskPushNotificationConfigResponse([
          { taskId: "a/b", pushNotificationConfig: { id: "c", url: "u" } },
        ]),
      'ListTaskPushNotificationConfigResponse: /0/taskId expected an id without a slash, got "a/b"',
    ],
    [
      "an object that is missing on the path",
      () => v03.encodeTaskPushNotificationConfig({ taskId: "a" } as never),
      "TaskPushNotificationConfig: /pushNotificationConfig expected another value, got nothing",
    ],
  ])("an EncodeError is thrown for %s", (_, encode, message) => {
    expect(encode).toThrow(errorWith({ name: "EncodeError", message }));
  });

  it("the class of the error is the class in the module of the codec", () => {
    expect(() => v10.encodePart(5 as never)).toThrow(v10.EncodeError);
    expect(() => v10.decodePart(Uint8Array.of(7))).toThrow(v10.DecodeError);
  });
});

describe("an EncodeError", () => {
  it("an EncodeError names the path in values that are frozen, of a class, or circular elsewhere", () => {
    class Request {
      readonly #id = 5;
      readonly self = this;
      get id(): string {
        return this.#id as never;
      }
    }
    const frozen = Object.freeze({
      messageId: "m",
      role: "ROLE_USER",
      parts: Object.freeze([Object.freeze({ text: 5 })]),
    });
    expect(() => v10.encodeMessage(frozen as never)).toThrow(
      "Message: /parts/0/text expected string, got 5",
    );
    expect(() => v10.encodeGetTaskRequest(new Request())).toThrow(
      "GetTaskRequest: /id expected string, got 5",
    );
  });

  it("an EncodeError is found in linear time in a value with many references", () => {
    const wrong = { "@type": "x/every.thing.v1.WellKnown", struct: new Date(0) };
    const held = (depth: number): object =>
      depth === 0 ? wrong : { "@type": "x/every.thing.v1.WellKnown", any: held(depth - 1) };
    const started = processorTime();
    expect(() => codec("encodeWellKnown")({ any: held(40) })).toThrow(
      /\/any has content that does not match its type/,
    );
    // If each level read its content twice, it would take years.
    expect(processorTime() - started).toBeLessThan(60_000);
  });

  it("an EncodeError is thrown for a circular value", () => {
    const tree: Record<string, unknown> = { label: "a" };
    tree["left"] = tree;
    expect(() => codec("encodeTree")(tree)).toThrow(errorWith({ name: "EncodeError" }));
  });
});

describe("values that protobuf carries and types do not define", () => {
  it.each<[string, object, object]>([
    [
      "numbers of an enum without a name",
      { color: 77, mustColor: 78 },
      { color: 77, mustColor: 78 },
    ],
    [
      "numbers that are not finite",
      { aDouble: NaN, aFloat: -Infinity },
      { aDouble: "NaN", aFloat: "-Infinity" },
    ],
    ["the ends of a range", { anInt32: -(2 ** 31), aUint64: "18446744073709551615" }, {}],
    ["half of a surrogate pair", { text: "a\ud800" }, { text: "a\ufffd" }],
  ])("the codec writes %s", (_, value, read) => {
    const bytes = codec("encodeScalars")({ ...scalars, ...value });
    expect(codec("decodeScalars")(bytes)).toMatchObject({ ...scalars, ...value, ...read });
  });

  it("the codec writes an incomplete message that was read", () => {
    const task = v10.decodeTask(new Uint8Array());
    expect(v10.encodeTask(task)).toEqual(new Uint8Array());
  });
});
