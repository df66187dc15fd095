import type { Message } from "../../../generated/0.3.0/index.js";

/** A message of the user with this text. */
export function userMessage(text: string): Message {
  return { kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text }] };
}
