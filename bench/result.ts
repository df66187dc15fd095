/** One comparison of our output, or of the generator, with one peer. */
export interface Result {
  /** Short description of the measurement: area, document and task. */
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly peerName: string;
  /** Ratio between our result and the result of the peer. Below 1, the peer is better. */
  readonly ratio: number;
  /** Lowest and highest ratio of a round, if the rounds were compared one by one. */
  readonly spread?: readonly [low: number, high: number];
  /** Unit of `ours` and `peer`. For rates (`/s`), more is better; for any other unit, less is better. */
  readonly unit: string;
}

/** Compares two rates in `unit`, which must end in `/s`. More is better. */
export function rate(name: string, ours: number, peerName: string, peer: number, unit = "/s"): Result {
  return { name, ours, peer, peerName, ratio: ours / peer, unit };
}

/** Compares two amounts, such as times or sizes. Less is better. */
export function amount(name: string, ours: number, peerName: string, peer: number, unit: string): Result {
  return { name, ours, peer, peerName, ratio: peer / ours, unit };
}
