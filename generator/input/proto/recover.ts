import type { Location } from "../../../support/diagnostics.js";
import type { Token } from "./scan.js";

/**
 * The tokens of a statement, including its block. `from` is the index of the first token, and `to`
 * is the index after the last token.
 */
interface Extent {
  readonly from: number;
  readonly to: number;
}

/**
 * Removes the invalid statements at the given locations from a proto, so that the rest can be
 * parsed. All other statements keep their locations. Returns the text, and whether a removed
 * statement declares types. Returns `undefined` if the rest could not be parsed, because braces or
 * brackets do not match, or because a location is not in a statement.
 */
export function leaveOut(
  text: string,
  tokens: readonly Token[],
  locations: readonly Location[],
): { readonly text: string; readonly hasTypes: boolean } | undefined {
  const extents = extentsOf(tokens);
  if (extents === undefined) return undefined;
  let [left, hasTypes] = [text, false];
  for (const location of locations) {
    const extent = innermost(extents, indexAt(tokens, location));
    const [first, last] = extent === undefined ? [] : [tokens[extent.from], tokens[extent.to - 1]];
    if (first === undefined || last === undefined) return undefined;
    // Replace the statement with spaces, so that all other tokens keep their locations.
    const blank = left.slice(first.start, last.end).replace(/[^\n]/g, " ");
    left = left.slice(0, first.start) + blank + left.slice(last.end);
    hasTypes ||= first.text === "message" || first.text === "enum";
  }
  return { text: left, hasTypes };
}

function innermost(extents: readonly Extent[], index: number): Extent | undefined {
  const around = extents.filter(({ from, to }) => from <= index && index < to);
  return around.toSorted((a, b) => a.to - a.from - (b.to - b.from))[0];
}

/**
 * Returns the index of the last token that begins at or before a location; -1 if no such token
 * exists.
 */
function indexAt(tokens: readonly Token[], { line = 1, column = 1 }: Location): number {
  return tokens.findLastIndex(
    (token) => token.line < line || (token.line === line && token.column <= column),
  );
}

/** Returns the extents of all statements; `undefined` if braces or brackets do not match. */
function extentsOf(tokens: readonly Token[]): Extent[] | undefined {
  const extents: Extent[] = [];
  const open: number[] = [];
  let [start, brackets] = [0, 0];
  for (const [at, { text }] of tokens.entries()) {
    if (text === "[") brackets += 1;
    else if (text === "]") brackets -= 1;
    if (brackets < 0) return undefined;
    if (brackets > 0 || !/^[;{}]$/.test(text)) continue;
    if (text === "{") open.push(start);
    else if (start < at || text === ";")
      extents.push({ from: start, to: text === ";" ? at + 1 : at });
    start = at + 1;
    if (text !== "}") continue;
    const from = open.pop();
    if (from === undefined) return undefined;
    extents.push({ from, to: start });
  }
  return open.length === 0 && brackets === 0 ? extents : undefined;
}
