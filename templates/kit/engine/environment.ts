import type { Accounts } from "../limits/accounts.js";
import type { ServiceFacts } from "../kit-facts.js";
import type { Limits } from "../limits/limits.js";
import type { Behavior } from "../turns/turn.js";
import type { Content } from "../turns/updates.js";
import type { Claim, TaskStore } from "../store.js";

/** What all parts of a task service work with. */
export interface Environment {
  readonly store: TaskStore;
  /** The rules of the version of the agent. */
  readonly facts: ServiceFacts;
  readonly behavior: Behavior;
  /** How this process claims tasks. */
  readonly claim: Claim;
  readonly limits: Limits;
  /** Counts what each owner of tasks has. */
  readonly accounts: Accounts;
  /** Whether a turn runs again whose process has ended; its task fails otherwise. */
  readonly resumes: boolean;
  /** Whether the stream of a sender ends where the task waits for the caller to sign in, also if the turn goes on. */
  readonly endsAtAuth: boolean;
  /** Returns what a caller is told of a turn that threw, if anything. Never throws. */
  readonly failureOf: (thrown: unknown) => Content | undefined;
  /** The time: milliseconds since 1970. */
  readonly now: () => number;
  /** Returns an id that nothing else has. */
  readonly newId: () => string;
  /** Reports what no caller is told; never throws. */
  readonly report: (error: unknown) => void;
}
