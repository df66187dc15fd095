/** How many names a message lists at most. */
const listLength = 12;

/**
 * What to do about a name that there is not: the names that somebody may have meant, and those that there are. `kind`
 * says what they are names of, in the plural.
 */
export function namesRemedy(wrong: string, names: readonly string[], kind: string): string {
  const guess = didYouMean(wrong, names);
  const more = names.length - listLength;
  const end = more > 0 ? ` and ${more} more` : "";
  return `${guess}The ${kind} are ${names.slice(0, listLength).join(", ")}${end}`;
}

/** The question whether somebody meant one of the names, for the begin of a remedy; empty where none is near. */
export function didYouMean(wrong: string, names: readonly string[]): string {
  const near = nearNames(wrong, names);
  return near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
}

/** The names that somebody may have meant, the nearest first: those that are a few letters away, or begin alike. */
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

/** How many letters have to be inserted, removed, replaced or swapped with the next one to make one text of the other. */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    rows.push(line);
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : Infinity;
      const replaced = at(row - 1, column - 1) + (isSame ? 0 : 1);
      line.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
