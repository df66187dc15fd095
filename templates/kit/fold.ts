import type {
  Artifact,
  Message,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from "../models.js";
import type { Entry } from "./store.js";

/**
 * Returns the task after an event of a stream: with its new status, or with the artifact that it adds to. Nothing that
 * it is given is changed. An event of another task, or a message, leaves the task as it is; a `task` takes its place.
 */
export function applyEvent(task: Task, event: StreamResponse): Task {
  if (event.task !== undefined) return event.task;
  const fold = new Fold(task);
  if (event.statusUpdate?.taskId === task.id) fold.status(event.statusUpdate);
  if (event.artifactUpdate?.taskId === task.id) fold.artifact(event.artifactUpdate);
  return fold.task;
}

/** Returns the task after some entries of its log. */
export function applyEntries(task: Task, entries: readonly Entry[]): Task {
  if (entries.length === 0) return task;
  const fold = new Fold(task);
  for (const entry of entries) {
    if ("message" in entry) fold.message(entry.message);
    else if ("statusUpdate" in entry.event) fold.status(entry.event.statusUpdate);
    else fold.artifact(entry.event.artifactUpdate);
  }
  return fold.task;
}

/** Folds events into a task. Copies what it changes once, however many events there are. */
class Fold {
  readonly task: Task;
  #history: Message[] | undefined;
  #artifacts: Artifact[] | undefined;
  readonly #own = new Set<Artifact>();

  constructor(task: Task) {
    this.task = { ...task };
  }

  /** A message becomes history, behind the one of the status, which was there before. */
  message(message: Message): void {
    this.#keepStatus();
    this.#ownHistory().push(message);
  }

  /** The message of the status before becomes history: a status says what is now. */
  status({ status, metadata }: TaskStatusUpdateEvent): void {
    const { task } = this;
    this.#keepStatus();
    task.status = status;
    if (metadata !== undefined) task.metadata = { ...task.metadata, ...metadata };
  }

  artifact({ artifact, append }: TaskArtifactUpdateEvent): void {
    const artifacts = (this.#artifacts ??= this.task.artifacts = [...(this.task.artifacts ?? [])]);
    const at = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
    const before = artifacts[at];
    if (before === undefined) {
      artifacts.push(artifact);
    } else if (append !== true) {
      artifacts[at] = artifact;
      this.#own.delete(before);
    } else {
      const grown = this.#ownOf(before);
      artifacts[at] = grown;
      grown.parts.push(...artifact.parts);
      if (artifact.metadata !== undefined) grown.metadata = { ...grown.metadata, ...artifact.metadata };
    }
  }

  #keepStatus(): void {
    const { status, history = [] } = this.task;
    const { message } = status;
    if (message === undefined) return;
    // It is in the history already where messages of the caller came in between.
    let last = history.length - 1;
    while (history[last]?.role === "ROLE_USER") last -= 1;
    if (history[last]?.messageId !== message.messageId) this.#ownHistory().push(message);
  }

  #ownHistory(): Message[] {
    if (this.#history === undefined) this.task.history = this.#history = [...(this.task.history ?? [])];
    return this.#history;
  }

  #ownOf(artifact: Artifact): Artifact {
    if (this.#own.has(artifact)) return artifact;
    const own = { ...artifact, parts: [...artifact.parts] };
    this.#own.add(own);
    return own;
  }
}
