import { applyEvents, Fold } from "../kit/log/fold.js";
import type { Artifact, StreamResponse, Task } from "../kit/model.js";

/** Events that follow a state of a task. */
interface Stretch {
  readonly base: Task;
  readonly events: StreamResponse[];
  /** Task after all events; set when a later stretch begins. */
  end?: Task;
  /** The state that was read last, and the number of its events. */
  read?: { readonly task: Task; readonly length: number };
}

/** Number of events in a stretch, in addition to the size of its task. */
const minEvents = 1_000;

/**
 * A task to which events are applied. Copies the task only for states that are read, because copies
 * after each event would take quadratic time.
 */
export class LiveTask {
  readonly #fold: Fold;
  #stretch: Stretch;
  #maxEvents = minEvents;

  constructor(task: Task) {
    this.#fold = new Fold(task);
    this.#stretch = { base: task, events: [] };
  }

  /** Current state, which the next event modifies. */
  get now(): Task {
    return this.#fold.task;
  }

  /** Current state, which later events do not modify. */
  get task(): Task {
    const { base, events } = this.#stretch;
    if (events.length === 0) return base;
    const task = this.#fold.release();
    this.#stretch.end = task;
    this.#stretch = { base: task, events: [] };
    return task;
  }

  /** Returns the artifact with an id. */
  find(artifactId: string): Artifact | undefined {
    return this.#fold.find(artifactId);
  }

  /** Applies an event of the task. Returns a function that returns the task after the event. */
  apply(event: StreamResponse): () => Task {
    // A limited stretch does not keep all events in memory. A longer stretch for a larger task
    // means that each event pays for a part of the copy that is the same for each size.
    if (this.#stretch.events.length >= this.#maxEvents)
      this.#maxEvents = minEvents + sizeOf(this.task);
    const stretch = this.#stretch;
    const length = stretch.events.push(event);
    this.#fold.event(event);
    return () =>
      length === stretch.events.length ? (stretch.end ?? this.task) : earlier(stretch, length);
  }
}

/** Returns the task after the first events of a stretch. */
function earlier(stretch: Stretch, length: number): Task {
  const { base, events, read } = stretch;
  // States are usually read in order.
  const from = read !== undefined && read.length <= length ? read : { task: base, length: 0 };
  const task = applyEvents(from.task, events.slice(from.length, length));
  stretch.read = { task, length };
  return task;
}

function sizeOf({ history = [], artifacts = [] }: Task): number {
  return artifacts.reduce((sum, { parts }) => sum + 1 + parts.length, history.length);
}
