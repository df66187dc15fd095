import { isObject } from "../../runtime/base/json.js";
import { check, type Issue } from "../../runtime/schema/schema.js";
import type { StreamResponse } from "../model.js";
import type { ReceiverFacts } from "../kit-facts.js";
import { isTerminal, timeOf } from "../states.js";
import { isExactKey } from "./notification.js";
import { hexDigestOf, shortDigestOf } from "./secrets.js";

/** An event that a webhook has received. */
export interface PushEvent {
  readonly taskId: string;
  /**
   * The event in the form of a stream response. A body that is a task is converted to this form.
   */
  readonly event: StreamResponse;
  /** Generation of the task after the event. Agents send it in version 1.1 and later. */
  readonly generation?: number;
  /**
   * Key of the event. A repeated event has the same key, even after a restart, so store the key to
   * handle each event once. The key contains the `Idempotency-Key` header of agents with the task
   * kit, which contains a digest of the event. For other agents, the key is computed from the
   * content, and from the generation or this header. A chunk of an artifact without a generation
   * and without this header has no key, because the next chunk may have the same content.
   */
  readonly key?: string;
}

/**
 * Converts a body of another version to an event of this version. Returns `undefined` if the body
 * is unknown.
 */
export type PushReader = (body: unknown) => StreamResponse | undefined;

/** Returns the event in a body, or the issues of the body. */
export function pushEventOf(
  body: unknown,
  read: PushReader | undefined,
  facts: ReceiverFacts,
): PushEvent | { readonly problem: string } {
  const event = read?.(body);
  if (event !== undefined) return withTask(event);
  const isTask = isObject(body) && "id" in body && "status" in body;
  const result = isTask ? taskOf(body, facts) : check(facts.event, body, "tolerant");
  if (result.issues === undefined) return withTask(result.value as StreamResponse);
  return {
    problem: result.issues
      .slice(0, 3)
      .map(({ message }) => message)
      .join("; "),
  };
}

type Result =
  { readonly value: object; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** Reads a task, which versions before 1.0 post. */
function taskOf(body: unknown, { task }: ReceiverFacts): Result {
  const { value, issues } = check(task, body, "json");
  // In every version, an event may be a task.
  return issues === undefined ? { value: { task: value } } : { issues };
}

function withTask(event: StreamResponse): PushEvent | { readonly problem: string } {
  const { task, statusUpdate, artifactUpdate, message } = event;
  const taskId = task?.id ?? (statusUpdate ?? artifactUpdate ?? message)?.taskId ?? "";
  if (taskId === "") return { problem: "the id of the task is missing" };
  // Only later versions define this member.
  const { generation } = (task ?? statusUpdate ?? artifactUpdate ?? {}) as {
    readonly generation?: string;
  };
  const count = Number(generation ?? 0);
  return Number.isSafeInteger(count) && count > 0
    ? { taskId, event, generation: count }
    : { taskId, event };
}

/**
 * Returns the time of an event in milliseconds since 1970, or 0 if the time is unknown. If the
 * event is a task, its time is only known if the task has ended, because the status of an open task
 * may be much older than the event.
 */
export function timeOfEvent({ task, statusUpdate }: StreamResponse): number {
  const status =
    statusUpdate?.status ??
    (task !== undefined && isTerminal(task.status.state) ? task.status : undefined);
  return status === undefined ? 0 : timeOf(status);
}

/** Maximum length of a key. A digest replaces longer keys. */
const maxKeyLength = 256;

/**
 * Returns a short key that identifies an event: the received key if it contains a digest of the
 * event, and otherwise the content of the event with its generation or the received key. The
 * content is part of the key, because a database may lose the latest events in a failover, and
 * other events then get their generations. Returns `undefined` for a chunk of an artifact without a
 * generation and without a received key, because the next chunk may have the same content.
 */
export async function keyOf(
  { taskId, event, generation }: PushEvent,
  key: string | undefined,
  text: string,
): Promise<string | undefined> {
  const name = [Object.keys(event)[0] ?? "", taskId];
  // Prefer this key to the body: a body that is a task may be another snapshot of the task when the
  // event arrives again.
  if (key !== undefined && isExactKey(key)) return shortened(JSON.stringify([...name, key]));
  const given = generation ?? (key === "" ? undefined : key);
  if (given !== undefined)
    return shortened(JSON.stringify([...name, given, await contentOf(event)]));
  if (event.artifactUpdate?.append === true) return undefined;
  return shortened(JSON.stringify([...name, text]));
}

/**
 * Returns a digest of the part of an event that is the same in each delivery. A task may have more
 * artifacts when it is delivered again.
 */
async function contentOf({
  task,
  statusUpdate,
  artifactUpdate,
  message,
}: StreamResponse): Promise<string> {
  const status = task?.status ?? statusUpdate?.status;
  const content =
    status === undefined
      ? (artifactUpdate ?? message)
      : [status.state, status.timestamp, status.message];
  return shortDigestOf(JSON.stringify(content));
}

async function shortened(key: string): Promise<string> {
  return key.length <= maxKeyLength ? key : hexDigestOf(key);
}
