/**
 * The start of a line that must remain at the start of a line in Markdown or in a doc comment: a
 * list, table, quote, heading, code block, definition or tag.
 */
const structure = /^(?:\s|```|~~~|[-+*] |#{1,6} |[-=]{2,}|\d+[.)] |[>|<@]|\[[^\]]*\]:)/;

/**
 * Breaks the paragraphs of a doc comment at a width. Editors join the lines of a paragraph anyway.
 * Paragraphs with one line, and paragraphs with a significant line break, do not change.
 */
export function fillParagraphs(lines: readonly string[], width: number): string[] {
  if (lines.some((line) => /^\s*(?:```|~~~)/.test(line))) return [...lines];
  const filled: string[] = [];
  let paragraph: string[] = [];
  for (const line of [...lines, ""]) {
    if (line !== "") {
      paragraph.push(line);
      continue;
    }
    filled.push(...(isPlain(paragraph) ? fill(paragraph.join(" "), width) : paragraph), "");
    paragraph = [];
  }
  return filled.slice(0, -1);
}

/** Returns whether a paragraph has line breaks and none of them is significant. */
function isPlain(lines: readonly string[]): boolean {
  return (
    lines.length > 1 && !lines.some((line) => structure.test(line) || /(?: {2}|\\)$/.test(line))
  );
}

/**
 * Breaks a string into lines of at most `width` characters. No line starts with a word that
 * Markdown would read as a list item, or a doc comment as a tag.
 */
export function fill(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/[ \n]+/)) {
    const last = lines.at(-1);
    const isFull = last === undefined || last.length + 1 + word.length > width;
    if (isFull && (last === undefined || !structure.test(`${word} `))) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/**
 * Breaks the doc comments of rendered code that are wider than `width`, with the rest of their
 * paragraph. Templates contain names of any length, so they cannot break such comments themselves.
 * Lines that are not prose, such as code, lists and tables, do not change.
 */
export function fillComments(text: string, width: number): string {
  const filled: string[] = [];
  // In reverse, because removing the first element of a long list takes a time that grows with it.
  const rest = text.split("\n").reverse();
  let isComment = false;
  let isCode = false;
  for (let line = rest.pop(); line !== undefined; line = rest.pop()) {
    if (/^ *\/\*\*/.test(line)) [isComment, isCode] = [true, false];
    if (/^ *\* *(?:```|~~~)/.test(line)) isCode = !isCode;
    const isProse = isComment && !isCode;
    if (line.endsWith("*/")) isComment = false;
    filled.push(...(isProse && line.length > width ? fillComment(line, rest, width) : [line]));
  }
  return filled.join("\n");
}

/**
 * Breaks a line of a doc comment. Takes the rest of its paragraph from the lines that follow, which
 * are in reverse order.
 */
function fillComment(line: string, rest: string[], width: number): string[] {
  const [, indent = "", comment] = /^( *)\/\*\* (.*) \*\/$/.exec(line) ?? [];
  if (comment !== undefined)
    return [`${indent}/**`, ...fillLines(`${indent} * `, [comment], width), `${indent} */`];
  const [, prefix, first] = /^( *\* )(.*)$/.exec(line) ?? [];
  if (prefix === undefined || first === undefined) return [line];
  const paragraph = [first];
  for (let next = rest.at(-1); next?.startsWith(prefix) === true; next = rest.at(-1)) {
    const text = next.slice(prefix.length);
    if (structure.test(text) || text === "/") break;
    paragraph.push(text);
    rest.pop();
  }
  return fillLines(prefix, paragraph, width);
}

/**
 * Returns the lines of a paragraph, each after a prefix. The lines of a tag after its first line are
 * indented.
 */
function fillLines(prefix: string, paragraph: readonly string[], width: number): string[] {
  const text = paragraph.join(" ");
  const isTag = /^@\w+ /.test(text);
  if (!isTag && structure.test(text)) return paragraph.map((line) => prefix + line);
  const hanging = isTag ? `${prefix}  ` : prefix;
  const [first = "", ...others] = fill(text, width - hanging.length);
  return [prefix + first, ...others.map((part) => hanging + part)];
}
