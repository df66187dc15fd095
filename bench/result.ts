/** One comparison of our output, or of the generator, with one peer. */
export interface Result {
  /** What was measured: area, document and task, in a few words. */
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly peerName: string;
  /** How many times better we are than the peer; below 1 the peer is better. */
  readonly ratio: number;
  /** What `ours` and `peer` count: `/s` is a rate, where more is better; of anything else less is. */
  readonly unit: string;
}

/** Compares two rates in `unit`, which has to end in `/s`: more is better. */
export function rate(name: string, ours: number, peerName: string, peer: number, unit = "/s"): Result {
  return { name, ours, peer, peerName, ratio: ours / peer, unit };
}

/** Compares two amounts, such as times or sizes: less is better. */
export function amount(name: string, ours: number, peerName: string, peer: number, unit: string): Result {
  return { name, ours, peer, peerName, ratio: peer / ours, unit };
}
