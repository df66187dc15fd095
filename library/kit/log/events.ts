import type { JsonObject } from "../../runtime/base/json.js";
import {
  type Message,
  type Part,
  Role,
  type Task,
  type TaskArtifactUpdateEvent,
  type TaskState,
  type TaskStatus,
  type TaskStatusUpdateEvent,
} from "../model.js";
import type { ArtifactChunk } from "../turns/artifact-chunk.js";
import { copyOf, extended } from "../copy.js";
import type { ServiceFacts } from "../kit-facts.js";
import type { TaskEvent } from "../store.js";
import type { Asleep, End, Update } from "../turns/updates.js";

/** Ids of a task and its context. */
export interface TaskIds {
  readonly id: string;
  readonly contextId: string;
}

/** Sources of ids, times and facts about the protocol version. */
export interface Sources {
  readonly facts: ServiceFacts;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Content of a message from the agent. */
export interface AgentContent {
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
}

/** Creates a message from the agent. */
export function agentMessage(
  content: AgentContent,
  messageId: string,
  ids: Partial<TaskIds>,
): Message {
  const { parts, metadata, extensions } = content;
  return {
    messageId,
    role: Role.Agent,
    parts: [...parts],
    ...(ids.id !== undefined && { taskId: ids.id }),
    ...(ids.contextId !== undefined && { contextId: ids.contextId }),
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions: [...extensions] }),
  };
}

/**
 * Returns a copy of a task or event with its generation. If the protocol version has no
 * generations, returns the value itself.
 */
export function counted<T extends Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent>(
  value: T,
  generation: number,
  facts: Pick<ServiceFacts, "mismatch">,
): T {
  // Without generations, the version has no error for a mismatch.
  return facts.mismatch === undefined
    ? value
    : Object.assign(copyOf(value), { generation: String(generation) });
}

/** An update of a turn, or the end of a turn with a status. */
export type EventSource = Update | Exclude<End, Asleep>;

/**
 * Converts an update from a turn to an event. Throws a `TypeError` if the value is not an update,
 * and a `ValidationError` if the event is invalid in the protocol version.
 */
export function eventOf(
  update: EventSource,
  ids: TaskIds,
  generation: number,
  sources: Sources,
): TaskEvent {
  return "artifact" in update
    ? artifactEvent(update, ids, generation, sources)
    : statusEvent(update, ids, generation, sources);
}

function artifactEvent(
  { artifact, append, last }: ArtifactChunk,
  ids: TaskIds,
  generation: number,
  { facts }: Sources,
): TaskEvent {
  const event = counted<TaskArtifactUpdateEvent>(
    { taskId: ids.id, contextId: ids.contextId, artifact, append, lastChunk: last },
    generation,
    facts,
  );
  facts.assertArtifactUpdate(event);
  event.artifact = ownContent(artifact);
  return { artifactUpdate: event };
}

function statusEvent(
  change: Exclude<EventSource, ArtifactChunk>,
  ids: TaskIds,
  generation: number,
  sources: Sources,
): TaskEvent {
  const { state, content: parts, metadata, messageMetadata, extensions } = change;
  const message =
    parts && agentMessage({ parts, metadata: messageMetadata, extensions }, sources.newId(), ids);
  const status = statusOf(state, sources.now(), message);
  const given = { taskId: ids.id, contextId: ids.contextId, status };
  const update = metadata === undefined ? given : extended(given, { metadata });
  const event = counted<TaskStatusUpdateEvent>(update, generation, sources.facts);
  sources.facts.assertStatusUpdate(event);
  return { statusUpdate: owned(event) };
}

function owned(event: TaskStatusUpdateEvent): TaskStatusUpdateEvent {
  const { metadata, status } = event;
  const { message } = status;
  const own = metadata === undefined ? event : { ...event, metadata: ownJson(metadata) };
  return message === undefined
    ? own
    : { ...own, status: { ...status, message: ownContent(message) } };
}

/**
 * Copies parts and metadata of a value, so that later changes by the turn do not change the event.
 */
function ownContent<T extends { parts: Part[]; metadata?: JsonObject }>(value: T): T {
  const own = { ...value, parts: value.parts.map(ownPart) };
  return own.metadata === undefined ? own : { ...own, metadata: ownJson(own.metadata) };
}

function ownPart(part: Part): Part {
  const own = { ...part };
  if (own.data !== undefined) own.data = ownJson(own.data);
  if (own.metadata !== undefined) own.metadata = ownJson(own.metadata);
  return own;
}

/** Returns a deep copy of a JSON value. */
function ownJson<T>(value: T): T {
  return typeof value === "object" && value !== null
    ? (JSON.parse(JSON.stringify(value)) as T)
    : value;
}

/** Creates a status with a timestamp. */
export function statusOf(state: TaskState, now: number, message?: Message): TaskStatus {
  const timestamp = timestampOf(now);
  return message === undefined ? { state, timestamp } : { state, timestamp, message };
}

/**
 * The time that was formatted last. It is cached because many events occur within the same
 * millisecond.
 */
let written = { now: NaN, timestamp: "" };

function timestampOf(now: number): string {
  if (written.now !== now) written = { now, timestamp: new Date(now).toISOString() };
  return written.timestamp;
}
