import { describe, expect, it } from "vitest";
import {
  assertUniqueNames,
  canonicalJson,
} from "../../../../../library/kit/signatures/canonical-json.js";
import { maxDepth } from "../../../../../library/runtime/base/json.js";
import { expectLinearTime } from "../../../../support/linear-time.js";

/** Returns the number with the bits of an IEEE 754 double in hexadecimal. */
function double(bits: string): number {
  return new DataView(BigUint64Array.of(BigInt(`0x${bits}`)).buffer).getFloat64(0, true);
}

describe("canonicalJson", () => {
  // RFC 8785, appendix B.
  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("canonicalJson writes the double %s as %s", (bits, text) => {
    expect(canonicalJson(double(bits))).toBe(text);
    expect(canonicalJson({ n: [double(bits)] })).toBe(`{"n":[${text}]}`);
  });

  it.each(["7fffffffffffffff", "7ff8000000000000", "7ff0000000000000", "fff0000000000000"])(
    "canonicalJson refuses the double %s, which is not finite",
    (bits) => {
      expect(() => canonicalJson({ limits: [1, double(bits)] })).toThrow(
        /The value at "\/limits\/1" is -?(?:NaN|Infinity)/,
      );
    },
  );

  // RFC 8785, section 3.2.2.
  it("canonicalJson writes primitive values in one form", () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(text))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  // RFC 8785, section 3.2.3.
  it("canonicalJson sorts names by their UTF-16 code units", () => {
    const names = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6"];
    const text = canonicalJson(Object.fromEntries(names.map((name, index) => [name, index])));
    expect(text).toBe(
      '{"\\r":1,"1":3,"\u0080":5,"\u00f6":6,"\u20ac":0,"\ud83d\ude00":4,"\ufb33":2}',
    );
  });

  it.each<[rule: string, json: string, canonical: string]>([
    ["keeps names that are in order", '{"p":1,"q":2}', '{"p":1,"q":2}'],
    ["sorts names that are not", '{"tree":1,"ash":2,"oak":3}', '{"ash":2,"oak":3,"tree":1}'],
    ["sorts upper case before lower case", '{"card":1,"Card":2}', '{"Card":2,"card":1}'],
    ["sorts digits as text", '{"20":1,"3":2,"1":3,"03":4}', '{"03":4,"1":3,"20":1,"3":2}'],
    ["sorts a prefix first", '{"url2":1,"url":2}', '{"url":2,"url2":1}'],
    ["sorts the empty name first", '{"a":1,"":2}', '{"":2,"a":1}'],
    ["sorts accents after ASCII", '{"z\\u00fcrich":1,"zurich":2}', '{"zurich":2,"zürich":1}'],
    [
      "sorts surrogates before U+E000",
      '{"k\\ue000":1,"k\\ud834\\udd1e":2}',
      '{"k\ud834\udd1e":2,"k\ue000":1}',
    ],
    [
      "sorts surrogates before U+FFxx",
      '{"\\uff21":1,"\\ud83d\\ude80":2}',
      '{"\ud83d\ude80":2,"\uff21":1}',
    ],
    ["does not normalize names", '{"\\u00f1":1,"n\\u0303":2}', '{"n\u0303":2,"\u00f1":1}'],
    [
      "sorts at every depth",
      '{"b":{"d":[{"f":1,"e":2}],"c":3},"a":4}',
      '{"a":4,"b":{"c":3,"d":[{"e":2,"f":1}]}}',
    ],
    ["writes accents as they are", '{"name":"Gr\\u00fc\\u00dfe"}', '{"name":"Grüße"}'],
    ["writes other scripts as they are", '["\\u65e5\\u672c","\\u0645\\u0631"]', '["日本","مر"]'],
    [
      "writes astral characters as they are",
      '["\\ud83d\\ude80\\ud834\\udd1e"]',
      '["\ud83d\ude80\ud834\udd1e"]',
    ],
    ["does not normalize text", '["n\\u0303"]', '["n\u0303"]'],
    ["escapes quotes and backslashes", '["\\u0022\\u005c"]', '["\\"\\\\"]'],
    ["uses the short escapes", '["\\u0008\\u0009\\u000a\\u000c\\u000d"]', '["\\b\\t\\n\\f\\r"]'],
    [
      "escapes other control characters in lower case",
      '["\\u0001\\u001F\\u0000"]',
      '["\\u0001\\u001f\\u0000"]',
    ],
    ["does not escape U+007F, U+2028 and slashes", '["\\u007f\\u2028\\/"]', '["\u007f\u2028/"]'],
    ["writes empty text", '{"text":""}', '{"text":""}'],
    ["writes integers without a fraction", "[7.0,-3,1E2,120]", "[7,-3,100,120]"],
    ["writes negative zero as zero", "[-0,-0.0,0e5]", "[0,0,0]"],
    [
      "writes the shortest digits",
      "[0.1,0.30000000000000004,2.50]",
      "[0.1,0.30000000000000004,2.5]",
    ],
    [
      "changes to exponents at 1e21 and 1e-7",
      "[1e20,1e21,1e-6,1e-7]",
      "[100000000000000000000,1e+21,0.000001,1e-7]",
    ],
    ["rounds integers to doubles", "[9007199254740993]", "[9007199254740992]"],
    ["keeps the order of lists", "[3,[1,2],[],{}]", "[3,[1,2],[],{}]"],
    ["writes literals", '[null,true,false,{"n":null}]', '[null,true,false,{"n":null}]'],
    [
      "keeps a member with the name __proto__",
      '{"b":1,"__proto__":{"a":2}}',
      '{"__proto__":{"a":2},"b":1}',
    ],
    ["removes white space", ' {\n"a" :\t[ 1 , 2 ] }\r', '{"a":[1,2]}'],
  ])("%s", (_, json, canonical) => {
    expect(canonicalJson(JSON.parse(json))).toBe(canonical);
    expect(canonicalJson(JSON.parse(canonical))).toBe(canonical);
  });

  it.each([
    ["a high surrogate alone", '{"name":"\\ud83d"}', "/name"],
    ["a low surrogate alone", '{"name":"a\\ude00b"}', "/name"],
    ["surrogates in the wrong order", '{"a":["\\ude00\\ud83d"]}', "/a/0"],
    ["a high surrogate before a letter", '["\\ud83dx"]', "/0"],
    ["a high surrogate before a pair", '["\\ud83d\\ud83d\\ude00"]', "/0"],
    ["a high surrogate in a name", '{"a":{"\\ud83d":1}}', "/a"],
    ["a low surrogate in a name", '{"x\\ude00y":1}', "/"],
  ])("canonicalJson refuses text with %s", (_, json, path) => {
    expect(() => canonicalJson(JSON.parse(json))).toThrow(
      `"${path}" contains half of a surrogate pair`,
    );
  });

  it.each([
    ["undefined", undefined],
    ["a list with a gap", [undefined]],
    ["a bigint", { n: 1n }],
    ["a function", { f: () => 1 }],
  ])("canonicalJson refuses %s, which is not JSON", (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it("canonicalJson omits members that are undefined", () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
  });

  it("canonicalJson refuses values that are nested too deep instead of exceeding the stack", () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) value = depth % 2 === 0 ? [value] : { value };
    expect(() => canonicalJson(value)).toThrow(`is nested deeper than ${String(maxDepth)} levels`);
  });
});

describe("assertUniqueNames", () => {
  it.each([
    ["in the same object", '{"a":1,"b":2,"a":3}', '"a"'],
    ["with equal values", '{"a":1,"a":1}', '"a"'],
    ["in a nested object", '{"x":[{"y":{"a":1,"a":2}}]}', '"a"'],
    ["after a nested object with the name", '{"a":{"a":1},"b":[],"a":2}', '"a"'],
    ["with other escapes", '{"url":1,"\\u0075rl":2}', '"\\\\u0075rl"'],
    ["that is empty", '{"":1,"":2}', '""'],
    ["that changes the prototype", '{"__proto__":{},"__proto__":1}', '"__proto__"'],
    ["with a space before the colon", '{"a" \n:1,"a"\t:2}', '"a"'],
    ["with quotes and braces", String.raw`{"}\"{":1,"}\"{":2}`, String.raw`"}\\"{"`],
  ])("assertUniqueNames refuses a name %s", (_, text, name) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
    expect(() => {
      assertUniqueNames(text);
    }).toThrow(new RegExp(`member ${name.replaceAll(/[{}]/g, "\\$&")} twice`));
  });

  it.each([
    ["different objects", '[{"a":1},{"a":{"a":{"a":2}}}]'],
    ["text that looks like members", String.raw`{"a":"\"a\":1,{\"a\":2","b":["a","a"]}`],
    ["text that ends with a backslash", String.raw`{"a":"\\","b":"\\\\","c":"\\\""}`],
    ["names that differ in case", '{"a":1,"A":2}'],
    ["a value that is a name", '{"a":"a","b":"a"}'],
    ["a single value", '"a"'],
  ])("assertUniqueNames accepts %s", (_, text) => {
    expect(() => {
      assertUniqueNames(text);
    }).not.toThrow();
  });

  it("assertUniqueNames reads large texts in linear time", async () => {
    const textOf = (count: number) => {
      const memberAt = (index: number) => `"${String(index)}":"${'\\\\\\"{}'.repeat(10)}"`;
      return `{${Array.from({ length: count }, (_, index) => memberAt(index)).join(",")}}`;
    };
    await expectLinearTime(50_000, textOf, assertUniqueNames);
  });
});
