/** Maximum number of comparisons between events. */
const maxComparisons = 4_000_000;

/** Returns which events are missing and which are new, by their labels. */
export function eventDifferences(saved: readonly string[], actual: readonly string[]): string[] {
  if (saved.length * actual.length > maxComparisons)
    return saved.length === actual.length && saved.every((label, at) => label === actual[at])
      ? []
      : [`the events differ: ${actual.length} instead of ${saved.length}`];
  // Lengths of the longest common sequences after each pair of indexes.
  const common = [...saved, ""].map(() => new Uint16Array(actual.length + 1));
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0;
  for (let row = saved.length - 1; row >= 0; row -= 1)
    for (let column = actual.length - 1; column >= 0; column -= 1)
      common[row]?.fill(
        saved[row] === actual[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1)),
        column,
        column + 1,
      );
  const differences: string[] = [];
  let [row, column] = [0, 0];
  while (row < saved.length || column < actual.length) {
    const [was, is] = [saved[row], actual[column]];
    if (was !== undefined && was === is) {
      row += 1;
      column += 1;
    } else if (
      is !== undefined &&
      (was === undefined || at(row, column + 1) >= at(row + 1, column))
    ) {
      differences.push(`one more ${is}`);
      column += 1;
    } else {
      differences.push(`one less ${was ?? "event"}`);
      row += 1;
    }
  }
  return differences;
}
