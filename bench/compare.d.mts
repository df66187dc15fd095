import type { Result, Spread } from "./result.js";

/** A change of a result between two commits. */
export interface Change extends Spread {
  readonly name: string;
  readonly unit: string;
  readonly before: number;
  readonly after: number;
  /** Factor by which the result has become better. */
  readonly factor: number;
  readonly isCertain: boolean;
}

/** The functions that compute results. */
export interface Statistics {
  readonly ratioOf: (ours: number, peer: number, unit: string) => number;
  readonly spreadOf: (values: readonly number[]) => Spread | undefined;
  readonly median: (values: readonly number[]) => number;
}

/** Returns the changes of our results between two commits. */
export function changesOf(
  before: readonly Result[],
  after: readonly Result[],
  statistics: Statistics,
): Change[];
