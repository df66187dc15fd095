import type { StreamResponse } from "../../../generated/1.0/index.js";
import { Role } from "../../../generated/1.0/index.js";
import type { Dialect } from "./dialect.js";
import { at, isObject, type Json } from "./json.js";
import { sceneOf, type Stage } from "./scenes.js";

/** Stands for the message of the user until the events are in the JSON of the version. */
const placeholder = "the message of the user";

/** The events that an agent sends for a message in the JSON of a version, or a pause. */
export type Act = Json | "wait";

/** Gives what an agent sends for a message in the JSON of a version. */
export function actsFor(
  message: Json,
  ids: Omit<Stage, "message">,
  dialect: Dialect,
): readonly Act[] {
  const scene = sceneOf(at(message, "parts", 0, "text"));
  const steps = scene({ ...ids, message: { messageId: placeholder, role: Role.User, parts: [] } });
  const write = (event: StreamResponse): Json => withMessage(dialect.event(event), message);
  return steps.map((step) => (step === "wait" ? step : write(step)));
}

function withMessage(event: Json, message: Json): Json {
  const entries = Object.entries(event).map(([name, value]) => {
    if (name === "task" && isObject(value)) return [name, withMessage(value, message)] as const;
    if (name !== "history" || !Array.isArray(value)) return [name, value] as const;
    const history = value.map((entry: unknown) => (isPlaceholder(entry) ? message : entry));
    return [name, history] as const;
  });
  return Object.fromEntries(entries);
}

function isPlaceholder(entry: unknown) {
  return isObject(entry) && entry["messageId"] === placeholder;
}
