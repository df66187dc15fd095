import { parseInline, type Inline } from "./markdown-inline.js";

/** A cell of a table. */
export type Cell = readonly Inline[];

/** A block of a text in Markdown. */
export type Block =
  | { readonly kind: "paragraph"; readonly content: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly kind: "list";
      /** Number of the first item. Absent if the list is not ordered. */
      readonly start?: number;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly kind: "table"; readonly head: readonly Cell[]; readonly rows: readonly Cell[][] }
  | { readonly kind: "rule" };

/** Deepest nesting of lists and quotes. Deeper markers are text, so that the time is linear. */
const maxDepth = 12;

/** Signs of Markdown that other texts rarely contain: blocks, strong text, code and links. */
const evidence = new RegExp(
  [
    /^#{1,6}[ \t]+\S/,
    /^[ \t]*(?:```|~~~|> \S)/,
    /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S/,
    /^[ \t]*\|[ \t:]*-+[ \t:]*\|/,
    /\*\*[^\s*](?:[^*\n]*[^\s*])?\*\*/,
    /`[^`\n]+`/,
    /\[[^[\]\n]+\]\(https?:/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "m",
);

/** Returns whether a text without a media type is evidently Markdown. */
export function looksLikeMarkdown(text: string): boolean {
  return evidence.test(text);
}

/**
 * Reads a text in Markdown: the part of CommonMark and its tables that agents write. Tags of HTML
 * are text. The time is linear in the length of the text, whatever an agent sends.
 */
export function parseMarkdown(text: string): Block[] {
  return blocksIn(linesOf(text));
}

/** Text in Markdown that grows. Blocks that can no longer change are not read again. */
export class GrowingMarkdown {
  /** The end of the text that can still change its blocks. */
  #rest = "";

  /** Adds text. Returns the blocks that replace the blocks that the last call called open. */
  append(text: string): { readonly settled: Block[]; readonly open: Block[] } {
    this.#rest += text;
    const lines = linesOf(this.#rest);
    const placed = new BlockParser(lines, 0).parse();
    // The last line may be incomplete, and can begin a block or continue the block before it.
    const count = Math.max(placed.length - 2, 0);
    const blocks = placed.map(({ block }) => block);
    this.#rest = lines.slice(placed[count]?.line ?? 0).join("\n");
    return { settled: blocks.slice(0, count), open: blocks.slice(count) };
  }
}

function linesOf(text: string): string[] {
  return text.replaceAll("\r", "").split("\n");
}

function blocksIn(lines: readonly string[], depth = 0): Block[] {
  return new BlockParser(lines, depth).parse().map(({ block }) => block);
}

/** A block and the number of its first line. */
interface Placed {
  readonly line: number;
  readonly block: Block;
}

const fencePattern = /^([ \t]*)(`{3,}|~{3,})(.*)$/;
const headingPattern = /^[ \t]*(#{1,6})(?:[ \t]+|$)/;
const quotePattern = /^[ \t]*>[ \t]?/;
const itemPattern = /^([ \t]*)([-*+]|\d{1,9}[.)])(?:([ \t]+)|$)/;

class BlockParser {
  readonly #lines: readonly string[];
  readonly #depth: number;
  readonly #blocks: Placed[] = [];
  #at = 0;

  constructor(lines: readonly string[], depth: number) {
    this.#lines = lines;
    this.#depth = depth;
  }

  parse(): Placed[] {
    while (this.#at < this.#lines.length) {
      const line = this.#at;
      const block = isBlank(this.#line) ? undefined : this.#block();
      if (block === undefined) this.#at += 1;
      else this.#blocks.push({ line, block });
    }
    return this.#blocks;
  }

  get #line(): string {
    return this.#lines[this.#at] ?? "";
  }

  #block(): Block {
    const line = this.#line;
    if (isRule(line)) {
      this.#at += 1;
      return { kind: "rule" };
    }
    return (
      this.#code(line) ??
      this.#heading(line) ??
      (this.#depth < maxDepth ? (this.#quote(line) ?? this.#list(line)) : undefined) ??
      this.#table(line) ??
      this.#paragraph()
    );
  }

  #code(line: string): Block | undefined {
    const fence = fenceOf(line);
    if (fence === undefined) return undefined;
    const text: string[] = [];
    const { indent, sign, length, language } = fence;
    for (this.#at += 1; this.#at < this.#lines.length; this.#at += 1) {
      if (isFenceEnd(this.#line, sign, length)) {
        this.#at += 1;
        break;
      }
      text.push(unindented(this.#line, indent));
    }
    return { kind: "code", language, text: text.join("\n") };
  }

  #heading(line: string): Block | undefined {
    const [marker, signs] = headingPattern.exec(line) ?? [];
    if (marker === undefined || signs === undefined) return undefined;
    this.#at += 1;
    const text = withoutClosing(line.slice(marker.length).trimEnd());
    return { kind: "heading", level: signs.length, content: parseInline(text) };
  }

  #quote(line: string): Block | undefined {
    if (!quotePattern.test(line)) return undefined;
    const lines: string[] = [];
    for (; this.#at < this.#lines.length && quotePattern.test(this.#line); this.#at += 1)
      lines.push(this.#line.replace(quotePattern, ""));
    return { kind: "quote", blocks: blocksIn(lines, this.#depth + 1) };
  }

  #list(line: string): Block | undefined {
    const first = itemOf(line);
    if (first === undefined) return undefined;
    const items: Block[][] = [];
    for (let item = itemOf(this.#line); item?.kind === first.kind; item = itemOf(this.#line))
      items.push(blocksIn(this.#itemLines(item), this.#depth + 1));
    return {
      kind: "list",
      ...(first.number !== undefined && { start: first.number }),
      items,
    };
  }

  /** Returns the lines of an item without their indentation. Moves to the line after the item. */
  #itemLines({ content, indent, width }: Item): string[] {
    const lines = [content];
    for (this.#at += 1; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#line;
      // Some agents indent nested lists by two columns, whatever the marker.
      if (!isBlank(line) && indentOf(line) < indent + 2) break;
      lines.push(unindented(line, width));
    }
    return lines;
  }

  #table(line: string): Block | undefined {
    if (!this.#isTable()) return undefined;
    const head = cellsOf(line);
    const rows: Cell[][] = [];
    for (this.#at += 2; this.#at < this.#lines.length; this.#at += 1) {
      if (!this.#line.includes("|") || isBlockStart(this.#line)) break;
      rows.push(cellsOf(this.#line));
    }
    return { kind: "table", head, rows };
  }

  /** Returns whether the line and the next line are the head of a table. */
  #isTable(): boolean {
    const columns = this.#line.includes("|") ? columnsOf(this.#lines[this.#at + 1] ?? "") : 0;
    return columns > 0 && splitRow(this.#line).length === columns;
  }

  #paragraph(): Block {
    const lines = [this.#line];
    for (this.#at += 1; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#line;
      const underline = /^[ \t]*(?:(=+)|-+)[ \t]*$/.exec(line);
      if (underline !== null) {
        this.#at += 1;
        const level = underline[1] === undefined ? 2 : 1;
        return { kind: "heading", level, content: parseInline(textOf(lines)) };
      }
      if (isBlank(line) || isBlockStart(line) || this.#isTable()) break;
      lines.push(line);
    }
    return { kind: "paragraph", content: parseInline(textOf(lines)) };
  }
}

function textOf(lines: readonly string[]): string {
  return lines.join("\n").trim();
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}

function isRule(line: string): boolean {
  if (!/^[ \t]*[-*_]/.test(line)) return false;
  const signs = line.replace(/[ \t]+/g, "");
  return /^(?:-{3,}|\*{3,}|_{3,})$/.test(signs);
}

/** Returns whether a line ends the paragraph before it. */
function isBlockStart(line: string): boolean {
  if (isRule(line) || fenceOf(line) !== undefined) return true;
  if (headingPattern.test(line) || quotePattern.test(line)) return true;
  const item = itemOf(line);
  // A line of a paragraph can begin with a year or a dash.
  return item !== undefined && item.content !== "" && (item.number ?? 1) === 1;
}

interface Fence {
  readonly indent: number;
  readonly sign: string;
  readonly length: number;
  readonly language: string;
}

function fenceOf(line: string): Fence | undefined {
  const [, indent = "", signs, language = ""] = fencePattern.exec(line) ?? [];
  const sign = signs?.[0];
  if (signs === undefined || sign === undefined) return undefined;
  // Otherwise, it is code within a line.
  if (sign === "`" && language.includes("`")) return undefined;
  return { indent: columnsIn(indent), sign, length: signs.length, language: language.trim() };
}

function isFenceEnd(line: string, sign: string, length: number): boolean {
  const signs = line.trim();
  return signs.length >= length && signs === sign.repeat(signs.length);
}

/** Removes the signs at the end of a heading. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  const isClosing = end === 0 || /[ \t]/.test(text[end - 1] ?? "");
  return isClosing ? text.slice(0, end).trim() : text;
}

/** The beginning of an item of a list. */
interface Item {
  /** The sign after the number, or the sign itself. Other signs begin another list. */
  readonly kind: string;
  readonly number: number | undefined;
  readonly content: string;
  /** Columns before the marker. */
  readonly indent: number;
  /** Columns before the content. */
  readonly width: number;
}

function itemOf(line: string): Item | undefined {
  const [whole, before = "", marker, after = " "] = itemPattern.exec(line) ?? [];
  if (whole === undefined || marker === undefined || isRule(line)) return undefined;
  const indent = columnsIn(before);
  const gap = columnsIn(after);
  return {
    kind: marker.slice(-1),
    number: marker.length === 1 ? undefined : Number(marker.slice(0, -1)),
    content: line.slice(whole.length),
    indent,
    width: indent + marker.length + (gap > 4 ? 1 : gap),
  };
}

/** Returns the number of columns of white space. */
function columnsIn(space: string): number {
  let columns = 0;
  for (const sign of space) columns += sign === "\t" ? 4 - (columns % 4) : 1;
  return columns;
}

function indentOf(line: string): number {
  return columnsIn(/^[ \t]*/.exec(line)?.[0] ?? "");
}

/** Removes at most `width` columns of white space from the beginning of a line. */
function unindented(line: string, width: number): string {
  let columns = 0;
  let end = 0;
  for (; columns < width && /[ \t]/.test(line[end] ?? ""); end += 1)
    columns += line[end] === "\t" ? 4 - (columns % 4) : 1;
  return line.slice(end);
}

/** Returns the number of columns if a line is the line below the head of a table, otherwise 0. */
function columnsOf(line: string): number {
  if (!/^[ \t|:-]+$/.test(line) || !line.includes("|")) return 0;
  const cells = splitRow(line);
  return cells.every((cell) => /^:?-+:?$/.test(cell)) ? cells.length : 0;
}

function cellsOf(line: string): Cell[] {
  return splitRow(line).map((cell) => parseInline(cell.replaceAll("\\|", "|")));
}

/** Splits a row at its bars. A bar after a backslash belongs to a cell. */
function splitRow(line: string): string[] {
  const cells = [""];
  const row = line.trim().replace(/^\|/, "");
  for (const part of row.split(/(\\?\|)/)) {
    if (part === "|") cells.push("");
    else cells.push(`${cells.pop() ?? ""}${part}`);
  }
  if (cells.length > 1 && cells.at(-1)?.trim() === "") cells.pop();
  return cells.map((cell) => cell.trim());
}
