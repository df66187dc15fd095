import { isObject } from "../../runtime/base/json.js";
import { check, type Issue } from "../../runtime/schema/schema.js";
import type { Models, StreamResponse } from "../model.js";
import type { ReceiverFacts } from "../kit-facts.js";
import { isTerminal, timeOf } from "../states.js";
import { digestOf } from "./secrets.js";

/** What has come to a webhook. */
export interface PushEvent<M extends Models = Models> {
  readonly taskId: string;
  /** As a stream would have brought it; a body that is a task is one of them. */
  readonly event: M["StreamResponse"];
  /** Generation of the task after the event. Agents send it from 1.1 on. */
  readonly generation?: number;
  /**
   * Key of the event, which is the same whenever the event comes again, also after a restart: store it to handle each event
   * once. It is made of the generation, else of the `Idempotency-Key` that the agent sends (agents on the task kit do in
   * every version), else of the content. Missing for a piece of an artifact with neither, since the next piece may be equal.
   */
  readonly key?: string;
}

/** Reads bodies that are no events of this version; returns `undefined` for what it does not know either. */
export type PushReader<M extends Models = Models> = (body: unknown) => M["StreamResponse"] | undefined;

/** Returns what a body says, or what is wrong with it. */
export function pushEventOf<M extends Models>(
  body: unknown,
  read: PushReader<M> | undefined,
  facts: ReceiverFacts<M>,
): PushEvent<M> | { readonly problem: string } {
  const event = read?.(body);
  if (event !== undefined) return withTask<M>(event);
  const isTask = isObject(body) && "id" in body && "status" in body;
  const result = isTask ? taskOf(body, facts) : check(facts.event, body, "tolerant");
  if (result.issues === undefined) return withTask<M>(result.value);
  return {
    problem: result.issues
      .slice(0, 3)
      .map(({ message }) => message)
      .join("; "),
  };
}

type Result<M extends Models> =
  { readonly value: M["StreamResponse"]; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** Versions before 1.0 post the task. */
function taskOf<M extends Models>(body: unknown, { task }: ReceiverFacts<M>): Result<M> {
  const { value, issues } = check(task, body, "json");
  // An event of every version may be a task.
  return issues === undefined ? { value: { task: value } } : { issues };
}

function withTask<M extends Models>(event: M["StreamResponse"]): PushEvent<M> | { readonly problem: string } {
  const { task, statusUpdate, artifactUpdate, message } = event;
  const taskId = task?.id ?? (statusUpdate ?? artifactUpdate ?? message)?.taskId ?? "";
  if (taskId === "") return { problem: "names no task" };
  // A member of later versions only.
  const { generation } = (task ?? statusUpdate ?? artifactUpdate ?? {}) as { readonly generation?: string };
  const count = Number(generation ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? { taskId, event, generation: count } : { taskId, event };
}

/**
 * Returns when an event was made, in milliseconds since 1970; 0 if it does not say so. A task says it if it has ended: in
 * one that has not, the last status may be much older than the event.
 */
export function timeOfEvent({ task, statusUpdate }: StreamResponse): number {
  const status =
    statusUpdate?.status ?? (task !== undefined && isTerminal(task.status.state) ? task.status : undefined);
  return status === undefined ? 0 : timeOf(status);
}

/** The longest key that is kept as it is; of a longer one a digest is. */
const maxKeyLength = 256;

/**
 * Returns what tells an event from all others: its task and generation, or the key that came with it, or what it says.
 * It is short, however long these are. `undefined` for a piece of an artifact with neither, since the next piece may say
 * the same.
 */
export async function keyOf(
  { taskId, event, generation }: PushEvent,
  key: string | undefined,
  text: string,
): Promise<string | undefined> {
  const name = [Object.keys(event)[0] ?? "", taskId];
  if (generation !== undefined) return shortened(JSON.stringify([...name, generation]));
  if (key !== undefined && key !== "") return shortened(JSON.stringify([...name, key]));
  if (event.artifactUpdate?.append === true) return undefined;
  return shortened(JSON.stringify([...name, text]));
}

async function shortened(key: string): Promise<string> {
  if (key.length <= maxKeyLength) return key;
  return Array.from(await digestOf(key), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
