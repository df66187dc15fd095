import { roundedQuantile } from "../../support/quantile.js";
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

/** Returns a quantile of times, with one decimal digit. */
function quantileOf(times: readonly number[], part: number) {
  return roundedQuantile(times, part, 1);
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
    const [normal, p99] = [quantileOf(before, 0.99), quantileOf(times, 0.99)];
    rows[kind] = {
      "quiet p50": quantileOf(before, 0.5),
      "quiet p99": normal,
      p50: quantileOf(times, 0.5),
      p99,
      most: quantileOf(times, 1),
      ratio: Math.round((10 * p99) / normal) / 10,
      calls: times.length,
    };
  }
  return rows;
}
