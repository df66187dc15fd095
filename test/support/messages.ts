import type { Message } from "../../generated/1.0/models.js";

/** Returns a new message of a user. */
export function aMessage(text: string, members: Partial<Message> = {}): Message {
  return { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }], ...members };
}
