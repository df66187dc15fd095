import type { JsonObject } from "../../runtime/base/json.js";
import { type Artifact, type Message, type Models, TaskState } from "../model.js";
import type { ArtifactPiece } from "./artifact.js";
import { extended } from "../copy.js";

/** What a message says: a text, or parts. */
export type Content<M extends Models = Models> = string | readonly M["Part"][];

/** What goes with a status besides its content. */
export interface StatusOptions {
  /** Members for the `metadata` of the event, which also become members of the task's. */
  readonly metadata?: JsonObject;
  /** URIs of the extensions that the message follows. */
  readonly extensions?: readonly string[];
}

/** A new status of a task, as an author writes it: without ids and times. */
interface StatusChange<State extends TaskState, M extends Models> extends StatusOptions {
  readonly state: State;
  readonly content: readonly M["Part"][] | undefined;
}

/** Options of a status that leaves the turn at work. */
export interface ProgressOptions extends StatusOptions {
  /**
   * Whether callers that wait for the task are answered with it as it is now, as if they had asked not to wait. Streams
   * go on. A caller whose message came to another process while the turn was at work goes on waiting.
   */
  readonly respond?: boolean;
}

/** A status that leaves the turn at work. */
export interface Progress<M extends Models = Models> extends StatusChange<"TASK_STATE_WORKING", M> {
  readonly goesOn: true;
  readonly respond?: boolean;
}

/** A status that waits for the caller to sign in elsewhere. The turn may go on, or end with it. */
export interface AuthRequired<State = unknown, M extends Models = Models> extends StatusChange<
  "TASK_STATE_AUTH_REQUIRED",
  M
> {
  readonly goesOn: true;
  readonly ends: true;
  readonly checkpoint?: State;
}

/** How a turn ends that waits for the next message of the caller. */
export interface InputRequired<State = unknown, M extends Models = Models> extends StatusChange<
  "TASK_STATE_INPUT_REQUIRED",
  M
> {
  readonly ends: true;
  readonly checkpoint?: State;
}

/** How a turn ends that ends its task. */
export interface Ended<M extends Models = Models> extends StatusChange<
  "TASK_STATE_COMPLETED" | "TASK_STATE_FAILED" | "TASK_STATE_CANCELED" | "TASK_STATE_REJECTED",
  M
> {
  readonly ends: true;
}

/** What a turn yields while it is at work. */
export type Update<M extends Models = Models> = Progress<M> | AuthRequired<unknown, M> | ArtifactPiece<M>;

/** What a turn returns: how it ends. `State` is what it may keep for the next one. */
export type End<State = unknown, M extends Models = Models> =
  Ended<M> | InputRequired<State, M> | AuthRequired<State, M>;

/** The options of a status that the next turn follows. */
export interface InterruptOptions<State> extends StatusOptions {
  /** What the next turn of the task gets as its `state`. */
  readonly state?: State;
}

/** Says that the turn is at work, and what it is doing. */
export function working<M extends Models = Models>(content?: Content<M>, options?: ProgressOptions): Progress<M> {
  const progress = extended(change(TaskState.Working, content, options), { goesOn: true } as const);
  return options?.respond === true ? extended(progress, { respond: true }) : progress;
}

/** Ends the task: it is done. */
export function completed<M extends Models = Models>(content?: Content<M>, options?: StatusOptions): Ended<M> {
  return extended(change(TaskState.Completed, content, options), { ends: true });
}

/** Ends the task: it could not be done. The content is for the caller, so it should not quote an exception. */
export function failed<M extends Models = Models>(content?: Content<M>, options?: StatusOptions): Ended<M> {
  return extended(change(TaskState.Failed, content, options), { ends: true });
}

/** Ends the task: the agent does not do such things. */
export function rejected<M extends Models = Models>(content?: Content<M>, options?: StatusOptions): Ended<M> {
  return extended(change(TaskState.Rejected, content, options), { ends: true });
}

/** Ends the task: it was called off. What a turn returns after its `signal` has fired becomes this one anyway. */
export function canceled<M extends Models = Models>(content?: Content<M>, options?: StatusOptions): Ended<M> {
  return extended(change(TaskState.Canceled, content, options), { ends: true });
}

/** Ends the turn with a question. The next message of the caller begins the next turn, which gets `state`. */
export function inputRequired<State = never, M extends Models = Models>(
  content?: Content<M>,
  options?: InterruptOptions<State>,
): InputRequired<State, M> {
  return { ...change(TaskState.InputRequired, content, options), ends: true, ...checkpointOf(options) };
}

/**
 * Asks the caller to sign in elsewhere. Yielded, the turn goes on, while a caller that waits is answered; returned, the
 * turn ends, and the next message begins another one, which gets `state`.
 */
export function authRequired<State = never, M extends Models = Models>(
  content?: Content<M>,
  options?: InterruptOptions<State>,
): AuthRequired<State, M> {
  return {
    ...change(TaskState.AuthRequired, content, options),
    goesOn: true,
    ends: true,
    ...checkpointOf(options),
  };
}

/**
 * Returns the texts of a message or an artifact. Each text of a message is a line of its own. Adjacent texts of an artifact
 * are joined without a separator: they are the pieces that it was streamed in, such as the tokens of a model.
 */
export function textOf(from: Pick<Message | Artifact, "parts">): string {
  const isArtifact = "artifactId" in from;
  let result = "";
  let separator = "";
  for (const { text } of from.parts) {
    if (text === undefined) {
      if (result !== "") separator = "\n";
      continue;
    }
    result += separator + text;
    separator = isArtifact ? "" : "\n";
  }
  return result;
}

/** Returns content as parts. */
export function partsOf<M extends Models = Models>(content: Content<M>): readonly M["Part"][] {
  // Every version has parts that are only a text.
  return typeof content === "string" ? [{ text: content }] : content;
}

function change<State extends TaskState, M extends Models>(
  state: State,
  content: Content<M> | undefined,
  options?: StatusOptions,
): StatusChange<State, M> {
  const parts: readonly M["Part"][] | undefined = content === undefined ? undefined : partsOf(content);
  if (options === undefined) return { state, content: parts };
  const { metadata, extensions } = options;
  return {
    state,
    content: parts,
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions }),
  };
}

function checkpointOf<State>(options: InterruptOptions<State> | undefined): { readonly checkpoint?: State } {
  return options?.state === undefined ? {} : { checkpoint: options.state };
}
