import { isObject } from "../../runtime/base/json.js";
import { check, type Issue } from "../../runtime/schema/schema.js";
import type { StreamResponse } from "../../models.js";
import { StreamResponseSchema, TaskSchema } from "../../validators.js";
import { digestOf } from "./secrets.js";

/** What has come to a webhook. */
export interface PushEvent {
  readonly taskId: string;
  /** As a stream would have brought it; a body that is a task is one of them. */
  readonly event: StreamResponse;
  /** That of the task after the event, where the agent says it. */
  readonly generation?: number;
}

/** Reads bodies that are no events of this version; returns `undefined` for what it does not know either. */
export type PushReader = (body: unknown) => StreamResponse | undefined;

/** Returns what a body says, or what is wrong with it. */
export function pushEventOf(body: unknown, read: PushReader | undefined): PushEvent | { readonly problem: string } {
  const event = read?.(body);
  if (event !== undefined) return withTask(event);
  const isTask = isObject(body) && "id" in body && "status" in body;
  const result = isTask ? taskOf(body) : check(StreamResponseSchema, body, "tolerant");
  if (result.issues === undefined) return withTask(result.value);
  return {
    problem: result.issues
      .slice(0, 3)
      .map(({ message }) => message)
      .join("; "),
  };
}

type Result = { readonly value: StreamResponse; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** Versions before 1.0 post the task. */
function taskOf(body: unknown): Result {
  const { value, issues } = check(TaskSchema, body, "json");
  return issues === undefined ? { value: { task: value } } : { issues };
}

function withTask(event: StreamResponse): PushEvent | { readonly problem: string } {
  const { task, statusUpdate, artifactUpdate, message } = event;
  const taskId = task?.id ?? (statusUpdate ?? artifactUpdate ?? message)?.taskId ?? "";
  if (taskId === "") return { problem: "names no task" };
  // A member of later versions only.
  const { generation } = (task ?? statusUpdate ?? artifactUpdate ?? {}) as { readonly generation?: string };
  const count = Number(generation ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? { taskId, event, generation: count } : { taskId, event };
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
  return key.length <= maxKeyLength ? key : Array.from(await digestOf(key)).join();
}
