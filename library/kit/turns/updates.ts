import type { JsonObject, JsonValue } from "../../runtime/base/json.js";
import { type Artifact, type Message, type Part, type Task, TaskState } from "../model.js";
import type { ArtifactChunk } from "./artifact-chunk.js";
import { extended } from "../copy.js";

/** Content of a message: a string, or parts. */
export type Content = string | readonly Part[];

/** Options for a status, in addition to its content. */
export interface StatusOptions {
  /** Members to add to the `metadata` of the event and of the task. */
  readonly metadata?: JsonObject;
  /** The `metadata` of the message. */
  readonly messageMetadata?: JsonObject;
  /** URIs of the extensions that the message uses. */
  readonly extensions?: readonly string[];
}

/** A new status of a task without ids and a timestamp, which the library adds. */
export interface StatusChange<State extends TaskState> extends StatusOptions {
  readonly state: State;
  readonly content: readonly Part[] | undefined;
}

/** Options for a status during a turn. */
export interface ProgressOptions extends StatusOptions {
  /**
   * Whether callers that wait for the task get a response with its current state, as if they had
   * requested an immediate response. Streams continue. A caller keeps waiting if a process other
   * than the lease holder received its message.
   */
  readonly respond?: boolean;
}

/** A status during a turn. */
export interface Progress extends StatusChange<"TASK_STATE_WORKING"> {
  readonly keepsRunning: true;
  readonly respond?: boolean;
}

/**
 * A status that asks the caller to sign in to another service. The turn may continue, or end with
 * this status.
 */
export interface AuthRequired<State = unknown> extends StatusChange<"TASK_STATE_AUTH_REQUIRED"> {
  readonly keepsRunning: true;
  readonly ends: true;
  readonly checkpoint?: State;
}

/** End of a turn after which the task waits for the next message of the caller. */
export interface InputRequired<State = unknown> extends StatusChange<"TASK_STATE_INPUT_REQUIRED"> {
  readonly ends: true;
  readonly checkpoint?: State;
}

/**
 * End of a turn that also ends its task. `State` is the type of its state, which later tasks of the
 * context can read.
 */
export interface Ended<State = never> extends StatusChange<
  "TASK_STATE_COMPLETED" | "TASK_STATE_FAILED" | "TASK_STATE_CANCELED" | "TASK_STATE_REJECTED"
> {
  readonly ends: true;
  readonly checkpoint?: State;
}

/**
 * End of a turn after which the task sleeps: its state stays the same, and no process works on it
 * until something wakes it. Created by {@link asleep}.
 */
export interface Asleep<State = unknown> extends Partial<
  // Tests read these members of an end without knowing which end it is.
  Record<"state" | "content" | "metadata" | "messageMetadata" | "extensions", undefined>
> {
  readonly ends: true;
  readonly sleeps: true;
  readonly until?: Date;
  readonly checkpoint?: State;
}

/** An update that a turn can yield. */
export type Update = Progress | AuthRequired | ArtifactChunk;

/**
 * The end of a turn, which the turn returns. `State` is the type of the state that the turn can
 * save for later turns.
 */
export type End<State = unknown> =
  Ended<State> | InputRequired<State> | AuthRequired<State> | Asleep<State>;

/** Options for a status after which another turn can follow. */
export interface InterruptOptions<State> extends StatusOptions {
  /** The `state` that the next turn of the task receives. */
  readonly state?: State;
}

/** Options for {@link asleep}. */
export interface SleepOptions<State> {
  /**
   * When the task wakes by itself, by the clock of the store. A time in the past wakes it at once.
   * By default, the task only wakes for a message, a cancel request, or a call of `wake`.
   */
  readonly until?: Date;
  /** The `state` that the next turn of the task receives. */
  readonly state?: State;
}

/** Options for a status that ends the task. */
export interface EndOptions<State> extends StatusOptions {
  /** State that later tasks of the context can read: `contextTasks(limit, { states: true })`. */
  readonly state?: State;
}

/** Returns an update that reports that the turn is running, optionally with its progress. */
export function working(content?: Content, options?: ProgressOptions): Progress {
  // Most turns yield and return a status without options. Such a status is created in one step,
  // without a copy.
  if (options === undefined)
    return { state: TaskState.Working, content: givenParts(content), keepsRunning: true };
  const progress = extended(change(TaskState.Working, content, options), {
    keepsRunning: true,
  } as const);
  return options.respond === true ? extended(progress, { respond: true }) : progress;
}

/** Returns an end that completes the task. */
export function completed<State = never>(
  content?: Content,
  options?: EndOptions<State>,
): Ended<State> {
  return ended(TaskState.Completed, content, options);
}

/**
 * Returns an end that fails the task. Callers receive the content, so it should not contain the
 * text of an exception.
 */
export function failed<State = never>(
  content?: Content,
  options?: EndOptions<State>,
): Ended<State> {
  return ended(TaskState.Failed, content, options);
}

/** Returns an end that rejects the task. Use it if the agent does not accept the request. */
export function rejected<State = never>(
  content?: Content,
  options?: EndOptions<State>,
): Ended<State> {
  return ended(TaskState.Rejected, content, options);
}

/**
 * Returns an end that cancels the task. If a client has canceled the task and its turn returns
 * another end, `canceled()` replaces that end.
 */
export function canceled<State = never>(
  content?: Content,
  options?: EndOptions<State>,
): Ended<State> {
  return ended(TaskState.Canceled, content, options);
}

/**
 * Returns an end that asks the caller for input. The caller's next message begins the next turn,
 * which receives `state`.
 */
export function inputRequired<State = never>(
  content?: Content,
  options?: InterruptOptions<State>,
): InputRequired<State> {
  return {
    ...change(TaskState.InputRequired, content, options),
    ends: true,
    ...checkpointOf(options),
  };
}

/**
 * Returns a status that asks the caller to sign in to another service. If a turn yields the status,
 * the turn continues, and waiting callers get their response. If a turn returns the status, the
 * turn ends, and the caller's next message begins the next turn, which receives `state`.
 */
export function authRequired<State = never>(
  content?: Content,
  options?: InterruptOptions<State>,
): AuthRequired<State> {
  return {
    ...change(TaskState.AuthRequired, content, options),
    keepsRunning: true,
    ends: true,
    ...checkpointOf(options),
  };
}

/**
 * Returns an end after which the task sleeps, for seconds or for months. Callers see no change: the
 * task keeps its state, and streams stay open. Only a turn that a message has begun sets the state
 * to `WORKING` if it has reported no other state. No process works on the task, and it takes no more
 * than its rows in the store. A message, a cancel request, `service.wake`, or the time `until`
 * begins the next turn, which receives `state`, and what has woken it as `turn.woken`.
 *
 * @example
 * const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1_000);
 * return asleep({ until: tomorrow, state: { reminders: 1 } });
 *
 * @throws A `RangeError` if `until` is not a valid date.
 */
export function asleep<State = never>(options: SleepOptions<State> = {}): Asleep<State> {
  const { until, state } = options;
  if (until !== undefined && !(until instanceof Date && Number.isFinite(until.getTime())))
    throw new RangeError("`until` of asleep() must be a valid Date");
  return {
    ends: true,
    sleeps: true,
    ...(until !== undefined && { until }),
    ...(state !== undefined && { checkpoint: state }),
  };
}

/**
 * A message, an artifact or a task, whose content the functions `textOf`, `dataOf` and `filesOf`
 * return.
 */
export type ContentHolder =
  | Pick<Message, "messageId" | "parts">
  | Pick<Artifact, "artifactId" | "parts">
  | Pick<Task, "status" | "artifacts">;

/**
 * Returns the text of a message, an artifact or a task. The texts of a message are joined by line
 * breaks. Adjacent texts of an artifact are joined without a separator, because they are chunks of
 * a stream, such as the tokens of a model. The text of a task is the text of its artifacts,
 * separated by blank lines. If they contain no text, it is the text of the status message.
 */
export function textOf(from: ContentHolder): string {
  return contentOf(from, textsOf).join("\n\n");
}

/**
 * Returns the values of the data parts of a message, an artifact or a task. The data of a task is
 * the data of its artifacts. If they contain no data, it is the data of the status message.
 */
export function dataOf(from: ContentHolder): JsonValue[] {
  return contentOf(from, ({ parts }) =>
    parts.flatMap(({ data }) => (data === undefined ? [] : [data])),
  );
}

/**
 * Returns the parts of a message, an artifact or a task that are files: their content is in `raw`
 * or at `url`. The files of a task are the files of its artifacts. If they contain no files, they
 * are the files of the status message.
 */
export function filesOf(from: ContentHolder): Part[] {
  return contentOf(from, ({ parts }) =>
    parts.filter(({ raw, url }) => raw !== undefined || url !== undefined),
  );
}

type PartsOwner = Pick<Message, "messageId" | "parts"> | Pick<Artifact, "artifactId" | "parts">;

/**
 * Returns the content that `find` returns for a message or an artifact, or for the artifacts or the
 * status of a task.
 */
function contentOf<T>(from: ContentHolder, find: (holder: PartsOwner) => T[]): T[] {
  if (!("status" in from)) return find(from);
  const found = (from.artifacts ?? []).flatMap(find);
  const { message } = from.status;
  return found.length > 0 || message === undefined ? found : find(message);
}

/** Returns the text of a message or an artifact; an empty list if it contains no text. */
function textsOf(from: PartsOwner): string[] {
  const isArtifact = "artifactId" in from;
  let result: string | undefined;
  let isAfterOther = false;
  for (const { text } of from.parts) {
    // Adjacent texts of an artifact are chunks of one text.
    const isSeparate = !isArtifact || (isAfterOther && result !== "");
    if (text !== undefined)
      result = result === undefined ? text : result + (isSeparate ? "\n" : "") + text;
    isAfterOther = text === undefined;
  }
  return result === undefined || result === "" ? [] : [result];
}

/** Converts content to parts. */
export function partsOf(content: Content): readonly Part[] {
  // Text parts have this form in all versions.
  return typeof content === "string" ? [{ text: content }] : content;
}

function givenParts(content: Content | undefined): readonly Part[] | undefined {
  return content === undefined ? undefined : partsOf(content);
}

function ended<State>(
  state: Ended["state"],
  content: Content | undefined,
  options: EndOptions<State> | undefined,
): Ended<State> {
  if (options === undefined) return { state, content: givenParts(content), ends: true };
  return extended(change(state, content, options), {
    ends: true as const,
    ...checkpointOf(options),
  });
}

function change<State extends TaskState>(
  state: State,
  content: Content | undefined,
  options?: StatusOptions,
): StatusChange<State> {
  const parts = givenParts(content);
  if (options === undefined) return { state, content: parts };
  const { metadata, messageMetadata, extensions } = options;
  return {
    state,
    content: parts,
    ...(metadata !== undefined && { metadata }),
    ...(messageMetadata !== undefined && { messageMetadata }),
    ...(extensions !== undefined && { extensions }),
  };
}

function checkpointOf<State>(options: EndOptions<State> | undefined): {
  readonly checkpoint?: State;
} {
  return options?.state === undefined ? {} : { checkpoint: options.state };
}
