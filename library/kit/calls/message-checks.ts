import { type Message, Role, type SendMessageRequest } from "../model.js";
import type { Limits } from "../limits/limits.js";
import { isLongerThan } from "../limits/size.js";
import type { Scope } from "../store.js";
import { invalid } from "../invalid.js";

/**
 * Throws an `InvalidParamsError` if a caller's message is invalid, regardless of the agent card.
 */
export function checkMessage({ message }: SendMessageRequest, limits: Limits): void {
  const { role, parts, referenceTaskIds } = message;
  // Otherwise, the message would appear in the history as if the agent had sent it.
  if (role === Role.Agent) throw invalid("message.role", "must be the role of a user");
  checkCount(parts, "message.parts", limits);
  checkText(message.messageId, "message.messageId", limits);
  checkText(message.contextId, "message.contextId", limits);
  checkText(message.taskId, "message.taskId", limits);
  if (referenceTaskIds === undefined) return;
  checkCount(referenceTaskIds, "message.referenceTaskIds", limits);
  for (const id of referenceTaskIds) checkText(id, "message.referenceTaskIds", limits);
}

/**
 * Throws an `InvalidParamsError` if the tenant or the owner is too long for the database indexes of
 * stores.
 */
export function checkScope({ tenant, owner }: Scope, limits: Limits): void {
  checkText(tenant, "tenant", limits);
  checkText(owner, "owner", limits);
}

/** Throws an `InvalidParamsError` if a string is too long for the database indexes of stores. */
export function checkText(text: string | undefined, field: string, { maxTextBytes }: Limits): void {
  if (text !== undefined && isLongerThan(text, maxTextBytes))
    throw invalid(field, `must have at most ${String(maxTextBytes)} bytes`);
}

function checkCount(
  list: Message["parts"] | readonly string[],
  field: string,
  { maxMessageParts }: Limits,
): void {
  if (list.length > maxMessageParts)
    throw invalid(field, `must have at most ${String(maxMessageParts)} items`);
}
