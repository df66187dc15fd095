/** The maximum number of names in a message. */
const listLength = 16;

/**
 * Returns the hint for an unknown name: similar names, and the valid names. `kind` describes the
 * names, in the plural.
 *
 * @example namesHint("modles", ["client", "models"], "targets"); // "Did you mean models? The
 *   targets are client, models"
 */
export function namesHint(wrong: string, names: readonly string[], kind: string): string {
  const guess = didYouMean(wrong, names);
  const more = names.length - listLength;
  const end = more > 0 ? ` and ${more} more` : "";
  return `${guess}The ${kind} are ${names.slice(0, listLength).join(", ")}${end}`;
}

/**
 * Returns the question "Did you mean …?" to begin a hint, or an empty string if no name is similar.
 */
export function didYouMean(wrong: string, names: readonly string[]): string {
  const near = nearNames(wrong, names);
  return near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
}

/**
 * Returns the names that are most similar to an unknown name, at most three. A name is similar if
 * it differs in a few characters or begins with the unknown name.
 */
export function nearNames(wrong: string, names: readonly string[]): string[] {
  if (names.includes(wrong)) return [];
  const given = wrong.toLowerCase();
  const rated = names.map((name) => ({ name, distance: distanceOf(given, name.toLowerCase()) }));
  const near = rated.filter(({ name, distance }) => {
    const isBegun = given.length > 1 && name.toLowerCase().startsWith(given);
    return isBegun || distance <= Math.max(1, Math.floor(given.length / 3));
  });
  const sorted = near.sort((a, b) => a.distance - b.distance);
  const least = sorted[0]?.distance ?? 0;
  return sorted
    .filter(({ distance }) => distance === least)
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * Returns the edit distance of two strings: characters inserted, removed, replaced, or swapped with
 * the next character.
 */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    rows.push(line);
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : Infinity;
      const replaced = at(row - 1, column - 1) + (isSame ? 0 : 1);
      line.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
