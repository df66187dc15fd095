import type { ReceivedWebhookForm } from "../../runtime/protocol/webhook-form.js";
import { check } from "../../runtime/schema/schema.js";
import type { VersionMapping } from "../../runtime/versions/mapping.js";
import { receivedWebhook } from "../../runtime/versions/received-webhook.js";
import type { StreamResponse } from "../model.js";
import type { ReceiverFacts } from "../kit-facts.js";
import type { PushReader } from "./push-event.js";

/** Implements {@link KitFunctions.pushReader} with facts about a version. */
export function pushReader(mappings: readonly VersionMapping[], facts: ReceiverFacts): PushReader {
  return formReader(mappings.map(receivedWebhook), facts);
}

/** Returns a function that reads bodies in the first form that fits. */
export function formReader(
  forms: readonly (ReceivedWebhookForm | undefined)[],
  facts: ReceiverFacts,
): PushReader {
  return (body) => {
    for (const form of forms) {
      const read = form && eventOf(body, form, facts);
      if (read !== undefined) return read;
    }
    return undefined;
  };
}

function eventOf(
  body: unknown,
  { type, read }: ReceivedWebhookForm,
  facts: ReceiverFacts,
): StreamResponse | undefined {
  let value: unknown;
  try {
    value = read(body);
  } catch {
    return undefined; // The body is unknown. Later checks report its issues.
  }
  const event = type === "Task" ? { task: check(facts.task, value, "json").value } : value;
  return check(facts.event, event, "json").value as StreamResponse | undefined;
}
