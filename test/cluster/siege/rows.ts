import type { Observed } from "./observer.js";

/** Latencies of calls of a kind, in milliseconds. */
export interface Row {
  readonly "quiet p50": number;
  readonly "quiet p99": number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  /** The 99th percentile under attack, as a multiple of the quiet one. */
  readonly ratio: number;
  readonly calls: number;
}

/** Returns the number below which a part of the numbers is. */
function quantile(times: readonly number[], part: number) {
  const sorted = times.toSorted((one, other) => one - other);
  return (
    Math.round(10 * (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)) /
    10
  );
}

/** Returns what an observer saw before and during an attack, by what it called. */
export function rowsOf(quiet: Observed, besieged: Observed): Readonly<Record<string, Row>> {
  const rows: Record<string, Row> = {};
  for (const [kind, before] of [
    ...Object.entries(quiet.times),
    ["all", Object.values(quiet.times).flat()] as const,
  ]) {
    const times =
      kind === "all" ? Object.values(besieged.times).flat() : (besieged.times[kind] ?? []);
    const [normal, p99] = [quantile(before, 0.99), quantile(times, 0.99)];
    rows[kind] = {
      "quiet p50": quantile(before, 0.5),
      "quiet p99": normal,
      p50: quantile(times, 0.5),
      p99,
      most: quantile(times, 1),
      ratio: Math.round((10 * p99) / normal) / 10,
      calls: times.length,
    };
  }
  return rows;
}
