import {
  TaskState,
  type Artifact,
  type Message,
  type Task,
  type TaskArtifactUpdateEvent,
  type TaskStatus,
  type TaskStatusUpdateEvent,
} from "../../generated/0.3.0/index.js";
import { UpdateLog } from "../shared/update-log.js";

/** An update of a task. */
export type TaskUpdate = TaskStatusUpdateEvent | TaskArtifactUpdateEvent;

/** A whole artifact, or a chunk of it: the first chunk, or a chunk to append. */
export interface ArtifactPiece {
  readonly artifact: Artifact;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

const terminal: ReadonlySet<TaskState> = new Set<TaskState>([
  TaskState.Completed,
  TaskState.Failed,
  TaskState.Canceled,
  TaskState.Rejected,
]);

/** Returns whether a state is final. */
export function isTerminal(state: TaskState): boolean {
  return terminal.has(state);
}

/** Returns whether a task in this state has ended, or waits for a message. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || state === TaskState.InputRequired || state === TaskState.AuthRequired;
}

/** A task with all its updates. The snapshots that it returns never change. */
export class LiveTask {
  readonly id: string;
  readonly contextId: string;
  /** Messages that have not been processed yet. */
  readonly inbox: Message[] = [];
  readonly #log = new UpdateLog<TaskUpdate>();
  readonly #work = new AbortController();
  #snapshot: Task;

  constructor(id: string, contextId: string, status: TaskStatus) {
    this.id = id;
    this.contextId = contextId;
    this.#snapshot = { kind: "task", id, contextId, status };
  }

  /** Snapshot of the current task. */
  get snapshot(): Task {
    return this.#snapshot;
  }

  get state(): TaskState {
    return this.#snapshot.status.state;
  }

  /** Aborts when the task ends, so that running work stops. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  /** Calls `listener` for each further update. */
  listen(listener: (update: TaskUpdate) => void): void {
    this.#log.listen(listener);
  }

  /** Adds a message to the history and to the inbox. */
  receive(message: Message, metadata: Task["metadata"]): void {
    this.inbox.push(message);
    this.#remember(message);
    if (metadata !== undefined) this.#snapshot = { ...this.#snapshot, metadata };
  }

  /** Sets the state of the task. The message of the agent is added to the history. */
  setStatus(status: TaskStatus): void {
    const { id: taskId, contextId } = this;
    this.#snapshot = { ...this.#snapshot, status };
    if (status.message !== undefined) this.#remember(status.message);
    this.#log.publish({
      kind: "status-update",
      taskId,
      contextId,
      status,
      final: isSettled(status.state),
    });
    if (isTerminal(status.state)) this.#work.abort();
  }

  /** Adds an artifact, or a chunk of an artifact. */
  addArtifact(piece: ArtifactPiece): void {
    const { id: taskId, contextId } = this;
    this.#snapshot = {
      ...this.#snapshot,
      artifacts: merged(this.#snapshot.artifacts ?? [], piece),
    };
    this.#log.publish({ kind: "artifact-update", taskId, contextId, ...piece });
  }

  /**
   * Waits until the task has ended or is paused, or until `signal` aborts, and returns the current
   * task.
   */
  async settled(signal: AbortSignal): Promise<Task> {
    while (!isSettled(this.state) && !signal.aborted) await this.#log.next(signal);
    return this.#snapshot;
  }

  /**
   * Yields each further update until the task has ended or is paused, or until `signal` aborts.
   * Leaving the loop only ends this stream.
   */
  updates(signal: AbortSignal): AsyncIterable<TaskUpdate> {
    return this.#log.stream((update) => update.kind === "status-update" && update.final, signal);
  }

  #remember(message: Message): void {
    this.#snapshot = { ...this.#snapshot, history: [...(this.#snapshot.history ?? []), message] };
  }
}

/** Returns the artifacts after adding a chunk. */
function merged(artifacts: readonly Artifact[], { artifact, append }: ArtifactPiece): Artifact[] {
  const index = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const earlier = artifacts[index];
  if (earlier === undefined) return [...artifacts, artifact];
  const whole =
    append === true ? { ...earlier, parts: [...earlier.parts, ...artifact.parts] } : artifact;
  return artifacts.with(index, whole);
}
