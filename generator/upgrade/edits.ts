import type { Edit } from "./types.js";

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((a, b) => b.start - a.start);
  return ordered.reduce((result, { start, end, text: now }) => result.slice(0, start) + now + result.slice(end), text);
}

/** Returns the position before the edits of a position after them; inside an edit, the position of its start. */
export function positionBefore(position: number, edits: readonly Edit[]): number {
  let shift = 0;
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start)) {
    if (start + shift > position) break;
    if (position < start + shift + text.length) return start;
    shift += text.length - (end - start);
  }
  return position - shift;
}

/** Returns the position after the edits of a position before them. */
export function positionBehind(position: number, edits: readonly Edit[]): number {
  return edits.reduce(
    (sum, { start, end, text }) => (end <= position ? sum + text.length - (end - start) : sum),
    position,
  );
}
