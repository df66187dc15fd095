import { ts } from "ts-morph";
import type { Insertion, MethodLocation } from "./types.js";

/**
 * Applies insertions to the text of a file. Insertions at the same position are applied in their
 * order.
 */
export function insertAll(text: string, insertions: readonly Insertion[]): string {
  const sorted = insertions.toSorted((a, b) => a.at - b.at);
  let end = 0;
  const parts = sorted.map(({ at, text: added }) => {
    const kept = text.slice(end, at);
    end = at;
    return kept + added;
  });
  return parts.join("") + text.slice(end);
}

/**
 * Converts a position in the original text to a position in the text with the insertions. An
 * insertion at the position itself also moves it.
 */
export function shifted(at: number, insertions: readonly Insertion[]): number {
  const before = insertions.filter((insertion) => insertion.at <= at);
  return at + before.map(({ text }) => text).join("").length;
}

/** Returns the location of a method in a file. */
export function locationOf(source: ts.SourceFile, at: number, method: string): MethodLocation {
  const { line, character } = ts.getLineAndCharacterOfPosition(source, at);
  return { method, line: line + 1, column: character + 1 };
}

/** Returns the whitespace at the beginning of the line that contains a position. */
export function indentationAt(text: string, at: number): string {
  return /[ \t]*/.exec(lineUntil(text, at))?.[0] ?? "";
}

/** Returns whether only whitespace precedes a position on its line. */
export function isAtLineStart(text: string, at: number): boolean {
  return lineUntil(text, at).trim() === "";
}

function lineUntil(text: string, at: number): string {
  return /[^\r\n]*$/.exec(text.slice(0, at))?.[0] ?? "";
}

/** Returns whether only whitespace follows a position on its line. */
export function isAtLineEnd(text: string, at: number): boolean {
  return /^[ \t]*(?:[\r\n]|$)/.test(text.slice(at));
}

/**
 * Returns the end of the comments that follow a position on the same line, if nothing else follows.
 */
export function endOfTrailing(text: string, at: number): number {
  const end = ts.getTrailingCommentRanges(text, at)?.at(-1)?.end ?? at;
  return isAtLineEnd(text, end) ? end : at;
}

/** Returns the end of the comma after an element of a list; `undefined` if no comma follows. */
export function endOfComma<T extends ts.Node>(
  list: ts.NodeArray<T>,
  element: T,
): number | undefined {
  // The node after a comma begins at the end of the comma.
  const next = list[list.indexOf(element) + 1];
  return next?.pos ?? (list.hasTrailingComma ? list.end : undefined);
}

/** Returns the number of line breaks in a string. */
export function lines(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}
