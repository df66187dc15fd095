import type { CallContext } from "../runtime/server/context.js";
import type { AgentCard } from "./model.js";
import type { LimitOptions } from "./limits/limits.js";
import type { PushOptions } from "./push/push-options.js";
import type { NamedUser, OwnerOf } from "./calls/scope.js";
import type { TaskStore } from "./store.js";
import type { RetentionOptions } from "./engine/cleanup.js";
import type { Behavior } from "./turns/turn.js";
import type { AuditEvent } from "./observe/audit.js";
import type { TaskEnd } from "./observe/task-end.js";
import type { Tracing } from "./observe/tracing.js";
import type { Content } from "./turns/updates.js";

/**
 * Behavior and settings of a task service. Only `run` is required, unless the type of the user also
 * requires `remember` or `owner`. `User` is the type of the user that turns receive, and `Caller`
 * the type that the agent's `authenticate` returns.
 */
export type TaskServiceOptions<User = unknown, State = unknown, Caller = User> = Behavior<
  User,
  State
> &
  TaskServiceSettings<Caller> &
  OwnerSetting<Caller> &
  RememberSetting<User, Caller>;

/**
 * The option `remember`. It is optional if the user is a string or a number, if the user has an
 * `id` and turns only read the `id`, or if the type of the user is unknown.
 */
export type RememberSetting<User, Caller> = unknown extends Caller
  ? { readonly remember?: Remember<User, Caller> }
  : [Remembered<Caller>] extends [User]
    ? { readonly remember?: Remember<User, Caller> }
    : { readonly remember: Remember<User, Caller> };

/**
 * Returns the user data that turns receive, as JSON. It is stored with the messages of the user
 * until the task ends, so omit tokens and other secrets that turns do not use. By default, a string
 * or a number is stored unchanged, and only the `id` of an object is stored.
 */
export type Remember<User, Caller> = (caller: Caller) => User;

/** User data that is stored if the option `remember` is absent. */
export type Remembered<Caller> = Caller extends object
  ? Caller extends { readonly id: infer Id }
    ? { readonly id: Id }
    : undefined
  : Caller;

/**
 * The option `owner`. It is optional if the user is a string, if the user has a string `id`, or if
 * the type of the user is unknown.
 */
export type OwnerSetting<User> = unknown extends User
  ? { readonly owner?: OwnerOf<User> }
  : [User] extends [NamedUser]
    ? { readonly owner?: OwnerOf<User> }
    : { readonly owner: OwnerOf<User> };

/** Settings of a task service. */
export interface TaskServiceSettings<User = unknown> {
  /** Store of the tasks; by default, the memory of the process. */
  readonly store?: TaskStore;
  /** Limits for times and sizes. Each limit has a default. */
  readonly limits?: LimitOptions;
  /**
   * Options for posting to webhooks. Webhooks are called only if the agent card declares push
   * notifications.
   */
  readonly push?: PushOptions;
  /**
   * Returns the extended agent card for an authenticated caller. Without this option, the agent has
   * no extended card. Anonymous callers are rejected. To reject them with your own message, use the
   * agent's `authorize`.
   */
  extendedCard?(context: CallContext<User>): AgentCard | Promise<AgentCard>;
  /**
   * Whether anonymous callers can list the tasks of all anonymous callers of their tenant. By
   * default, an anonymous caller can list only the tasks of a context whose id it sends, and gets
   * an empty page without a context id. Set this option only if all callers trust each other, for
   * example behind a proxy that authenticates them. `false` by default.
   */
  readonly anonymousLists?: boolean;
  /**
   * Whether messages are rejected if a part has a media type that the agent card does not declare;
   * `true` by default.
   */
  readonly checkInputModes?: boolean;
  /**
   * Returns the content of the status message that the caller receives if a turn fails. If this
   * function is absent or returns `undefined`, the status has no message. In any case, the error is
   * reported to the agent's `onError`.
   */
  readonly onFailure?: (error: unknown) => Content | undefined;
  /**
   * Whether the stream of a sender ends when the task waits for the caller to sign in; `true` by
   * default. With `false`, the stream stays open while the turn continues or sleeps, like a
   * subscription.
   */
  readonly endStreamAtAuth?: boolean;
  /**
   * Whether repeated messages are deduplicated: if the `messageId` of a message already belongs to
   * a task of the caller, the call returns the result of the first message. Deduplication has
   * limits. A message to which the agent replies without a task is not deduplicated: the agent
   * replies again. If two processes receive the message at the same moment, both may begin the
   * turn, and one of them is stopped. Each message requires an additional read of the store, and
   * task ids are derived from message ids. A message that begins a task of an anonymous caller is
   * not deduplicated, because another anonymous caller could guess its id. `false` by default.
   */
  readonly deduplicate?: boolean;
  /**
   * Whether turns may continue after the response to their message; `true` by default. With
   * `false`, a caller gets its response when the task ends or pauses, even if it requests
   * `returnImmediately`. Set it to `false` on platforms that stop the work of a request after its
   * response, such as edge workers.
   */
  readonly backgroundTurns?: boolean;
  /**
   * Whether a turn whose process has ended is resumed by another process, or its task fails;
   * `"resume"` by default.
   */
  readonly afterCrash?: "resume" | "fail";
  /**
   * Milliseconds after which other processes may claim the tasks of a process that does not renew
   * its leases; 30 seconds by default.
   */
  readonly leaseMs?: number;
  /**
   * Rules for how long ended tasks are kept. By default, the store's own rules apply; a store
   * without rules keeps tasks forever.
   */
  readonly retention?: RetentionOptions;
  /**
   * Connects turns and webhooks to the traces of their calls. With OpenTelemetry, pass `tasks` of
   * `openTelemetry`.
   */
  readonly tracing?: Tracing;
  /**
   * Receives each change to a task, with its caller, after the change is stored: created tasks,
   * messages, cancellations, deletions, webhooks, and tasks that this process claims. Errors thrown
   * by this callback are reported to the agent's `onError`.
   */
  audit?(event: AuditEvent<User>): unknown;
  /**
   * Receives the end of each task, after it is stored, in the process whose turn ended the task. It
   * is called at most once for a task: if this process is killed between the write and the call, it
   * is not called at all. Errors thrown by this callback are reported to the agent's `onError`.
   */
  onTaskEnd?(event: TaskEnd): unknown;
  /** Returns the current time in milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
  /** Creates the ids of tasks, contexts and messages; random by default. */
  readonly newId?: () => string;
}
