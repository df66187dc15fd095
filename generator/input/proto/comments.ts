import { commentOrString } from "./escapes.js";

/**
 * Stands at the start of a line of comment text. protobufjs takes white space and signs of comments off there, which
 * would cost lists their first bullet and examples their indentation.
 */
const mark = "\uE001";

/** Marks where the text of each line of a comment starts. */
export function markComments(text: string): string {
  return text.replace(commentOrString, (found) => {
    if (found.startsWith("//")) return found.replace(/^\/+/, `$&${mark}`);
    return found.startsWith("/*") ? found.split("\n").map(markLine).join("\n") : found;
  });
}

/** Marks a line of a block comment; one that only holds signs stays as it is. */
function markLine(line: string, index: number): string {
  if (/^\s*\/?\**\/?\s*$/.test(line)) return line;
  if (index > 0) return line.replace(/^\s*(?:\*(?!\/))?/, `$&${mark}`);
  // protobufjs leaves out the sign behind the opening one, whatever it is.
  return line.replace(/^\/\*(\**)/, (_, stars: string) => `/*${stars === "" ? " " : stars}${mark}`);
}

/** The text of a comment, as protobufjs gives it after marking. Lines without a mark only hold signs. */
export function commentText(comment: unknown): string {
  if (typeof comment !== "string") return "";
  const lines = comment.split("\n").map((line) => (line.split(mark)[1] ?? "").replace(/^ /, "").trimEnd());
  return lines.join("\n").replace(/^\n+|\n+$/g, "");
}
