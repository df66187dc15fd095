import type { Edit } from "./types.js";

/** Orders edits by position. An insertion comes before a replacement at the same position. */
function byPosition(a: Edit, b: Edit): number {
  return a.start - b.start || a.end - b.end;
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort(byPosition)
    .reduceRight(
      (result, { start, end, text: now }) => result.slice(0, start) + now + result.slice(end),
      text,
    );
}

/**
 * Converts a position in the edited text to a position in the original text. For a position inside
 * an edit, returns the start of the edit.
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

/** Converts a position in the original text to a position in the edited text. */
export function positionAfter(position: number, edits: readonly Edit[]): number {
  return edits.reduce(
    (sum, { start, end, text }) => (end <= position ? sum + text.length - (end - start) : sum),
    position,
  );
}
