import type { Webhook } from "../store.js";

/**
 * Returns whether two webhooks are equal, except for the generation at which they were registered.
 */
export function isSameWebhook(first: Webhook, second: Webhook): boolean {
  return JSON.stringify({ ...first, after: 0 }) === JSON.stringify({ ...second, after: 0 });
}
