import type { Issue } from "../../../generated/1.0/index.js";

/** Options of the side that reads, as `connect`, `A2AClient` and `createAgent` take them. */
export interface ReadingOptions {
  readonly strict?: boolean;
  readonly onDeviation?: (deviations: readonly Issue[], name: string) => unknown;
}

/**
 * Lets a peer send a form to the output. Returns what the application reads, or rejects if the form
 * is refused.
 */
export type Read = (options: ReadingOptions) => Promise<unknown>;

/** A tolerated form in one direction. */
export interface ToleranceCase {
  /** The peer sends the form. */
  readonly form: Read;
  /** The value that the application reads. */
  readonly reading: unknown;
  /** Forms that look like the tolerated form, by what they are. They are refused in any case. */
  readonly neighbours: Readonly<Record<string, Read>>;
}

/** A deviation from the specification that the output reads unless it is strict. */
export interface ToleranceRow {
  readonly id: string;
  /** A sentence: the accepted form, and how it is read. */
  readonly accepts: string;
  /** Peers that need the tolerance. */
  readonly peers: readonly string[];
  /** The section of the specification from which the form deviates. */
  readonly section: string;
  /** The versions in which peers send the form. */
  readonly versions: readonly string[];
  /** Cases of agents that read requests, by what they show. */
  readonly requests?: Readonly<Record<string, ToleranceCase>>;
  /** Cases of clients that read responses, by what they show. */
  readonly responses?: Readonly<Record<string, ToleranceCase>>;
}
