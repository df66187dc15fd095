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
  return applyEvents(before, [event]);
}

/** Returns the task after events that belong to it. */
export function applyEvents(task: Task, events: readonly StreamResponse[]): Task {
  const fold = new Fold(task);
  for (const event of events) fold.event(event);
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

/** Number of artifacts up to which a search is faster than an index. */
const fewArtifacts = 32;

/**
 * Applies changes to a task. Copies each changed value once, regardless of the number of changes.
 */
export class Fold {
  task: Task;
  #history: Message[] | undefined;
  #artifacts: Artifact[] | undefined;
  #copies: Set<Artifact> | undefined;
  /** Positions of the artifacts, after the first searches. */
  #index: Map<string, number> | undefined;
  #searches = 0;

  constructor(task: Task) {
    this.task = copyOf(task);
  }

  /** Returns the task. Later changes copy its values before they change them. */
  release(): Task {
    const { task } = this;
    this.task = copyOf(task);
    this.#history = this.#artifacts = this.#copies = undefined;
    return task;
  }

  /** Returns the artifact with an id. */
  find(artifactId: string): Artifact | undefined {
    return this.task.artifacts?.[this.#indexOf(artifactId)];
  }

  /** Applies an event, which must belong to the task. */
  event({ statusUpdate, artifactUpdate }: StreamResponse): void {
    if (statusUpdate !== undefined) this.status(statusUpdate);
    else if (artifactUpdate !== undefined) this.artifact(artifactUpdate);
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
    const index = this.#indexOf(artifact.artifactId);
    const before = index < 0 ? undefined : artifacts[index];
    if (before === undefined) {
      this.#index?.set(artifact.artifactId, artifacts.length);
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

  /** Returns the position of an artifact; -1 if the artifact is missing. */
  #indexOf(id: string): number {
    const { artifacts = [] } = this.task;
    // An index is only worth its cost if it is used several times.
    if (artifacts.length < fewArtifacts || this.#searches++ < 2)
      return artifacts.findIndex(({ artifactId }) => artifactId === id);
    if (this.#index === undefined) {
      this.#index = new Map();
      // If several artifacts have the same id, the first artifact counts.
      for (let at = artifacts.length; at-- > 0;)
        this.#index.set(artifacts[at]?.artifactId ?? "", at);
    }
    return this.#index.get(id) ?? -1;
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
