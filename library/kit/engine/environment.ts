import type { Accounts } from "../limits/accounts.js";
import type { ServiceFacts } from "../kit-facts.js";
import type { Limits } from "../limits/limits.js";
import type { AuditEvent } from "../observe/audit.js";
import type { TaskEnd } from "../observe/task-end.js";
import type { Tracing } from "../observe/tracing.js";
import type { Responder } from "../extensions/extension.js";
import type { Behavior } from "../turns/turn.js";
import type { Content } from "../turns/updates.js";
import type { Claim, TaskStore } from "../store.js";

/** Dependencies and settings that all parts of a task service share. */
export interface Environment {
  readonly store: TaskStore;
  /** Facts about the agent's protocol version. */
  readonly facts: ServiceFacts;
  readonly behavior: Behavior;
  /** Name of this process as a lease holder, and the duration of its leases. */
  readonly claim: Claim;
  readonly limits: Limits;
  /** Usage accounts of the owners of tasks. */
  readonly accounts: Accounts;
  /** Whether a turn is resumed after its process has ended. Otherwise, its task fails. */
  readonly resumes: boolean;
  /**
   * Whether the stream of a sent message ends when the task waits for the caller to sign in, even
   * if the turn continues.
   */
  readonly endsAtAuth: boolean;
  /**
   * Returns the content that the caller receives if a turn throws; may be `undefined`. Never
   * throws.
   */
  readonly failureOf: (thrown: unknown) => Content | undefined;
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Returns a unique id. */
  readonly newId: () => string;
  /** Extensions that add values to messages and artifacts from turns. */
  readonly responders: readonly Responder[];
  /** Connects turns and webhooks to the traces of their calls. */
  readonly tracing: Tracing | undefined;
  /** Reports a change to a task; never throws. */
  readonly audit: ((event: AuditEvent) => void) | undefined;
  /** Reports the end of a task; never throws. */
  readonly ended: ((event: TaskEnd) => void) | undefined;
  /** Reports an error that no caller receives, and the task that it is about; never throws. */
  readonly report: (error: unknown, subject?: { readonly taskId: string }) => void;
}
