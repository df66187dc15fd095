import { type Message, type Task, TaskState } from "../kit/model.js";

/**
 * A task's request for the user to sign in to another service, for example a service that the agent
 * uses. After the sign-in, the agent continues the task without a further message, or after the
 * next message to the task.
 */
export interface AuthRequest {
  readonly kind: "authRequired";
  readonly taskId: string;
  readonly contextId: string;
  /** Message of the agent about the sign-in. */
  readonly message: Message | undefined;
  /** Text of the message. The agent wrote it, so show it as plain text, not as HTML. */
  readonly text: string;
  /**
   * HTTPS URLs in the message, such as a sign-in page. The agent chose them, so show the host to
   * the user before you open a URL.
   */
  readonly links: readonly string[];
}

/** Maximum number of links in a request. */
const maxLinks = 20;

/**
 * Returns the sign-in request of a task that waits for a sign-in; `undefined` for a task in any
 * other state.
 */
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

function textIn(message: Message | undefined): string {
  return (message?.parts ?? [])
    .flatMap(({ text }) => (text === undefined ? [] : [text]))
    .join("\n");
}
