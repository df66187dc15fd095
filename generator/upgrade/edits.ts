import type { Edit } from "./types.js";

/** Orders edits by position; an insertion comes before a replacement at the same position. */
function byPosition(a: Edit, b: Edit): number {
  return a.start - b.start || a.end - b.end;
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort(byPosition)
    .reduceRight((result, { start, end, text: now }) => result.slice(0, start) + now + result.slice(end), text);
}

/**
 * Maps a position after the edits to the position before them. A position inside an edit maps to the start of the edit.
 */
export function positionBefore(position: number, edits: readonly Edit[]): number {
  let shift = 0;
  for (const { start, end, text } of [...edits].sort(byPosition)) {
    if (start + shift > position) break;
    if (position < start + shift + text.length) return start;
    shift += text.length - (end - start);
  }
  return position - shift;
}

/** Maps a position before the edits to the position after them. */
export function positionAfter(position: number, edits: readonly Edit[]): number {
  return edits.reduce(
    (sum, { start, end, text }) => (end <= position ? sum + text.length - (end - start) : sum),
    position,
  );
}
