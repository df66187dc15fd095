import type { JsonObject } from "../../runtime/base/json.js";
import { type Message, Role, type Task, TaskState } from "../model.js";
import { Inbox } from "../turns/inbox.js";
import { untilAborted } from "../turns/until-aborted.js";
import type { Behavior, Cancellation, Incoming, ContextTask, Turn } from "../turns/turn.js";
import { type Content, type End, partsOf, type Update } from "../turns/updates.js";

export type { Behavior } from "../turns/turn.js";

/** Options for {@link turnFor}. All options have defaults. */
export interface TurnInput<User = unknown, State = unknown> extends Partial<
  Omit<Incoming<User>, "message" | "activateExtension">
> {
  /** Content of the caller's message; empty by default. */
  readonly content?: Content;
  /** Additional fields of the message, which can also replace the id `message-1`. */
  readonly message?: Partial<Message>;
  /** Additional fields of the task, which can also replace its ids `task-1` and `context-1`. */
  readonly task?: Partial<Task>;
  /** State that an earlier turn has saved. */
  readonly state?: State | undefined;
  /**
   * The turn that has saved the state: `"this"` by default if `resumed` is set, otherwise
   * `"earlier"`.
   */
  readonly saved?: "earlier" | "this";
  readonly resumed?: boolean;
  readonly early?: boolean;
  /** The event that has woken the task; by default, the task was not asleep. */
  readonly woken?: Turn["woken"];
  /** Tasks that `referencedTasks` of the turn returns. */
  readonly referencedTasks?: readonly Task[];
  /** Tasks that `contextTasks` of the turn returns, with their states if they have any. */
  readonly contextTasks?: readonly (Task | ContextTask<State>)[];
}

/** A turn for a test. The test can send messages to the turn, cancel it, and read its results. */
export interface TestTurn<User = unknown, State = unknown> extends Turn<User, State> {
  /**
   * Updates that the turn has emitted, and updates that it has yielded to {@link playTurn}, in
   * order.
   */
  readonly updates: readonly Update[];
  /** Saved checkpoints, in order. */
  readonly checkpoints: readonly State[];
  /** Sends a message to the running turn. */
  send(content: Content): void;
  /** URIs of the activated extensions, in order. */
  readonly activated: readonly string[];
  /** Cancels the task, which aborts the turn's signal. */
  cancel(metadata?: JsonObject): void;
}

/** Result of a turn. */
export interface PlayedTurn<State = unknown> {
  /** Updates that the turn has yielded or emitted. */
  readonly updates: readonly Update[];
  /** Return value of the turn. */
  readonly end: End<State>;
}

/**
 * Returns a turn, so that a test can iterate over the updates of an agent without a server and a
 * store. The user is `undefined` unless `user` is set.
 *
 * @example
 * for await (const update of behavior.run(turnFor("Tea"))) console.log(update);
 */
export function turnFor<User = unknown, State = unknown>(
  input: string | TurnInput<User, State> = {},
): TestTurn<User, State> {
  const given: TurnInput<User, State> = typeof input === "string" ? { content: input } : input;
  const controller = new AbortController();
  const { signal } = controller;
  const inbox = new Inbox([], { signal: () => signal, taken: nothing });
  const beginning = beginningOf(given);
  const ids = { taskId: beginning.task.id, contextId: beginning.task.contextId };
  const updates: Update[] = [];
  const checkpoints: State[] = [];
  const activated: string[] = [];
  let cancellation: Cancellation | undefined;
  let count = 1;
  const turn: TestTurn<User, State> = {
    ...beginning,
    signal,
    updates,
    checkpoints,
    activated,
    activateExtension: (uri) => void activated.push(uri),
    cancellation: () => cancellation,
    pending: inbox.of({ isOver: false }, ids),
    untilAborted: (promise) => untilAborted(promise, signal),
    emit: (update) => Promise.resolve(void updates.push(update)),
    checkpoint: (state) => Promise.resolve(void checkpoints.push(state)),
    referencedTasks: () => Promise.resolve(given.referencedTasks ?? []),
    contextTasks: contextTasksOf(given.contextTasks),
    send(content) {
      const id = `message-${String((count += 1))}`;
      inbox.update([...inbox.items, { id, message: messageOf(content, id, ids) }]);
    },
    cancel(metadata = {}) {
      cancellation ??= { metadata };
      controller.abort(new DOMException("The task was canceled", "AbortError"));
    },
  };
  // The values have the types that the test has passed.
  return turn;
}

/**
 * Runs a turn to its end, and returns its updates and its result.
 * @throws The error that the turn throws.
 */
export async function playTurn<User, State>(
  behavior: Pick<Behavior<User, State>, "run">,
  turn: TestTurn<User, State>,
): Promise<PlayedTurn<State>> {
  const generator = behavior.run(turn);
  for (;;) {
    const step = await generator.next();
    if (step.done === true) return { updates: turn.updates, end: step.value };
    await turn.emit(step.value);
  }
}

/** Returns the fields of a turn, with defaults for absent options. */
function beginningOf<User, State>(input: TurnInput<User, State>) {
  const {
    user,
    owner = "",
    tenant,
    extensions = [],
    acceptedOutputModes = [],
    metadata,
    version,
  } = input;
  const { state, resumed = false, early = false, saved = resumed ? "this" : "earlier" } = input;
  const { id = "task-1", contextId = "context-1" } = input.task ?? {};
  const message = {
    ...messageOf(input.content ?? [], "message-1", { taskId: id, contextId }),
    ...input.message,
  };
  const status = { state: TaskState.Submitted, timestamp: "2026-01-01T00:00:00Z" };
  const task = { status, history: [message], ...input.task, id, contextId };
  // Without the option `user`, the user is `undefined`, even if the type of the user excludes
  // `undefined`.
  return {
    message,
    task,
    user: user as User,
    owner,
    tenant,
    extensions,
    acceptedOutputModes,
    metadata,
    version,
    state,
    saved: state === undefined ? undefined : saved,
    resumed,
    early,
    woken: input.woken,
  };
}

/** Returns the function `contextTasks` of a turn for the given tasks. */
function contextTasksOf<State>(
  given: readonly (Task | ContextTask<State>)[] = [],
): Turn<unknown, State>["contextTasks"] {
  const all = given.map((entry) => ("task" in entry ? entry : { task: entry, state: undefined }));
  const contextTasks = (limit?: number, options?: { readonly states: true }) => {
    const some = all.slice(0, limit);
    return Promise.resolve(options?.states === true ? some : some.map(({ task }) => task));
  };
  return contextTasks as Turn<unknown, State>["contextTasks"];
}

function messageOf(
  content: Content,
  messageId: string,
  ids: Required<Pick<Message, "taskId" | "contextId">>,
): Message {
  return { messageId, role: Role.User, parts: [...partsOf(content)], ...ids };
}

const nothing = (): void => undefined;
