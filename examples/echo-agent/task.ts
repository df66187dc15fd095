import {
  TaskState,
  type Artifact,
  type Message,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from "../../generated/1.0/index.js";
import { UpdateLog } from "../shared/update-log.js";

/** A piece of an artifact: the whole of it, the first piece, or one to add to those before. */
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

/** Returns whether a task in this state is over for good. */
export function isTerminal(state: TaskState): boolean {
  return terminal.has(state);
}

/** Returns whether a task in this state does nothing until somebody sends a message, or ever. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || state === TaskState.InputRequired || state === TaskState.AuthRequired;
}

/** A task and all that has happened to it. The snapshots that it hands out never change. */
export class LiveTask {
  readonly id: string;
  readonly contextId: string;
  /** Messages that nobody has worked on yet. */
  readonly inbox: Message[] = [];
  readonly #log = new UpdateLog<StreamResponse>();
  readonly #work = new AbortController();
  #snapshot: Task;

  constructor(id: string, contextId: string, status: TaskStatus) {
    this.id = id;
    this.contextId = contextId;
    this.#snapshot = { id, contextId, status };
  }

  /** The task as it is now. */
  get snapshot(): Task {
    return this.#snapshot;
  }

  get state(): TaskState {
    return this.#snapshot.status.state;
  }

  /** Fires when the task is over, so that whoever works on it stops. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  /** Calls `listener` at every update from now on. */
  listen(listener: (update: StreamResponse) => void): void {
    this.#log.listen(listener);
  }

  /** Takes a message in: it becomes part of the history and waits in the inbox. */
  receive(message: Message, metadata: Task["metadata"]): void {
    this.inbox.push(message);
    this.#remember(message);
    if (metadata !== undefined) this.#snapshot = { ...this.#snapshot, metadata };
  }

  /** Brings the task into a new state. What the agent says with it becomes part of the history. */
  setStatus(status: TaskStatus): void {
    this.#snapshot = { ...this.#snapshot, status };
    if (status.message !== undefined) this.#remember(status.message);
    this.#log.publish({ statusUpdate: { taskId: this.id, contextId: this.contextId, status } });
    if (isTerminal(status.state)) this.#work.abort();
  }

  /** Adds an artifact, or a piece of one. */
  addArtifact(piece: ArtifactPiece): void {
    this.#snapshot = { ...this.#snapshot, artifacts: merged(this.#snapshot.artifacts ?? [], piece) };
    this.#log.publish({ artifactUpdate: { taskId: this.id, contextId: this.contextId, ...piece } });
  }

  /** Waits until the task is over or paused, or nobody cares any more, and returns it as it is then. */
  async settled(signal: AbortSignal): Promise<Task> {
    while (!isSettled(this.state) && !signal.aborted) await this.#log.next(signal);
    return this.#snapshot;
  }

  /**
   * Yields every update from now on, until the task comes into a state that `isLast` accepts or `signal` fires. Leaving
   * the loop touches nothing but this stream.
   */
  updates(isLast: (state: TaskState) => boolean, signal: AbortSignal): AsyncIterable<StreamResponse> {
    return this.#log.stream(({ statusUpdate: update }) => update !== undefined && isLast(update.status.state), signal);
  }

  #remember(message: Message): void {
    this.#snapshot = { ...this.#snapshot, history: [...(this.#snapshot.history ?? []), message] };
  }
}

/** Returns the artifacts with the piece put in its place. */
function merged(artifacts: readonly Artifact[], { artifact, append }: ArtifactPiece): Artifact[] {
  const index = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const earlier = artifacts[index];
  if (earlier === undefined) return [...artifacts, artifact];
  const whole = append === true ? { ...earlier, parts: [...earlier.parts, ...artifact.parts] } : artifact;
  return artifacts.with(index, whole);
}
