/** What an agent takes from outside, so that tests can decide it. */
export interface Environment {
  /** The time of everything that happens. */
  readonly now: () => Date;
  /** A new id for a task, a context, a message, an artifact or a webhook. */
  readonly newId: () => string;
}

/** The clock of the machine, and random ids. */
export const realEnvironment: Environment = { now: () => new Date(), newId: () => crypto.randomUUID() };
