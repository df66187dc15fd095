import { check } from "../../runtime/schema/schema.js";
import { mapped, type VersionMapping } from "../../runtime/versions/mapping.js";
import type { Models } from "../model.js";
import type { ReceiverFacts } from "../kit-facts.js";
import type { PushReader } from "./push-event.js";

/**
 * Returns a function for the `read` option of `pushReceiver` that reads push notifications of other
 * versions.
 * @param mappings The `mapping` of each version, exported from `versions/` of the output.
 */
export function pushReader<M extends Models = Models>(
  mappings: readonly VersionMapping[],
  facts: ReceiverFacts<M>,
): PushReader<M> {
  return (body) => {
    for (const mapping of mappings) {
      const read = eventOf(body, mapping, facts);
      if (read !== undefined) return read;
    }
    return undefined;
  };
}

function eventOf<M extends Models>(
  body: unknown,
  mapping: VersionMapping,
  facts: ReceiverFacts<M>,
): M["StreamResponse"] | undefined {
  const { webhook } = mapping;
  if (webhook === undefined) return undefined;
  let value: unknown;
  try {
    value = mapped(mapping, webhook.body, body, "own");
  } catch {
    return undefined; // The body is unknown. Later checks report its issues.
  }
  const event = webhook.type === "Task" ? { task: check(facts.task, value, "json").value } : value;
  return check(facts.event, event, "json").value;
}
