import type { Webhook } from "../store.js";

/**
 * Returns whether two webhooks are equal, except for the generation at which they were registered.
 */
export function isSameWebhook(one: Webhook, other: Webhook): boolean {
  return JSON.stringify({ ...one, after: 0 }) === JSON.stringify({ ...other, after: 0 });
}
