import { type Message, type Models, type StreamResponse, type Task, TaskState, type TaskStatus } from "../model.js";
import { isSameStatus } from "./same.js";
import type { FollowedTask } from "./view.js";

/**
 * Request of a task that the user signs in elsewhere, such as with another service that the agent uses. The agent then
 * continues the task itself, or after the next message to the task.
 */
export interface AuthRequest<M extends Models = Models> {
  readonly kind: "authRequired";
  readonly taskId: string;
  readonly contextId: string;
  /** Message of the agent about the sign-in. */
  readonly message: M["Message"] | undefined;
  /** Text of the message. The agent wrote it: show it as text. */
  readonly text: string;
  /** HTTPS addresses in the message, such as a page to sign in. The agent chose them: show the host before opening. */
  readonly links: readonly string[];
}

/** Maximum number of addresses of a request. */
const maxLinks = 20;

/** Returns the request for a sign-in of a task that waits for it; `undefined` for a task in any other state. */
export function authRequestOf<M extends Models = Models>(task: M["Task"]): AuthRequest<M> | undefined;
export function authRequestOf({ id, contextId = "", status }: Task): AuthRequest | undefined {
  if (status.state !== TaskState.AuthRequired) return undefined;
  const { message } = status;
  const text = textIn(message);
  const urls = (message?.parts ?? []).flatMap(({ url }) => (url === undefined ? [] : [url]));
  const links = [...urls, ...(text.match(/https:\/\/[^\s<>"'`)\]]+/g) ?? [])]
    .filter((url) => URL.canParse(url) && new URL(url).protocol === "https:")
    .slice(0, maxLinks);
  return { kind: "authRequired", taskId: id, contextId, message, text, links: [...new Set(links)] };
}

/** Returns a change of a task, with the request for a sign-in if the task has begun to wait for it. */
export function followed(task: Task, event: StreamResponse, before?: TaskStatus): FollowedTask {
  const hasStatus = event.statusUpdate !== undefined || event.task !== undefined;
  if (!hasStatus || (before !== undefined && isSameStatus(before, task.status))) return { task, event };
  const authRequired = authRequestOf(task);
  return authRequired === undefined ? { task, event } : { task, event, authRequired };
}

function textIn(message: Message | undefined): string {
  return (message?.parts ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
}
