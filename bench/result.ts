import { median, type Rounds } from "./clock.js";

/** The limits between which a median lies with a probability of about 95 %. */
export interface Spread {
  readonly low: number;
  readonly high: number;
}

/** One comparison of our output, or of the generator, with one peer. */
export interface Result {
  /** Short description of the measurement: area, document and task. */
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly peerName: string;
  /**
   * Ratio between our result and the result of the peer: the median of all rounds. Below 1, the
   * peer is better.
   */
  readonly ratio: number;
  /** Spread of the ratio. Absent for counts, which do not vary. */
  readonly spread?: Spread;
  /** Our result in each round. */
  readonly rounds: Rounds;
  /**
   * Unit of `ours` and `peer`. For rates (`/s`), more is better; for any other unit, less is
   * better.
   */
  readonly unit: string;
  /** Runtime of our side, such as a version of Node, if several are measured. */
  readonly runtime?: string;
  /** Load average of the machine during the measurement. */
  readonly load?: number;
}

/** A comparison that was not made. */
export interface Omission {
  /** Name of the result, or of what requires a peer. */
  readonly name: string;
  readonly peerName: string;
  readonly reason: string;
}

/** Results of several rounds, or of one measurement. */
export type Measured = Rounds | number;

/** Compares two rates in `unit`, which must end in `/s`. More is better. */
export function rate(
  name: string,
  ours: Measured,
  peerName: string,
  peer: Measured,
  unit = "/s",
): Result {
  return compared(name, ours, peerName, peer, unit);
}

/** Compares two amounts, such as times or sizes. Less is better. */
export function amount(
  name: string,
  ours: Measured,
  peerName: string,
  peer: Measured,
  unit: string,
): Result {
  return compared(name, ours, peerName, peer, unit);
}

/** Returns how many times `ours` is better than `peer`, in a unit. */
export function ratioOf(ours: number, peer: number, unit: string): number {
  return unit.endsWith("/s") ? ours / peer : peer / ours;
}

/**
 * Returns the spread of the median of some values, which need not have any distribution: the
 * interval between two of the sorted values that contains the median of all possible values with a
 * probability of 95 %, or of 94 % for five values. Returns `undefined` for fewer than five values.
 */
export function spreadOf(values: Rounds): Spread | undefined {
  const { length } = values;
  if (length < 5) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  // Each value is below the median with a probability of one half, as a coin shows one side.
  let tail = 2 ** -length;
  let choices = 1;
  let rank = 0;
  for (let next = 1; next <= length; next += 1) {
    choices = (choices * (length - next + 1)) / next;
    tail += choices * 2 ** -length;
    if (2 * tail > 0.05) break;
    rank = next;
  }
  return { low: sorted[rank] ?? NaN, high: sorted[length - 1 - rank] ?? NaN };
}

function compared(
  name: string,
  ours: Measured,
  peerName: string,
  peer: Measured,
  unit: string,
): Result {
  const [mine, others] = [roundsOf(ours), roundsOf(peer)];
  const ratios = mine.map((value, round) =>
    ratioOf(value, others[round] ?? others[0] ?? NaN, unit),
  );
  const spread = spreadOf(ratios);
  return {
    name,
    ours: median(mine),
    peer: median(others),
    peerName,
    ratio: median(ratios),
    rounds: mine,
    unit,
    ...(spread !== undefined && { spread }),
  };
}

function roundsOf(measured: Measured): Rounds {
  return typeof measured === "number" ? [measured] : measured;
}
