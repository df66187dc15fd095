import type { JsonObject } from "../../runtime/base/json.js";
import { type Message, type Models, Role, TaskState } from "../model.js";
import { Inbox } from "../engine/inbox.js";
import { untilAborted } from "../turns/context.js";
import type { Behavior, Cancellation, Incoming, Turn } from "../turns/turn.js";
import { type Content, type End, partsOf, type Update } from "../turns/updates.js";

export type { Behavior } from "../turns/turn.js";

/** What a turn in a test begins with. All has a default. */
export interface TurnInput<User = unknown, State = unknown, M extends Models = Models> extends Partial<
  Omit<Incoming<User, M>, "message" | "activateExtension">
> {
  /** What the caller says; empty by default. */
  readonly content?: Content<M>;
  /** More of the message, or other ids than `message-1`. */
  readonly message?: Partial<M["Message"]>;
  /** More of the task, or other ids than `task-1` and `context-1`. */
  readonly task?: Partial<M["Task"]>;
  /** What an earlier turn has kept. */
  readonly state?: State | undefined;
  readonly resumed?: boolean;
  /** What `references` and `related` return. */
  readonly references?: readonly M["Task"][];
  readonly related?: readonly M["Task"][];
}

/** A turn for a test, with what the test does to it, and what it has done. */
export interface TestTurn<User = unknown, State = unknown, M extends Models = Models> extends Turn<User, State, M> {
  /** The updates that were emitted, and those that {@link playTurn} has seen, in their order. */
  readonly updates: readonly Update<M>[];
  /** The states that were kept, in their order. */
  readonly checkpoints: readonly State[];
  /** Sends a message to the turn at work. */
  send(content: Content<M>): void;
  /** URIs of the extensions that were activated, in their order. */
  readonly activated: readonly string[];
  /** Cancels the task: fires the signal. */
  cancel(metadata?: JsonObject): void;
}

/** What came of a turn. */
export interface PlayedTurn<State = unknown, M extends Models = Models> {
  /** What the turn has yielded and emitted. */
  readonly updates: readonly Update<M>[];
  /** What it has returned. */
  readonly end: End<State, M>;
}

/**
 * Returns a turn, so that a test can iterate what an agent does, without a server and a store. The user is `undefined`
 * where none is given.
 *
 * @example
 * for await (const update of behavior.run(turnFor("Tea"))) console.log(update);
 */
export function turnFor<User = unknown, State = unknown, M extends Models = Models>(
  input: string | TurnInput<User, State, M> = {},
): TestTurn<User, State, M> {
  const given: TurnInput<User, State> = typeof input === "string" ? { content: input } : input;
  const controller = new AbortController();
  const { signal } = controller;
  const inbox = new Inbox([], { signal: () => signal, taken: nothing });
  const begins = beginningOf(given);
  const ids = { taskId: begins.task.id, contextId: begins.task.contextId };
  const updates: Update[] = [];
  const checkpoints: State[] = [];
  const activated: string[] = [];
  let cancellation: Cancellation | undefined;
  let count = 1;
  const turn: TestTurn<User, State> = {
    ...begins,
    signal,
    updates,
    checkpoints,
    activated,
    activateExtension: (uri) => void activated.push(uri),
    cancellation: () => cancellation,
    pending: inbox.of({ isOver: false }, ids),
    race: (promise) => untilAborted(promise, signal),
    emit: (update) => Promise.resolve(void updates.push(update)),
    checkpoint: (state) => Promise.resolve(void checkpoints.push(state)),
    references: () => Promise.resolve(given.references ?? []),
    related: (limit) => Promise.resolve((given.related ?? []).slice(0, limit)),
    send(content) {
      const id = `message-${String((count += 1))}`;
      inbox.update([...inbox.items, { id, message: messageOf(content, id, ids) }]);
    },
    cancel(metadata = {}) {
      cancellation ??= { metadata };
      controller.abort(new DOMException("The task was canceled", "AbortError"));
    },
  };
  // A test gets back what it has given.
  return turn as unknown as TestTurn<User, State, M>;
}

/** Runs a turn to its end. Rejects with what the turn throws. */
export async function playTurn<User, State, M extends Models = Models>(
  behavior: Pick<Behavior<User, State, M>, "run">,
  turn: TestTurn<User, State, M>,
): Promise<PlayedTurn<State, M>> {
  const generator = behavior.run(turn);
  for (;;) {
    const step = await generator.next();
    if (step.done === true) return { updates: turn.updates, end: step.value };
    await turn.emit(step.value);
  }
}

/** What a turn begins with, as far as nothing else is said. */
function beginningOf<User, State>(input: TurnInput<User, State>) {
  const { user, tenant, extensions = [], acceptedOutputModes = [], metadata, version, state, resumed = false } = input;
  const { id = "task-1", contextId = "context-1" } = input.task ?? {};
  const message = { ...messageOf(input.content ?? [], "message-1", { taskId: id, contextId }), ...input.message };
  const status = { state: TaskState.Submitted, timestamp: "2026-01-01T00:00:00Z" };
  const task = { status, history: [message], ...input.task, id, contextId };
  // A test that gives no user does without one.
  return {
    message,
    task,
    user: user as User,
    tenant,
    extensions,
    acceptedOutputModes,
    metadata,
    version,
    state,
    resumed,
  };
}

function messageOf(content: Content, messageId: string, ids: Required<Pick<Message, "taskId" | "contextId">>): Message {
  return { messageId, role: Role.User, parts: [...partsOf(content)], ...ids };
}

const nothing = (): void => undefined;
