import { setTimeout } from "node:timers/promises";

/** What an agent takes from outside, so that tests can decide it. */
export interface Environment {
  /** The time of everything that happens. */
  readonly now: () => Date;
  /** A new id for a task, a context, a message, an artifact or a webhook. */
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
