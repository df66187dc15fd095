import { describe, expect, it } from "vitest";
import { fillComments, fillParagraphs } from "../../../../generator/emit/prose.js";

const filled = (text: string, width = 20) => fillParagraphs(text.split("\n"), width).join("\n");

describe("a paragraph of a doc comment", () => {
  it("a paragraph is filled up to the width", () => {
    expect(filled("one two\nthree four five\nsix")).toBe("one two three four\nfive six");
  });

  it("a paragraph is separate from the next paragraph", () => {
    expect(filled("one\ntwo\n\nthree\nfour")).toBe("one two\n\nthree four");
  });

  it("a paragraph of one line is not wrapped, however long it is", () => {
    expect(filled("one two three four five six")).toBe("one two three four five six");
  });

  it("a paragraph keeps words that are longer than the width", () => {
    expect(filled("a\nhttps://example.com/a/long/path\nb")).toBe(
      "a\nhttps://example.com/a/long/path\nb",
    );
  });

  it.each([
    ["a list", "Values:\n- one\n- two"],
    ["a numbered list", "Steps:\n1. one\n2. two"],
    ["an indented line", "Example:\n    code()\n    more()"],
    ["a table", "| a | b |\n| - | - |"],
    ["a quote", "> one\n> two"],
    ["a heading", "# One\ntwo"],
    ["an underlined heading", "One\n---"],
    ["a tag", "One\n@see two"],
    ["a link definition", "One\n[two]: https://example.com"],
    ["a hard break", "One  \ntwo"],
    ["code", "One\n```\na\n\nb\n```\ntwo\nthree"],
  ])("a paragraph keeps its lines if it contains %s", (_, text) => {
    expect(filled(text, 80)).toBe(text);
  });

  it.each(["-", ">", "#", "1.", "@home"])("a wrapped line never starts with %s", (word) => {
    expect(filled(`one two ${word} three\nfour`, 7)).toBe(`one two ${word}\nthree\nfour`);
  });
});

describe("a doc comment that a template makes too wide", () => {
  const comment = (...lines: readonly string[]) =>
    ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"].join("\n");

  it("a wide line is broken together with the rest of its paragraph", () => {
    const wide = comment("one two three four five", "six", "seven", "", "eight");
    expect(fillComments(wide, 20)).toBe(
      comment("one two three", "four five six", "seven", "", "eight"),
    );
  });

  it("a wide tag is broken together with its continuation, which is indented", () => {
    const wide = comment("@throws {Error} if one or two", "three", "@see four");
    expect(fillComments(wide, 28)).toBe(
      comment("@throws {Error} if one", "  or two three", "@see four"),
    );
  });

  it("a paragraph that fits is not changed", () => {
    const fitting = comment("one", "two three");
    expect(fillComments(fitting, 20)).toBe(fitting);
  });

  it.each([
    ["a fence", "```ts", 'const first = call("one", "two");', "const second = 1;", "```"],
    ["a list item", "- one two three four five six", "- seven"],
    ["a row of a table", "| one | two | three | four |", "| - | - | - | - |"],
    ["a heading", "# One two three four five six", "seven"],
    ["an indented line", "    const first = call(one,  two);", "second"],
  ])("a wide line of %s is not changed", (_, ...lines) => {
    expect(fillComments(comment(...lines), 20)).toBe(comment(...lines));
  });

  it("a wide paragraph does not take a fence that follows", () => {
    const wide = comment("one two three four five", "```json", "{}", "```");
    expect(fillComments(wide, 20)).toBe(
      comment("one two three", "four five", "```json", "{}", "```"),
    );
  });

  it("a line outside of a doc comment is not changed", () => {
    const code = "const options = `\n * first option of several\n * second\n`;";
    expect(fillComments(code, 20)).toBe(code);
  });

  it("a wide comment of one line becomes one of several lines", () => {
    expect(fillComments("/** one two three four */", 20)).toBe(comment("one two three", "four"));
  });
});
