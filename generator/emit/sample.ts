import { layoutOf, literalOf } from "./expressions.js";
import { lineWidth, print } from "./layout.js";
import { quote } from "./text.js";

/** The maximum width of a line that contains a complete object or list of a sample. */
const sampleWidth = 79;

/** Returns the lines of a sample. Strings in braces represent expressions. */
export function sampleLines(sample: unknown, { head = "", tail = "" } = {}): string[] {
  const [first = "", ...rest] = print(
    layoutOf(literalOf(sample, sampleExpression)),
    lineWidth - sampleWidth,
  );
  const lines = [head + first, ...rest];
  return [...lines.slice(0, -1), (lines.at(-1) ?? "") + tail];
}

/**
 * Returns the expression for a string of a sample: `{url}`, `{uuid}`, a path in the request such as
 * `{request.id}`, or a path with a default, `{request.id ?? uuid}`. Other strings are literals.
 */
function sampleExpression(text: string): string {
  const [, expression] =
    /^\{(url|uuid|request(?:\.[A-Za-z_$][\w$]*)+(?: \?\? uuid)?)\}$/.exec(text) ?? [];
  return expression?.replace(/(?<![\w$.])uuid$/, "crypto.randomUUID()") ?? quote(text);
}
