import { describe, expect, it } from "vitest";
import { normalForm } from "../../../../generator/output/normal-form.js";

const formOf = (text: string) => normalForm("a.ts", text);

const same: readonly [string, string, string][] = [
  ["white space", "const a = { b: 1 };", "const a={\n\tb:1\n}"],
  [
    "semicolons, including semicolons that a formatter puts before a bracket",
    "f();\n[1].map(g);",
    "f()\n;[1].map(g)",
  ],
  ["the semicolon after a return", "if (a) return;\nb();", "if (a) return\nb()"],
  [
    "the semicolon after a return before a comment",
    "if (a) continue;\n// Why.\nb();",
    "if (a) continue\n// Why.\nb()",
  ],
  [
    "the semicolon after a return before a comment after it",
    "if (a) continue; // Why.\nb();",
    "if (a) continue // Why.\nb()",
  ],
  ["trailing commas", "f(a, [b, c], { d });", "f(\n  a,\n  [b, c,],\n  { d, },\n);"],
  [
    "the quotes of strings, including escaped quotes in strings",
    `f("it's", 'a "b"');`,
    `f('it\\'s', "a \\"b\\"");`,
  ],
  ["the quotes of keys", "const a = { b: 1, c: 2 };", `const a = { "b": 1, 'c': 2 };`],
  [
    "bars before unions",
    "type A = B | C; let d: E & F;",
    "type A =\n  | B\n  | C; let d:\n  & E\n  & F;",
  ],
  [
    "parentheses around a body or a result",
    "f((a) => (a ? b : c)); return x && y;",
    "f((a) => a ? b : c); return (x && y);",
  ],
  ["the indentation of comments", "/**\n * A.\n */\nf();", "  /**\n   * A.\n   */\n  f();"],
  ["a semicolon after a method", "class A { b() {} }", "class A { b() {}; }"],
  ["the code in templates", "`a${f('b', )}c`", '`a${f("b")}c`'],
];

const different: readonly [string, string, string][] = [
  ["a name", "a();", "b();"],
  ["white space in a string", 'f("a b");', 'f("ab");'],
  ["white space in a template", "`a b`", "`ab`"],
  ["a comment", "f(); // a", "f(); // b"],
  ["an element separator of a list", "f(a, b)", "f(a b)"],
  ["required parentheses", "return (a + b) * c;", "return a + b * c;"],
  ["parentheses around an object", "f(() => ({}));", "f(() => {});"],
  ["a string in place of a name", 'f(c ? "a" : b);', "f(c ? a : b);"],
  ["an operator", "a || b", "a | b"],
  ["an empty statement after a condition", "if (a) b();", "if (a); b();"],
  ["an empty statement after a loop", "for (;;) b();", "for (;;); b();"],
  ["the parts of a loop's head", "for (a; b; c) d();", "for (a; b c;) d();"],
  ["the end of a return", "return a;", "return; a;"],
  ["the line that a return ends with", "return a;", "return\na;"],
  ["a comma operator", "f((c) => g(c), d);", "f((c) => (g(c), d));"],
  ["a hole in a list", "[,]", "[]"],
  ["parentheses that end an optional chain", "(a?.b).c;", "a?.b.c;"],
  ["a string in a condition on two lines", "a ? b : c", 'a ?\n"b" : c'],
  ["a regular expression", "/a b/.test(c)", "/ab/.test(c)"],
  [
    "a quote in a regular expression, and what follows",
    `/"/.test(a); f(" ");`,
    `/"/.test(a); f("");`,
  ],
];

describe("the normal form of source", () => {
  it.each(same)("the normal form does not depend on %s", (_, one, other) => {
    expect(formOf(one)).toBeDefined();
    expect(formOf(other)).toBe(formOf(one));
  });

  it.each(different)("the normal form depends on %s", (_, one, other) => {
    expect(formOf(other)).not.toBe(formOf(one));
  });

  it("the normal form of JSON only depends on its values", () => {
    const value = { a: ["x", 1.5e3, null], "b c": { d: 'it\'s "so"' } };
    const jsonForm = (json: string) => normalForm("a.json", json);
    expect(jsonForm(JSON.stringify(value, null, 2))).toBe(jsonForm(JSON.stringify(value)));
    expect(jsonForm(JSON.stringify({ a: 1 }))).not.toBe(jsonForm(JSON.stringify({ a: 2 })));
    expect(jsonForm("{ a: 1 }")).toBeUndefined();
  });

  it.each(["'", '"a', "`a${", "/*", "/", "a\\", "}", ")", "`${`${"])(
    "the normal form exists for invalid source, such as %s",
    (source) => {
      expect(typeof formOf(source)).toBe("string");
    },
  );

  it("files that are neither TypeScript nor JSON have no normal form", () => {
    expect(normalForm("a.md", "# A")).toBeUndefined();
  });
});
