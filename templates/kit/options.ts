import type { CallContext } from "../runtime/server/context.js";
import type { Models } from "./model.js";
import type { LimitOptions } from "./limits/limits.js";
import type { PushOptions } from "./push/push-options.js";
import type { NamedUser, OwnerOf } from "./calls/scope.js";
import type { TaskStore } from "./store.js";
import type { RetentionOptions } from "./engine/cleanup.js";
import type { Behavior } from "./turns/turn.js";
import type { AuditEvent } from "./observe/audit.js";
import type { Tracing } from "./observe/tracing.js";
import type { Content } from "./turns/updates.js";

/**
 * Behavior and settings of a task service. Only `run` is required, unless the type of the user also requires `remember`
 * or `owner`. `User` is the type of the user that turns receive, and `Caller` the type that the agent's `authenticate`
 * returns.
 */
export type TaskServiceOptions<User = unknown, State = unknown, Caller = User, M extends Models = Models> = Behavior<
  User,
  State,
  M
> &
  TaskServiceSettings<Caller, M> &
  OwnerSetting<Caller> &
  RememberSetting<User, Caller>;

/**
 * The user data that turns receive. `remember` is optional if the user is a string or a number, if it has an `id` and
 * turns only read the `id`, or if its type is unknown.
 */
export type RememberSetting<User, Caller> = unknown extends Caller
  ? { readonly remember?: Remember<User, Caller> }
  : [Remembered<Caller>] extends [User]
    ? { readonly remember?: Remember<User, Caller> }
    : { readonly remember: Remember<User, Caller> };

/**
 * Returns the user data that turns receive, as JSON. It is stored with the messages of the user until the task ends, so
 * omit tokens and other secrets that turns do not need. By default, a string or a number is stored unchanged, and only
 * the `id` of an object is stored.
 */
export type Remember<User, Caller> = (caller: Caller) => User;

/** User data that is stored if the option `remember` is absent. */
export type Remembered<Caller> = Caller extends object
  ? Caller extends { readonly id: infer Id }
    ? { readonly id: Id }
    : undefined
  : Caller;

/**
 * The owner of a user's tasks. `owner` is optional if the user is a string, if it has a string `id`, or if its type is
 * unknown.
 */
export type OwnerSetting<User> = unknown extends User
  ? { readonly owner?: OwnerOf<User> }
  : [User] extends [NamedUser]
    ? { readonly owner?: OwnerOf<User> }
    : { readonly owner: OwnerOf<User> };

/** Settings of a task service. */
export interface TaskServiceSettings<User = unknown, M extends Models = Models> {
  /** Store of the tasks; by default, the memory of the process. */
  readonly store?: TaskStore;
  /** Limits for times and sizes. Each limit has a default. */
  readonly limits?: LimitOptions;
  /** Options for posting to webhooks. Webhooks are called only if the agent card declares push notifications. */
  readonly push?: PushOptions;
  /**
   * Returns the extended agent card for an authenticated caller. If it is absent, the agent has no extended card.
   * Anonymous callers are rejected. To reject them with your own message, use the agent's `authorize`.
   */
  extendedCard?(context: CallContext<User>): M["AgentCard"] | Promise<M["AgentCard"]>;
  /**
   * Whether anonymous callers can list the tasks of all anonymous callers of their tenant. By default, an anonymous
   * caller can list only the tasks of a context whose id it sends, and gets an empty page without a context id. Set
   * this option only if all callers trust each other, for example behind a proxy that authenticates them. `false` by
   * default.
   */
  readonly anonymousLists?: boolean;
  /** Whether messages with parts of other media types than the agent card declares are rejected; `true` by default. */
  readonly checkInputModes?: boolean;
  /**
   * Returns the content of the status message that the caller receives if a turn fails. If it is absent or returns
   * `undefined`, the status has no message. The error is reported to the agent's `onError` in any case.
   */
  readonly onFailure?: (error: unknown) => Content<M> | undefined;
  /**
   * Whether the stream of a sender ends when the task waits for the caller to sign in; `true` by default. If it is
   * `false`, the stream stays open while the turn continues, as subscriptions do.
   */
  readonly endStreamAtAuth?: boolean;
  /**
   * Whether repeated messages are deduplicated: a message whose `messageId` already belongs to a task of the caller
   * returns the result of the first message. Deduplication has limits. If the agent replies to a message without a
   * task, it also replies to the repeated message. If two processes receive the message at the same moment, both may
   * begin the turn, and one of them is stopped. Each message requires an additional read of the store, and task ids are
   * derived from message ids. If a message of an anonymous caller begins a task, it is not deduplicated, because
   * another anonymous caller could guess its id. `false` by default.
   */
  readonly deduplicate?: boolean;
  /** Whether another process resumes a turn after its process has ended, or the task fails. `"resume"` by default. */
  readonly afterCrash?: "resume" | "fail";
  /**
   * Milliseconds after which other processes may claim the tasks of a process that does not renew its leases; 30
   * seconds by default.
   */
  readonly leaseMs?: number;
  /** How long ended tasks are kept; by default forever, or as long as the store defines. */
  readonly retention?: RetentionOptions;
  /** Connects turns and webhooks to the traces of their calls, such as the `tasks` of `openTelemetry`. */
  readonly tracing?: Tracing;
  /**
   * Receives each change of a task and its caller, after the change is stored: created tasks, messages, cancellations,
   * deletions, webhooks, and tasks that this process claims. Errors thrown by this callback are reported to the agent's
   * `onError`.
   */
  audit?(event: AuditEvent<User>): unknown;
  /** Clock: returns milliseconds since 1970. */
  readonly now?: () => number;
  /** Creates the ids of tasks, contexts and messages; random by default. */
  readonly newId?: () => string;
}
