import { setTimeout } from "node:timers/promises";

/** The clock and ids of an agent, which tests can replace. */
export interface Environment {
  /** Returns the current time. */
  readonly now: () => Date;
  /** Returns a new id for a task, a context, a message, an artifact or a webhook. */
  readonly newId: () => string;
  /** Waits for some milliseconds. Rejects as soon as `signal` is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** The clock of the machine, and random ids. */
export const realEnvironment: Environment = {
  now: () => new Date(),
  newId: () => crypto.randomUUID(),
  pause: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
};
