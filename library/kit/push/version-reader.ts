import { check } from "../../runtime/schema/schema.js";
import { mapped, type VersionMapping } from "../../runtime/versions/mapping.js";
import type { StreamResponse } from "../model.js";
import type { ReceiverFacts } from "../kit-facts.js";
import type { PushReader } from "./push-event.js";

/** Implements {@link KitFunctions.pushReader} with facts about a version. */
export function pushReader(mappings: readonly VersionMapping[], facts: ReceiverFacts): PushReader {
  return (body) => {
    for (const mapping of mappings) {
      const read = eventOf(body, mapping, facts);
      if (read !== undefined) return read;
    }
    return undefined;
  };
}

function eventOf(
  body: unknown,
  mapping: VersionMapping,
  facts: ReceiverFacts,
): StreamResponse | undefined {
  const { webhook } = mapping;
  if (webhook === undefined) return undefined;
  let value: unknown;
  try {
    value = mapped(mapping, webhook.body, body, "own");
  } catch {
    return undefined; // The body is unknown. Later checks report its issues.
  }
  const event = webhook.type === "Task" ? { task: check(facts.task, value, "json").value } : value;
  return check(facts.event, event, "json").value as StreamResponse | undefined;
}
