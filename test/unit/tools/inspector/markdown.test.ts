import { describe, expect, it } from "vitest";
import {
  GrowingMarkdown,
  looksLikeMarkdown,
  parseMarkdown,
  type Block,
} from "../../../../tools/inspector/page/markdown.js";
import {
  linkUrl,
  parseInline,
  type Inline,
} from "../../../../tools/inspector/page/markdown-inline.js";
import { expectLinearTime } from "../../../support/linear-time.js";
import fc from "../../../support/properties.js";
import { sized } from "../../../support/size.js";

/** Writes tokens as tags, to compare them at a glance. */
function write(content: readonly Inline[]): string {
  const open: string[] = [];
  return content
    .map((token) => {
      if (token.kind === "close") return `</${open.pop() ?? "?"}>`;
      if (token.kind !== "open") return token.kind === "text" ? token.text : `{${token.text}}`;
      const { tag } = token;
      open.push(tag.kind === "link" ? "a" : tag.kind);
      return tag.kind === "link" ? `<a ${tag.url}>` : `<${tag.kind}>`;
    })
    .join("");
}

const inline = (text: string): string => write(parseInline(text));

/** Writes blocks as nested arrays. */
function outline(blocks: readonly Block[]): unknown[] {
  return blocks.map((block) => {
    switch (block.kind) {
      case "paragraph":
        return write(block.content);
      case "heading":
        return [`h${block.level}`, write(block.content)];
      case "code":
        return ["code", block.language, block.text];
      case "quote":
        return ["quote", ...outline(block.blocks)];
      case "list":
        return [block.start ?? "list", ...block.items.map(outline)];
      case "table":
        return ["table", block.head.map(write), ...block.rows.map((row) => row.map(write))];
      case "rule":
        return ["rule"];
    }
  });
}

const blocks = (text: string): unknown[] => outline(parseMarkdown(text));

/** Returns all text of blocks, and the titles of links. */
function textIn(all: readonly Block[]): string {
  const inlineText = (content: readonly Inline[]): string =>
    content
      .map((token) => {
        if (token.kind === "open")
          return token.tag.kind === "link" ? ` ${decoded(token.tag.url)} ${token.tag.title} ` : "";
        return token.kind === "close" ? "" : token.text;
      })
      .join("");
  return all
    .map((block) => {
      switch (block.kind) {
        case "paragraph":
        case "heading":
          return inlineText(block.content);
        case "code":
          return `${block.language} ${block.text}`;
        case "quote":
          return textIn(block.blocks);
        case "list":
          return `${block.start ?? ""} ${block.items.map(textIn).join(" ")}`;
        case "table":
          return [block.head, ...block.rows].flat().map(inlineText).join(" ");
        case "rule":
          return "";
      }
    })
    .join(" ");
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/** Returns the addresses of all links. */
function linksIn(all: readonly Block[]): string[] {
  const found = JSON.stringify(all).matchAll(/"kind":"link","url":("(?:[^"\\]|\\.)*")/g);
  return [...found].map(([, url = '""']) => JSON.parse(url) as string);
}

/** Parts from which agents and attackers make texts, with words that must not be lost. */
const part = fc.oneof(
  fc.constantFrom(
    ..."# |## |- |* |1. |> |```|~~~|\n|\n\n|  |    |\t|**|*|_|~~|`|[|](|)|]|![|<|>|\\|---|===|:".split(
      "|",
    ),
    "|",
    "|-|-|",
    "https://a.example/x",
    "javascript:",
    "data:text/html,",
    "<b>",
    "\u202E",
  ),
  fc.integer({ min: 0, max: 999 }).map((number) => `word${number}`),
);
const texts = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(""));

describe("Markdown of agents", () => {
  it.each([
    ["a **b** c", "a <strong>b</strong> c"],
    ["*a* _b_ ~~c~~", "<em>a</em> <em>b</em> <del>c</del>"],
    ["***a***", "<em><strong>a</strong></em>"],
    ["**a *b* c**", "<strong>a <em>b</em> c</strong>"],
    ["***a** b*", "<em><strong>a</strong> b</em>"],
    ["snake_case_name 2*3*4 * x", "snake_case_name 2<em>3</em>4 * x"],
    ["**a", "**a"],
    ["a `*b*` ``c`d``", "a {*b*} {c`d}"],
    ["`a", "`a"],
    [String.raw`\*a\* \a`, String.raw`*a* \a`],
    ["[a](https://b.example/c)", "<a https://b.example/c>a</a>"],
    ['[a](https://b.example "t")', "<a https://b.example/>a</a>"],
    ["[a](https://b.example/(c))", "<a https://b.example/(c)>a</a>"],
    ["[**a**](https://b.example)", "<a https://b.example/><strong>a</strong></a>"],
    ["![a](https://b.example/c.png)", "<a https://b.example/c.png>a</a>"],
    [
      "[![a](https://b.example/)](https://c.example/)",
      "<a https://c.example/><a https://b.example/>a</a></a>",
    ],
    ["[a](mailto:b@c.example)", "<a mailto:b@c.example>a</a>"],
    ["[a](/b) [c](#d)", "[a](/b) [c](#d)"],
    ["[a](javascript:alert(1))", "[a](javascript:alert(1))"],
    ["[a](JAVASCRIPT:alert)", "[a](JAVASCRIPT:alert)"],
    ["[a](data:text/html,b)", "[a](data:text/html,b)"],
    [
      "<javascript:alert> <https://a.example>",
      "<javascript:alert> <a https://a.example/>https://a.example</a>",
    ],
    ["See https://a.example/b_c_d.", "See <a https://a.example/b_c_d>https://a.example/b_c_d</a>."],
    ["(https://a.example/b(c))", "(<a https://a.example/b(c)>https://a.example/b(c)</a>)"],
    ["xhttps://a.example", "xhttps://a.example"],
    ["*a [b* c](https://d.example)", "*a <a https://d.example/>b* c</a>"],
    ["<b onclick=x>a</b> &amp;", "<b onclick=x>a</b> &amp;"],
  ])("the line %j is read as %j", (text, expected) => {
    expect(inline(text)).toBe(expected);
  });

  it("parseMarkdown reads headings, paragraphs, code, lists, quotes, tables and rules", () => {
    const text = [
      "# Tea ##",
      "Two\nlines",
      "",
      "- one",
      "- two",
      "  1. nested",
      "  2. more",
      "",
      "     text of more",
      "* another list",
      "",
      "> quoted",
      "> - list",
      "",
      "```js title",
      "# no heading",
      "```",
      "| a | b |",
      "|---|:-:|",
      "| `c` | d \\| e | f |",
      "| g",
      "---",
      "Title",
      "===",
      "In",
      "1984. No list",
    ];
    expect(blocks(text.join("\r\n"))).toEqual([
      ["h1", "Tea"],
      "Two\nlines",
      ["list", ["one"], ["two", [1, ["nested"], ["more", "text of more"]]]],
      ["list", ["another list"]],
      ["quote", "quoted", ["list", ["list"]]],
      ["code", "js title", "# no heading"],
      ["table", ["a", "b"], ["{c}", "d | e", "f"], ["g"]],
      ["rule"],
      ["h1", "Title"],
      "In\n1984. No list",
    ]);
  });

  it("code without an end goes to the end of the text", () => {
    expect(blocks("```\na\n\n  b")).toEqual([["code", "", "a\n\n  b"]]);
  });

  it("only HTTP, HTTPS and mail addresses are links", () => {
    for (const address of [
      "javascript:a",
      "java\nscript:a",
      "data:,a",
      "blob:a",
      "file:///a",
      "//a",
    ])
      expect(linkUrl(address)).toBeUndefined();
    expect(linkUrl(`https://a.example/${"b".repeat(3_000)}`)).toBeUndefined();
    // Signs that look like others are in the form that the name system uses.
    expect(linkUrl("https://аpple.example/\u202E")).toBe("https://xn--pple-43d.example/%E2%80%AE");
  });

  it("no word of a text is lost, and all links lead to web pages", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const read = parseMarkdown(text);
        const shown = textIn(read);
        for (const [word] of text.matchAll(/word\d+/g)) expect(shown).toContain(word);
        for (const url of linksIn(read)) expect(url).toMatch(/^(?:https?:\/\/|mailto:)/);
      }),
      { numRuns: sized(2_000, 50_000) },
    );
  });

  it("a text that grows has the blocks of the whole text", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(20), { minLength: 1 }), (text, lengths) => {
        const growing = new GrowingMarkdown();
        const settled: Block[] = [];
        let open: readonly Block[] = [];
        for (let at = 0, index = 0; at < text.length; index += 1) {
          const length = 1 + (lengths[index % lengths.length] ?? 0);
          const added = growing.append(text.slice(at, at + length));
          settled.push(...added.settled);
          ({ open } = added);
          at += length;
        }
        expect(outline([...settled, ...open])).toEqual(blocks(text));
      }),
      { numRuns: sized(1_000, 20_000) },
    );
  });

  it("a text that grows only reads its last blocks again", () => {
    const growing = new GrowingMarkdown();
    let count = 0;
    for (let line = 0; line < 5_000; line += 1) {
      const { settled, open } = growing.append(`Step ${line}\n\n`);
      count += settled.length;
      expect(open.length).toBeLessThanOrEqual(2);
    }
    expect(count).toBe(4_998);
  });

  const size = sized(2 ** 17, 2 ** 20);
  type TextOf = (size: number) => string;
  const repeated =
    (sign: string): TextOf =>
    (length) =>
      sign.repeat(length / sign.length);
  const lines =
    (lineAt: (index: number) => string): TextOf =>
    (length) => {
      let text = "";
      for (let index = 0; text.length < length; index += 1) text += `${lineAt(index)}\n`;
      return text;
    };
  const signs = (...all: string[]): [string, TextOf][] => all.map((sign) => [sign, repeated(sign)]);
  it.each<[string, TextOf]>([
    ...signs("*", "_", "`", "[", "]", "(", "~", "#", ">", "|", "\\", " ", "\t", "- ", "> ", "1. "),
    ...signs("*a ", "a* ", "*a_ ", "**a *", "_a*", "[a](", "](", "![", "[](", "<a:", "`` ` "),
    ...signs("[a](b", '](x "', "](x '", "http://", "http://a.b)", "http://a](", "[a](http://b)"),
    ...signs("| a", "|-", "~~a", "*_", "a **a** ", "```\n", "- a\n", "|a|\n|-|\n", "a\n=\n", "\n"),
    ["a long word", repeated("a")],
    ["runs of backticks of all lengths", lines((index) => `\`${"`".repeat(index % 900)} a`)],
    ["lists in lists", lines((index) => `${" ".repeat(2 * (index % 500))}- a`)],
    ["deeper and deeper lists", lines((index) => `${" ".repeat(index)}- a`)],
    ["quotes in quotes", lines((index) => `${">".repeat(index % 500)} a`)],
    ["a list whose items have blank lines", lines(() => "- a\n\n\n")],
    ["spaces before a sign", (length) => `a${" ".repeat(length)}#`],
    ["a heading that ends in spaces", (length) => `# a${" ".repeat(length)}#x`],
    ["code with spaces", (length) => `\` ${"a ".repeat(length / 2)}b\``],
    ["a row with escaped bars", (length) => `a|b\n-|-\n|${"\\|".repeat(length / 2)}`],
  ])("much text like %j is read in linear time", async (_name, textOf) => {
    await expectLinearTime(size, textOf, (text) => {
      parseMarkdown(text);
      looksLikeMarkdown(text);
    });
  });

  it.each([
    ["# Tea", true],
    ["Buy **tea**", true],
    ["- one", true],
    ["Run `npm test`", true],
    ["[a](https://b.example)", true],
    ["a | b\n--- | ---", false],
    ["| a |\n| - |", true],
    ["Tea and cake, 2 * 3 * 4, snake_case_name", false],
    ["f(**kwargs, ** x)", false],
    ["Call me [soon] (today)", false],
  ])("whether %j is evidently Markdown is %j", (text, expected) => {
    expect(looksLikeMarkdown(text)).toBe(expected);
  });
});
