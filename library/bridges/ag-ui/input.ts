import type { Part } from "../../kit/model.js";
import { isObject, type JsonValue } from "../../runtime/base/json.js";
import { memberOf, optionalString } from "../reading.js";

/** Error of a request whose body is invalid. Its message is for the caller. */
export class InputError extends Error {
  override readonly name = "InputError";
}

/** An input of AG-UI, as far as the bridge uses it. */
export interface RunInput {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly object[];
  readonly state: unknown;
  /** Parts of the message to the agent. */
  readonly content: readonly Part[];
  /** The answer to the question of a task. */
  readonly resume?: { readonly taskId: string; readonly isCanceled: boolean };
  /** Ids that the bridge has added to the state. */
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
}

/** Reads the body of a request. @throws An {@link InputError} if it is invalid */
export function readInput(text: string): RunInput {
  const input = parsed(text);
  const { threadId, runId, messages, resume, state } = input;
  if (!isName(threadId) || !isName(runId))
    throw new InputError("`threadId` and `runId` must be strings that are not empty");
  if (!Array.isArray(messages) || !messages.every((each) => isObject<object>(each)))
    throw new InputError("`messages` must be a list of messages");
  const entry = entryIn(resume);
  const last = messages.findLastIndex((message) => memberOf(message, "role") === "assistant");
  const users = messages.slice(last + 1).filter((message) => memberOf(message, "role") === "user");
  const content =
    entry?.content ?? users.flatMap((message) => contentOf(memberOf(message, "content")));
  if (entry === undefined && content.length === 0)
    throw new InputError("`messages` must end with a message of the user");
  return {
    threadId,
    runId,
    messages,
    state,
    content,
    ...(entry !== undefined && { resume: entry }),
    contextId: optionalString(memberOf(state, "a2a"), "contextId"),
    taskId: optionalString(memberOf(state, "a2a"), "taskId"),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const input: unknown = JSON.parse(text);
    if (isObject(input)) return input;
  } catch {
    // The same sentence is the answer.
  }
  throw new InputError("The body must be a JSON object");
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Returns the entry of `resume`. An interrupt has the id of its task. */
function entryIn(
  resume: unknown,
): { taskId: string; isCanceled: boolean; content?: Part[] } | undefined {
  if (resume === undefined || (Array.isArray(resume) && resume.length === 0)) return undefined;
  const entry: unknown = Array.isArray(resume) && resume.length === 1 ? resume[0] : undefined;
  const taskId = memberOf(entry, "interruptId");
  const status = memberOf(entry, "status");
  if (!isName(taskId) || (status !== "resolved" && status !== "cancelled"))
    throw new InputError("`resume` must contain one entry with an `interruptId` and a `status`");
  const isCanceled = status === "cancelled";
  // The body is JSON, and so is each of its members.
  const payload = memberOf(entry, "payload") as JsonValue | undefined;
  if (isCanceled || payload === undefined) return { taskId, isCanceled };
  const answer =
    isObject(payload) && Object.keys(payload).length === 1 ? payload["answer"] : payload;
  return {
    taskId,
    isCanceled,
    content: [typeof answer === "string" ? { text: answer } : { data: payload }],
  };
}

function contentOf(content: unknown): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  if (Array.isArray(content)) return content.map((part: unknown) => partOf(part));
  throw new InputError("The `content` of a user message must be a text or a list of parts");
}

function partOf(part: unknown): Part {
  const text = optionalString(part, "text");
  if (memberOf(part, "type") === "text" && text !== undefined) return { text };
  const source = memberOf(part, "source");
  const value = optionalString(source, "value");
  const mediaType = optionalString(source, "mimeType");
  const filename = optionalString(memberOf(part, "metadata"), "filename");
  const about = {
    ...(mediaType !== undefined && { mediaType }),
    ...(filename !== undefined && { filename }),
  };
  const type = memberOf(source, "type");
  if (type === "data" && value !== undefined) return { raw: value, ...about };
  if (type === "url" && value !== undefined) return { url: value, ...about };
  throw new InputError("A part must be a text, or have a `source` of type data or url");
}
