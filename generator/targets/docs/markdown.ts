/** Row of a table, with one string for each column. */
export type Row = readonly string[];

/** Returns text as inline code, which Markdown displays unchanged. */
export function code(text: string): string {
  const line = text.replaceAll(/\s*\n\s*/g, " ");
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 || line.trim() === "" ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** Matches a code span, a fenced code block, or a character that starts an HTML tag. */
const tagOrCode = /(`+)[^`](?:[^]*?[^`])?\1(?!`)|</g;

/**
 * Returns the lines of a doc comment. Doc comments are Markdown, but their HTML tags and headings
 * are escaped, so that they do not change the structure of the page.
 */
export function prose(docs: string): string[] {
  const text = docs.trim().replaceAll(tagOrCode, (found) => (found === "<" ? "\\<" : found));
  return text === ""
    ? []
    : text.split("\n").map((line) => line.trimEnd().replace(/^#{1,6}(?= |$)/, "\\$&"));
}

/** Formats a doc comment as one line, for a table cell. */
export function inline(docs: string): string {
  return prose(docs)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

/** Returns the lines of a table with aligned columns, as formatters write them. */
export function table(head: Row, rows: readonly Row[]): string[] {
  const escaped = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) =>
    Math.max(3, ...escaped.map((row) => widthOf(row[column] ?? ""))),
  );
  const line = (cells: Row): string =>
    `| ${widths.map((width, column) => padded(cells[column] ?? "", width)).join(" | ")} |`;
  const [first = [], ...others] = escaped;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...others.map(line)];
}

/**
 * Returns the number of columns that a string occupies. Code points outside the Latin scripts may
 * be wider, which only affects the alignment.
 */
function widthOf(text: string): number {
  return Array.from(text).length;
}

function padded(text: string, width: number): string {
  return text + " ".repeat(width - widthOf(text));
}

/** Joins blocks of lines with an empty line between them. Omits empty blocks. */
export function blocks(...all: readonly (readonly string[])[]): string[] {
  return all
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

/**
 * The anchors of the headings on a page. They are made unique in the same way as on GitHub and
 * similar sites.
 */
export class Anchors {
  readonly #anchors = new Map<string, string>();
  readonly #used = new Set<string>();

  /** Reserves the anchors of headings in the order of the page. */
  constructor(headings: Iterable<string>) {
    for (const heading of headings) {
      const slug = heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, "")
        .replaceAll(" ", "-");
      let anchor = slug;
      for (let count = 1; this.#used.has(anchor); count += 1) anchor = `${slug}-${count}`;
      this.#used.add(anchor);
      this.#anchors.set(heading, anchor);
    }
  }

  /**
   * Returns a link to a heading. If the page does not contain the heading, returns its text as
   * code.
   */
  link(heading: string, page = ""): string {
    const anchor = this.#anchors.get(heading);
    return anchor === undefined ? code(heading) : `[${heading}](${page}#${anchor})`;
  }
}
