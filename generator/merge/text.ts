import { ts } from "ts-morph";
import type { Insertion, MethodLocation } from "./types.js";

/** Applies insertions to the text of a file. Insertions at the same position are applied in their order. */
export function insertAll(text: string, insertions: readonly Insertion[]): string {
  const sorted = insertions.toSorted((a, b) => a.at - b.at);
  let end = 0;
  const parts = sorted.map(({ at, text: added, replacedLength = 0 }) => {
    const kept = text.slice(end, at);
    end = Math.max(end, at + replacedLength);
    return kept + added;
  });
  return parts.join("") + text.slice(end);
}

/**
 * Converts a position in the original text to a position in the text with the insertions. An insertion at the position
 * itself also moves it.
 */
export function shifted(at: number, insertions: readonly Insertion[]): number {
  return insertions.reduce((sum, one) => sum + (one.at <= at ? one.text.length - (one.replacedLength ?? 0) : 0), at);
}

/** Returns the location of a method in a file. */
export function locationOf(source: ts.SourceFile, at: number, method: string): MethodLocation {
  const { line, character } = ts.getLineAndCharacterOfPosition(source, at);
  return { method, line: line + 1, column: character + 1 };
}

/** Returns the whitespace at the beginning of the line that contains a position. */
export function indentationAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at)))?.[0] ?? "";
}

/** Returns the beginning of the line that contains a position. */
export function lineStart(text: string, at: number): number {
  return Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1;
}

/** Returns whether only whitespace precedes a position on its line. */
export function isAtLineStart(text: string, at: number): boolean {
  return text.slice(lineStart(text, at), at).trim() === "";
}

/** Returns the text after a position on its line. */
export function restOfLine(text: string, at: number): string {
  return /^[^\r\n]*/.exec(text.slice(at))?.[0] ?? "";
}

/** Returns the end of the comments that follow a position on the same line. */
export function endOfTrailing(text: string, at: number): number {
  const end = ts.getTrailingCommentRanges(text, at)?.at(-1)?.end ?? at;
  return restOfLine(text, end).trim() === "" ? end : at;
}

/** Returns the position of a comma that follows a position after only whitespace and comments. */
export function commaAfter(text: string, at: number): number | undefined {
  const comments = [...(ts.getLeadingCommentRanges(text, at) ?? []), ...(ts.getTrailingCommentRanges(text, at) ?? [])];
  const inComment = (position: number): number | undefined =>
    comments.find(({ pos, end }) => pos <= position && position < end)?.end;
  let position = at;
  while (position < text.length) {
    const end = inComment(position);
    if (end !== undefined) position = end;
    else if (/\s/.test(text.charAt(position))) position += 1;
    else return text.charAt(position) === "," ? position : undefined;
  }
  return undefined;
}

/**
 * Returns the start of a node, including its leading comments, except comments that are separated from the node by an
 * empty line.
 */
export function startWithComments(text: string, node: ts.Node, source: ts.SourceFile): number {
  const comments = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  return comments.reduceRight((start, { pos, end }) => {
    const gap = text.slice(end, start);
    return lines(gap) < 2 && gap.trim() === "" ? pos : start;
  }, node.getStart(source));
}

/** Returns the number of line breaks in a string. */
export function lines(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}
