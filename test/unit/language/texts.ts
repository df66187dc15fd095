import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { packageFolder } from "../../../support/package-folder.js";

/**
 * Kind of a text that people read: Markdown, a comment, a message of at least three words, or the
 * title of a test.
 */
export type Kind = "prose" | "comment" | "message" | "title";

/** Text of a file, without inline code. */
export interface Text {
  readonly file: string;
  readonly line: number;
  readonly kind: Kind;
  readonly text: string;
}

/** Name that a file declares or uses. */
export interface Name {
  readonly file: string;
  readonly line: number;
  readonly name: string;
}

const skipped = new Set(["node_modules", ".out", "dist", "fixtures"]);

/** Texts of a file, and the names in it if it is code. */
export interface Content {
  readonly texts: readonly Text[];
  readonly names: readonly Name[];
}

/** Returns the paths of the readable files below a folder of the repository. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(packageFolder, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(path);
    return /\.(?:md|ts|mjs|hbs)$/.test(path) ? [path] : [];
  });
}

/** Reads a file of the repository. */
export function read(file: string): Content {
  return textsOf(file, readFileSync(join(packageFolder, file), "utf8"));
}

/** Returns the texts and names in the source of a file. */
export function textsOf(file: string, source: string): Content {
  const page = new Page(file, source);
  if (file.endsWith(".md")) readMarkdown(page);
  else if (file.endsWith(".hbs")) readComments(page, source, source);
  else readCode(page);
  return page;
}

class Page {
  readonly texts: Text[] = [];
  readonly names: Name[] = [];
  readonly #starts: readonly number[];

  readonly file: string;
  readonly source: string;

  constructor(file: string, source: string) {
    this.file = file;
    this.source = source;
    this.#starts = [...source.matchAll(/\n/g)].map(({ index }) => index);
  }

  add(kind: Kind, position: number, text: string): void {
    const plain = text
      .replace(/`[^`]*`|\{@link [^}]*\}/g, "…")
      .replace(/\s+/g, " ")
      .trim();
    if (/[A-Za-z]+ [a-z…]+/.test(plain))
      this.texts.push({ file: this.file, line: this.lineOf(position), kind, text: plain });
  }

  addName(position: number, name: string): void {
    this.names.push({ file: this.file, line: this.lineOf(position), name });
  }

  lineOf(position: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}

/** Reads Markdown outside of code blocks, line by line. */
function readMarkdown(page: Page) {
  let [position, isCode] = [0, false];
  for (const line of page.source.split("\n")) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    else if (!isCode) page.add("prose", position, line.replace(/\]\([^)]*\)/g, "]"));
    position += line.length + 1;
  }
}

/**
 * Reads the literals of TypeScript or JavaScript, and then its comments, which are outside of all
 * literals.
 */
function readCode(page: Page) {
  const { file, source } = page;
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false);
  const code: string[] = [];
  let end = 0;
  const titles = new Set<ts.Node>();
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && isTest(node.expression) && node.arguments[0] !== undefined)
      titles.add(node.arguments[0]);
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node))
      page.addName(node.getStart(tree), node.text);
    const text = literalOf(node);
    if (text !== undefined) readLiteral(page, node.getStart(tree), text, titles.has(node));
    if (isLiteralPart(node)) {
      const start = node.getStart(tree);
      code.push(source.slice(end, start), " ".repeat(node.end - start));
      end = node.end;
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  readComments(page, code.join("") + source.slice(end), source);
}

/**
 * Returns whether a function declares a test or a group of tests, such as `it`, `it.each(rows)` or
 * `describe.skipIf(x)`.
 */
function isTest(called: ts.Expression): boolean {
  if (ts.isIdentifier(called)) return called.text === "it" || called.text === "describe";
  if (ts.isCallExpression(called) || ts.isPropertyAccessExpression(called))
    return isTest(called.expression);
  return ts.isTaggedTemplateExpression(called) && isTest(called.tag);
}

/** Returns the text of a literal, with an ellipsis in place of each expression in it. */
function literalOf(node: ts.Node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
}

function isLiteralPart(node: ts.Node) {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node)
  );
}

const codeInLiteral = /;\s*$|\{\s|\s\}|=>|^\s*[<{[]|\b(?:SELECT|INSERT|UPDATE|CREATE|DELETE) /;

/**
 * Reads a title, a message, or the comments of a script in SQL or Lua. Other code in literals has
 * no texts.
 */
function readLiteral(page: Page, position: number, text: string, isTitle: boolean) {
  if (isTitle) page.add("title", position, text);
  else if (text.includes("\n"))
    for (const [script] of text.matchAll(/(?:^[ \t]*-- .*\n?)+/gm))
      page.add("comment", position, script.replace(/^[ \t]*-- /gm, ""));
  else if (/[a-z]+ [a-z]+ [a-z]+/.test(text) && !codeInLiteral.test(text))
    page.add("message", position, text);
}

const comments = /\/\*\*?([\s\S]*?)\*\/|(?<=^|\s)((?:\/\/.*\n?[ \t]*)+)|\{\{!--([\s\S]*?)--\}\}/gm;

/** Reads the comments of `code`, which is the source with its literals removed. */
function readComments(page: Page, code: string, source: string) {
  for (const { 0: found, index } of code.matchAll(comments)) {
    const text = source.slice(index, index + found.length);
    page.add(
      "comment",
      index,
      text.replace(/^\s*(?:\/\*\*?|\{\{!--|\/\/)|^[ \t]*(?:\/\/|\*(?!\/))|(?:\*\/|--\}\})$/gm, " "),
    );
  }
}
