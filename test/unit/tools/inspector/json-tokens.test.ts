import { describe, expect, it } from "vitest";
import { jsonTokens } from "../../../../tools/inspector/page/json-tokens.js";

function textOf(json: string): string {
  return [...jsonTokens(json)].map(({ text }) => text).join("");
}

function kindsOf(json: string): string[] {
  return [...jsonTokens(json)].flatMap(({ kind, text }) =>
    kind === undefined ? [] : `${kind} ${text}`,
  );
}

describe("jsonTokens", () => {
  it("jsonTokens indents JSON like JSON.stringify", () => {
    const value = {
      a: [1, -2.5e7, true, false, null, 'x"\\\n{}[],:'],
      b: {},
      c: [],
      d: { e: [{}] },
    };
    expect(textOf(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(textOf(` ${JSON.stringify(value, null, "\t")}\n`)).toBe(JSON.stringify(value, null, 2));
  });

  it("jsonTokens tells keys, strings, numbers and literals apart", () => {
    expect(kindsOf('{"a": "a", "b" : 12345678901234567890, "c": [true, null]}')).toEqual([
      'key "a"',
      'string "a"',
      'key "b"',
      "number 12345678901234567890",
      'key "c"',
      "literal true",
      "literal null",
    ]);
  });

  it("jsonTokens keeps the characters of text that is not JSON", () => {
    for (const text of ['{"a', "{foo", "[1,,2", "}]", '"\\', '{"a":"\\"'])
      expect(textOf(text).replace(/\s/g, "")).toBe(text);
  });

  it("jsonTokens reads strings of megabytes, and any depth, without a stack", () => {
    const long = JSON.stringify(`${"x".repeat(2 ** 22)}${'"'.repeat(2 ** 20)}`);
    expect([...jsonTokens(`[${long}]`)].map(({ text }) => text.length)).toContain(long.length);
    const deep = jsonTokens("[".repeat(1_000_000));
    const lengths = Array.from({ length: 50_000 }, () => deep.next().value?.text.length ?? 0);
    expect(Math.max(...lengths)).toBeLessThan(100);
  });
});
