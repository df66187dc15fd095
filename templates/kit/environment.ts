import type { Behavior } from "./turn.js";
import type { Claim, TaskStore } from "./store.js";

/** What all parts of a task service work with. */
export interface Environment {
  readonly store: TaskStore;
  readonly behavior: Behavior;
  /** How this process claims tasks. */
  readonly claim: Claim;
  readonly limits: Limits;
  /** Whether a turn runs again whose process has ended; its task fails otherwise. */
  readonly resumes: boolean;
  /** The time: milliseconds since 1970. */
  readonly now: () => number;
  /** Returns an id that nothing else has. */
  readonly newId: () => string;
  /** Reports what no caller is told; never throws. */
  readonly report: (error: unknown) => void;
}

/** The limits of a task service. Times are in milliseconds. */
export interface Limits {
  /** How long a turn may still work when its task is canceled; 5 seconds by default. */
  readonly cancelWithinMs: number;
  /** How long a turn may take in all; without end by default. A turn that takes longer fails its task. */
  readonly turnWithinMs: number;
  /** Updates of one turn that wait for the store at most, before the turn has to wait; 100 by default. */
  readonly maxQueue: number;
  /** Messages that wait for a turn of one task at most; 100 by default. */
  readonly maxPending: number;
  /**
   * How often in a row a turn is resumed without an event of it; 10 by default. Whatever ends the processes that work on
   * it, the task fails then.
   */
  readonly maxResumes: number;
  /**
   * How many tasks of ended processes this process takes over each time it looks for them, about once a second; 500 by
   * default. Other processes, or the next look, take over the rest.
   */
  readonly maxTakeovers: number;
  /** How long a request waits for a task to change, where it asks for that; 30 seconds by default. */
  readonly pollWithinMs: number;
}

/** The limits that hold where none is given. */
export const defaultLimits: Limits = {
  cancelWithinMs: 5_000,
  turnWithinMs: Infinity,
  maxQueue: 100,
  maxPending: 100,
  maxResumes: 10,
  maxTakeovers: 500,
  pollWithinMs: 30_000,
};
