import type { Models, StreamResponse, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "../model.js";
import type { FollowFacts } from "../kit-facts.js";
import { applyEvent } from "../log/fold.js";
import { differences } from "./differences.js";
import { hasAll, isSame, isSameStatus } from "./same.js";

/** A change of a task: the event that says it, and the task after it. */
export interface FollowedTask<M extends Models = Models> {
  readonly task: M["Task"];
  readonly message?: never;
  readonly event: M["StreamResponse"];
}

/** What an event says of a task that it does not carry. */
export type Update = TaskStatusUpdateEvent | TaskArtifactUpdateEvent;

/** What is known of a task, by which what is new is told from what has been seen. */
export class TaskView {
  #task: Task;
  /** Whether the version of the client counts the changes of tasks. */
  readonly #isCounted: boolean;
  /** Whether the agent counts the changes of the task: not before it has been seen to, never after it failed to. */
  #counts: boolean | undefined;
  /** The event before, if the task has not been read since. */
  #last: Update | undefined;

  constructor(task: Task, { counts }: FollowFacts) {
    this.#task = task;
    this.#isCounted = counts;
  }

  get task(): Task {
    return this.#task;
  }

  /** The generation to wait beyond; `undefined` where the agent does not count. */
  get generation(): string | undefined {
    const generation = generationOf(this.#task);
    return !this.#isCounted || this.#counts === false || generation === 0n ? undefined : String(generation);
  }

  /** Takes in the task as it is now, and returns what has changed. */
  read(now: Task): FollowedTask[] {
    if (now.id !== this.#task.id) return [];
    this.#last = undefined;
    const generation = generationOf(now);
    if (generation === 0n) this.#counts = false;
    // A copy of the agent's data that lags behind.
    if (this.#counts !== false && generation < generationOf(this.#task)) return [];
    const events = differences(this.#task, now);
    const changes = events.slice(0, -1).map((event) => this.#apply(event));
    this.#task = now;
    return [...changes, ...events.slice(-1).map((event) => ({ task: now, event }))];
  }

  /** Takes in an event that is new, and returns it. One that is not has no result; before a `"gap"` others are missing. */
  update(event: StreamResponse): FollowedTask | "gap" | undefined {
    const update = updateOf(event);
    if (update?.taskId !== this.#task.id) return undefined;
    const place = this.#placeOf(update);
    if (place === "gap") return place;
    this.#last = update;
    const isNew = place === "next" || (place === "unknown" && this.#isNews(event));
    return isNew ? this.#apply(event) : undefined;
  }

  /** Goes by what events say from here on: the generations of the agent lead nowhere. */
  distrust(): void {
    this.#counts = false;
  }

  #apply(event: StreamResponse): FollowedTask {
    this.#task = applyEvent(this.#task, event);
    return { task: this.#task, event };
  }

  /** Returns where an event is next to what is known, by its generation. */
  #placeOf(update: Update): "next" | "seen" | "gap" | "unknown" {
    const [last, next] = [generationOf(this.#task), generationOf(update)];
    if (next === 0n) this.#counts = false;
    if (this.#counts === false || last === 0n) return "unknown";
    if (next > last + 1n) return "gap";
    if (next > last) {
      this.#counts = true;
      return "next";
    }
    if (next < last) return "seen";
    if (!("artifact" in update)) return "unknown";
    if (this.#counts === true && !this.#isRepeated(update, next)) return "seen";
    // One generation for two pieces: the agent does not count, or no longer.
    this.#counts = false;
    return "unknown";
  }

  /** Returns whether another event with the same generation came right before; one event may come twice. */
  #isRepeated(update: Update, generation: bigint): boolean {
    const before = this.#last;
    return before !== undefined && generationOf(before) === generation && !isSame(before, update);
  }

  /** Returns whether an event changes the task. A piece that is added always does. */
  #isNews({ statusUpdate, artifactUpdate }: StreamResponse): boolean {
    const { status, artifacts, metadata } = this.#task;
    if (statusUpdate !== undefined) {
      return !isSameStatus(status, statusUpdate.status) || !hasAll(metadata, statusUpdate.metadata);
    }
    if (artifactUpdate?.append === true) return true;
    const { artifact } = artifactUpdate ?? {};
    return !isSame(
      artifacts?.find(({ artifactId }) => artifactId === artifact?.artifactId),
      artifact,
    );
  }
}

/** Returns what an event says of a task: nothing where it is a message, a task, or what a later version has added. */
export function updateOf({ statusUpdate, artifactUpdate }: StreamResponse): Update | undefined {
  return statusUpdate ?? artifactUpdate;
}

/** Returns the generation of a task or an event, which has 64 bits: 0 if it has none, or one that is no such number. */
function generationOf(value: object): bigint {
  const generation = "generation" in value ? value.generation : undefined;
  return typeof generation === "string" && /^\d{1,20}$/.test(generation) ? BigInt(generation) : 0n;
}
