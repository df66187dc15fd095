/**
 * The start of a line whose break means something in Markdown or in a doc comment: of a list, a table, a quote, a heading,
 * code, a definition or a tag.
 */
const structure = /^(?:\s|[-+*] |#{1,6} |[-=]{2,}|\d+[.)] |[>|<@]|\[[^\]]*\]:)/;

/**
 * Fills the paragraphs of a doc comment up to a width, as editors show them anyway. A paragraph of one line stays as it is,
 * and so does one with a line whose break means something.
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

/** Returns whether the breaks of a paragraph can be moved, and whether there are any. */
function isPlain(lines: readonly string[]): boolean {
  return lines.length > 1 && !lines.some((line) => structure.test(line) || /(?: {2}|\\)$/.test(line));
}

/** Breaks a string into lines of at most a width; no break makes a word look like the start of a list or a tag. */
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
