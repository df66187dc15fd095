import type {
  Artifact,
  Message,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from "../model.js";
import { copyOf } from "../copy.js";

/** A change to a task: an event, or a message that becomes part of the task's history. */
type Change =
  | { readonly message: Message }
  | {
      readonly event:
        | { readonly statusUpdate: TaskStatusUpdateEvent }
        | { readonly artifactUpdate: TaskArtifactUpdateEvent };
    };

/**
 * Returns the task after an event of a stream, with the new status or the changed artifact, and
 * with the event's generation. The arguments are not modified. If the event is a message or belongs
 * to another task, returns the task unchanged. If the event contains the same task, returns that
 * task.
 */
export function applyEvent(task: Task, event: StreamResponse): Task {
  const before = event.task?.id === task.id ? event.task : task;
  if ((event.statusUpdate ?? event.artifactUpdate)?.taskId !== task.id) return before;
  const fold = new Fold(before);
  if (event.statusUpdate !== undefined) fold.status(event.statusUpdate);
  else if (event.artifactUpdate !== undefined) fold.artifact(event.artifactUpdate);
  return fold.task;
}

/** Returns the task with the given entries of its log applied. */
export function applyEntries(task: Task, entries: readonly Change[]): Task {
  if (entries.length === 0) return task;
  const fold = new Fold(task);
  for (const entry of entries) {
    if ("message" in entry) fold.message(entry.message);
    else if ("statusUpdate" in entry.event) fold.status(entry.event.statusUpdate);
    else fold.artifact(entry.event.artifactUpdate);
  }
  return fold.task;
}

/** Returns the task as if the messages in its inbox had been taken. */
export function withInbox(task: Task, inbox: readonly { readonly message?: Message }[]): Task {
  if (inbox.length === 0) return task;
  const fold = new Fold(task);
  for (const { message } of inbox) if (message !== undefined) fold.message(message);
  return fold.task;
}

/**
 * Applies changes to a task. Copies each changed value once, regardless of the number of changes.
 */
class Fold {
  readonly task: Task;
  #history: Message[] | undefined;
  #artifacts: Artifact[] | undefined;
  #copies: Set<Artifact> | undefined;

  constructor(task: Task) {
    this.task = copyOf(task);
  }

  /**
   * Appends a message to the history. The message of the current status is older, so it is appended
   * before `message`.
   */
  message(message: Message): void {
    this.#keepStatus();
    this.#ownHistory().push(message);
  }

  /** Replaces the status. The message of the previous status moves to the history. */
  status(update: TaskStatusUpdateEvent): void {
    const { task } = this;
    const { status, metadata } = update;
    this.#copyGeneration(update);
    this.#keepStatus();
    task.status = status;
    if (metadata !== undefined) task.metadata = { ...task.metadata, ...metadata };
  }

  artifact(update: TaskArtifactUpdateEvent): void {
    const { artifact, append } = update;
    this.#copyGeneration(update);
    if (this.#artifacts === undefined) {
      const { artifacts = [] } = this.task;
      // Use a list literal, which does not reserve room for more elements: most tasks have one
      // artifact, and many tasks are in memory.
      this.#artifacts = this.task.artifacts = artifacts.length === 0 ? [artifact] : [...artifacts];
      if (artifacts.length === 0) return;
    }
    const artifacts = this.#artifacts;
    const index = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
    const before = index < 0 ? undefined : artifacts[index];
    if (before === undefined) {
      artifacts.push(artifact);
    } else if (append !== true) {
      artifacts[index] = artifact;
      this.#copies?.delete(before);
    } else {
      const grown = this.#copyOnce(before);
      artifacts[index] = grown;
      // Append the parts one by one, because a caller determines the length of the list, and
      // engines limit the number of arguments of a call.
      for (const part of artifact.parts) grown.parts.push(part);
      if (artifact.metadata !== undefined)
        grown.metadata = { ...grown.metadata, ...artifact.metadata };
    }
  }

  #keepStatus(): void {
    const { status, history = [] } = this.task;
    const { message } = status;
    if (message === undefined) return;
    // If messages of the caller followed the status message, the history already contains the
    // status message.
    let last = history.length - 1;
    while (history[last]?.role === "ROLE_USER") last -= 1;
    const isKept = last < history.length - 1 && history[last]?.messageId === message.messageId;
    if (!isKept) this.#ownHistory().push(message);
  }

  #ownHistory(): Message[] {
    if (this.#history === undefined)
      this.task.history = this.#history = [...(this.task.history ?? [])];
    return this.#history;
  }

  /**
   * Copies the generation of an event to the task, if the version and the agent support
   * generations.
   */
  #copyGeneration(update: object): void {
    const generation = "generation" in update ? update.generation : undefined;
    if (generation !== undefined && generation !== "0") Object.assign(this.task, { generation });
  }

  #copyOnce(artifact: Artifact): Artifact {
    if (this.#copies?.has(artifact) === true) return artifact;
    const own = { ...artifact, parts: [...artifact.parts] };
    (this.#copies ??= new Set()).add(own);
    return own;
  }
}
