import { type Message, Role, type SendMessageRequest } from "../model.js";
import type { Limits } from "../limits/limits.js";
import { isLongerThan } from "../limits/size.js";
import type { Scope } from "../store.js";
import { invalid } from "./invalid.js";

/** Throws an `InvalidParamsError` for a message that no agent takes from a caller, whatever the card says. */
export function checkMessage({ message }: SendMessageRequest, limits: Limits): void {
  const { role, parts, referenceTaskIds } = message;
  // It would be in the history as if the agent had said it.
  if (role === Role.Agent) throw invalid("message.role", "must be that of a user");
  checkCount(parts, "message.parts", limits);
  checkText(message.messageId, "message.messageId", limits);
  checkText(message.contextId, "message.contextId", limits);
  checkText(message.taskId, "message.taskId", limits);
  if (referenceTaskIds === undefined) return;
  checkCount(referenceTaskIds, "message.referenceTaskIds", limits);
  for (const id of referenceTaskIds) checkText(id, "message.referenceTaskIds", limits);
}

/** Throws an `InvalidParamsError` for a tenant or an owner that stores could not index. */
export function checkScope({ tenant, owner }: Scope, limits: Limits): void {
  checkText(tenant, "tenant", limits);
  checkText(owner, "owner", limits);
}

/** Throws an `InvalidParamsError` for a text that is longer than stores can index. */
export function checkText(text: string | undefined, field: string, { maxTextBytes }: Limits): void {
  if (text !== undefined && isLongerThan(text, maxTextBytes))
    throw invalid(field, `is longer than ${String(maxTextBytes)} bytes`);
}

function checkCount(list: Message["parts"] | readonly string[], field: string, { maxMessageParts }: Limits): void {
  if (list.length > maxMessageParts) throw invalid(field, `has more than ${String(maxMessageParts)} items`);
}
