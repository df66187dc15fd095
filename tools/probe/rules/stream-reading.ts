import { isObject, member } from "../../agents/findings.js";
import { stateOf } from "../reply.js";
import { Inapplicable } from "../rule.js";
import type { Session } from "../session.js";

/** Conditions of the rules for streams. */
export const needs = { sends: true, capability: "streaming" } as const;

/** The kinds of events. */
export const kinds = ["task", "message", "statusUpdate", "artifactUpdate"];

/** Returns the kind of an event; empty if it is unknown. */
export const kindOf = (event: unknown): string =>
  kinds.find((kind) => isObject(member(event, kind))) ?? "";

/** Returns the ids of an event's task and context. */
export function idsOf(event: unknown): { readonly task: unknown; readonly context: unknown } {
  const kind = kindOf(event);
  const body = member(event, kind);
  return {
    task: member(body, kind === "task" ? "id" : "taskId"),
    context: member(body, "contextId"),
  };
}

/** Returns the state after an event; empty if the event does not contain a state. */
export const stateAfter = (event: unknown): string =>
  stateOf(member(event, "task") ?? member(event, "statusUpdate"));

/** Returns the events of a stream that begins with a task. */
export async function taskEvents(session: Session): Promise<readonly unknown[]> {
  const events = await session.streamedEvents();
  if (kindOf(events[0]) === "message") throw new Inapplicable("the agent responded with a message");
  return events;
}
