import type { ReceivedWebhookForm } from "../protocol/webhook-form.js";
import { mapped, type VersionMapping } from "./mapping.js";

/** Returns the form of requests to webhooks in the other version, for their receivers. */
export function receivedWebhook(mapping: VersionMapping): ReceivedWebhookForm | undefined {
  const { webhook } = mapping;
  if (webhook === undefined) return undefined;
  const { type, body } = webhook;
  return { type, read: (value) => mapped(mapping, body, value, "own") };
}
