import { commentOrString } from "./escapes.js";

/**
 * Character that marks the start of a comment line. Without it, protobufjs would trim whitespace
 * and comment signs at the start of the line, and so remove the bullets of lists and the
 * indentation of examples.
 */
const mark = "\uE001";

/** Returns a proto with a mark at the start of each line of its comments. */
export function markComments(text: string): string {
  return text.replace(commentOrString, (found) => {
    if (found.startsWith("//")) return found.replace(/^\/+/, `$&${mark}`);
    return found.startsWith("/*") ? found.split("\n").map(markLine).join("\n") : found;
  });
}

/** Marks a line of a block comment, unless the line consists only of comment signs. */
function markLine(line: string, index: number): string {
  if (/^\/?\**\/?$/.test(line.trim())) return line;
  if (index > 0) return line.replace(/^\s*(?:\*(?!\/))?/, `$&${mark}`);
  // protobufjs drops the character after the opening sign, even if the character belongs to the
  // text.
  return line.replace(/^\/\*(\**)/, (_, stars: string) => `/*${stars === "" ? " " : stars}${mark}`);
}

/** Returns the text of a marked comment. Lines without a mark only contain comment signs. */
export function commentText(comment: unknown): string {
  if (typeof comment !== "string") return "";
  const lines = comment
    .split("\n")
    .map((line) => (line.split(mark)[1] ?? "").replace(/^ /, "").trimEnd());
  const isText = (line: string): boolean => line !== "";
  return lines
    .slice(Math.max(0, lines.findIndex(isText)), lines.findLastIndex(isText) + 1)
    .join("\n");
}
