/**
 * Returns the number that a part of the numbers does not exceed, such as 0.99 for the 99th
 * percentile, 0.5 for the median, and 1 for the largest number. Returns `NaN` for an empty list.
 */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * part));
  return sorted[at] ?? NaN;
}

/**
 * Returns a quantile to display, rounded to a number of decimal digits. Returns 0 for an empty
 * list.
 */
export function roundedQuantile(values: readonly number[], part: number, decimals = 0): number {
  if (values.length === 0) return 0;
  const scale = 10 ** decimals;
  return Math.round(scale * quantile(values, part)) / scale;
}
