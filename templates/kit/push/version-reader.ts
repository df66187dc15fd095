import { check } from "../../runtime/schema/schema.js";
import { mapped, type VersionMapping } from "../../runtime/versions/mapping.js";
import type { StreamResponse } from "../../models.js";
import { StreamResponseSchema, TaskSchema } from "../../validators.js";
import type { PushReader } from "./push-event.js";

/**
 * Returns a reader of what agents of other versions post to webhooks, for `read` of `pushReceiver`. It takes the
 * `mapping` of each, from `versions/` of the output.
 */
export function pushReader(...mappings: readonly VersionMapping[]): PushReader {
  return (body) => {
    for (const mapping of mappings) {
      const read = eventOf(body, mapping);
      if (read !== undefined) return read;
    }
    return undefined;
  };
}

function eventOf(body: unknown, mapping: VersionMapping): StreamResponse | undefined {
  const { webhook } = mapping;
  if (webhook === undefined) return undefined;
  let value: unknown;
  try {
    value = mapped(mapping, webhook.body, body, "own");
  } catch {
    return undefined; // It is of another version, or of none: the checks that follow say so.
  }
  const event = webhook.type === "Task" ? { task: check(TaskSchema, value, "json").value } : value;
  return check(StreamResponseSchema, event, "json").value;
}
