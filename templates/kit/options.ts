import type { CallContext } from "../runtime/server/context.js";
import type { Models } from "./model.js";
import type { LimitOptions } from "./limits/limits.js";
import type { PushOptions } from "./push/push-options.js";
import type { NamedUser, OwnerOf } from "./calls/scope.js";
import type { TaskStore } from "./store.js";
import type { RetentionOptions } from "./engine/sweep.js";
import type { Behavior } from "./turns/turn.js";
import type { Content } from "./turns/updates.js";

/**
 * Behavior and settings of a task service. All but `run` has a default. `User` is what turns get of a user, and `Caller`
 * what `authenticate` of the agent returns.
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
 * What turns get of a user. It has to be set unless the user is a string or number, has an `id` and nothing else that
 * turns read, or has an unknown type.
 */
export type RememberSetting<User, Caller> = unknown extends Caller
  ? { readonly remember?: Remember<User, Caller> }
  : [Remembered<Caller>] extends [User]
    ? { readonly remember?: Remember<User, Caller> }
    : { readonly remember: Remember<User, Caller> };

/**
 * Returns what turns get of a user, as JSON. It is stored with the messages of the user until the task ends, so leave out
 * tokens and other secrets that turns do not need. By default strings and numbers stay, and objects keep their `id`.
 */
export type Remember<User, Caller> = (caller: Caller) => User;

/** What is stored of a user without the option `remember`. */
export type Remembered<Caller> = Caller extends object
  ? Caller extends { readonly id: infer Id }
    ? { readonly id: Id }
    : undefined
  : Caller;

/** Whose tasks a user may see; it has to be said unless the user is a text, has a text `id`, or nobody knows its type. */
export type OwnerSetting<User> = unknown extends User
  ? { readonly owner?: OwnerOf<User> }
  : [User] extends [NamedUser]
    ? { readonly owner?: OwnerOf<User> }
    : { readonly owner: OwnerOf<User> };

/** How a task service works. */
export interface TaskServiceSettings<User = unknown, M extends Models = Models> {
  /** Where tasks are kept; in the memory of the process by default. */
  readonly store?: TaskStore;
  /** Times and sizes; each has a default. */
  readonly limits?: LimitOptions;
  /** How webhooks are posted to. They are called where the card declares push notifications. */
  readonly push?: PushOptions;
  /**
   * Returns the extended card for an authenticated caller. Without it there is no extended card. Anonymous callers are
   * refused; to refuse them with a message of your own, use `authorize` of the agent.
   */
  extendedCard?(context: CallContext<User>): M["AgentCard"] | Promise<M["AgentCard"]>;
  /**
   * Whether anonymous callers list the tasks of all anonymous callers of their tenant. By default they list the tasks of
   * a context whose id they send, and an empty page without one. Set it if all callers trust each other, such as behind
   * a proxy that authenticates them. `false` by default.
   */
  readonly anonymousLists?: boolean;
  /** Whether messages are refused that have parts of other media types than the card names; `true` by default. */
  readonly checkInputModes?: boolean;
  /**
   * Returns what the caller is told of a turn that failed: the message of the status. Without it, or if it returns
   * `undefined`, that is nothing. The error is reported to `onError` of the agent in any case.
   */
  readonly onFailure?: (error: unknown) => Content<M> | undefined;
  /**
   * Whether the stream of a sender ends where the task waits for the caller to sign in; `true` by default. With `false`
   * it stays open if the turn goes on, as subscriptions do.
   */
  readonly endStreamAtAuth?: boolean;
  /**
   * Whether a message counts once, however often it comes: one whose `messageId` a task of the caller has already gets
   * what came of it. One that is answered without a task is answered again, and where two processes get it in the same
   * moment, both may begin the turn until one of them is told. It takes another read of the store for each message, and
   * ids of tasks follow from those of the messages. A message of an anonymous caller that begins a task does not count
   * once, as another one could guess its id. `false` by default.
   */
  readonly onlyOnce?: boolean;
  /**
   * What becomes of a task whose process has ended while it worked: another process runs the turn again, or the task
   * fails. `"resume"` by default.
   */
  readonly afterCrash?: "resume" | "fail";
  /** How long a process may be silent until others take its tasks over, in milliseconds; 30 seconds by default. */
  readonly leaseMs?: number;
  /** How long tasks are kept that have ended; for ever by default, or as long as the store says. */
  readonly retention?: RetentionOptions;
  /** The clock: milliseconds since 1970. */
  readonly now?: () => number;
  /** Makes the ids of tasks, contexts and messages; random ones by default. */
  readonly newId?: () => string;
}
