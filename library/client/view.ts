import type {
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatus,
  TaskStatusUpdateEvent,
} from "../kit/model.js";
import type { FollowFacts } from "../kit/kit-facts.js";
import { type AuthRequest, authRequestOf } from "./auth-request.js";
import { differences } from "./differences.js";
import { LiveTask } from "./live-task.js";
import { hasAll, isSame, isSameStatus } from "./same.js";

/** A change to a task: the event, and the task after the event. */
export interface FollowedTask {
  /** Task after the event. It is created when it is read. */
  readonly task: Task;
  readonly message?: never;
  /** The event, which contains the change. */
  readonly event: StreamResponse;
  /**
   * Request for a sign-in to another service; present if the task began to wait for the sign-in
   * with this event.
   */
  readonly authRequired?: AuthRequest;
}

/** The part of an event that updates a task. */
export type Update = TaskStatusUpdateEvent | TaskArtifactUpdateEvent;

/**
 * The known state of a task, which distinguishes new events from events that were already
 * processed.
 */
export class TaskView {
  #live: LiveTask;
  /** Whether the client's protocol version has generations. */
  readonly #hasGenerations: boolean;
  /**
   * Whether the agent sends usable generations: `undefined` until the first response, and
   * permanently `false` after a contradiction.
   */
  #counts: boolean | undefined;
  /** The previous event, unless the task has been read since. */
  #last: Update | undefined;

  constructor(task: Task, { counts }: FollowFacts) {
    this.#live = new LiveTask(task);
    this.#hasGenerations = counts;
  }

  get task(): Task {
    return this.#live.task;
  }

  get status(): TaskStatus {
    return this.#live.now.status;
  }

  /**
   * Generation to send in a request that waits for a change; `undefined` if the agent does not
   * support generations.
   */
  get generation(): string | undefined {
    const generation = generationOf(this.#live.now);
    return !this.#hasGenerations || this.#counts === false || generation === 0n
      ? undefined
      : String(generation);
  }

  /** Processes the current task, and returns the changes. */
  read(task: Task): FollowedTask[] {
    const { now } = this.#live;
    if (task.id !== now.id) return [];
    this.#last = undefined;
    const generation = generationOf(task);
    if (generation === 0n) this.#counts = false;
    // Ignore the task if the agent has returned an outdated copy.
    if (this.#counts !== false && generation < generationOf(now)) return [];
    const events = differences(now, task);
    const changes = events.slice(0, -1).map((event) => this.#apply(event));
    const { status } = this;
    this.#live = new LiveTask(task);
    return [...changes, ...events.slice(-1).map((event) => followed(task, event, status))];
  }

  /**
   * Processes an event, and returns its change; `undefined` if the event is not new, and `"gap"` if
   * earlier events are missing.
   */
  update(event: StreamResponse): FollowedTask | "gap" | undefined {
    const update = updateOf(event);
    if (update?.taskId !== this.#live.now.id) return undefined;
    const place = this.#placeAndNote(update);
    if (place === "gap") return place;
    this.#last = update;
    const isNew = place === "next" || (place === "unknown" && this.#isNews(event));
    return isNew ? this.#apply(event) : undefined;
  }

  /**
   * Ignores generations in all later responses, because the agent's generations are inconsistent.
   */
  distrust(): void {
    this.#counts = false;
  }

  #apply(event: StreamResponse): FollowedTask {
    const { status } = this;
    const read = this.#live.apply(event);
    return followed(this.#live.now, event, status, read);
  }

  /**
   * Compares the generation of an event with the known state, and notes whether the generations of
   * the agent are usable.
   */
  #placeAndNote(update: Update): "next" | "seen" | "gap" | "unknown" {
    const [last, next] = [generationOf(this.#live.now), generationOf(update)];
    if (next === 0n) this.#counts = false;
    if (this.#counts === false || last === 0n) return "unknown";
    if (next > last + 1n) return "gap";
    if (next > last) {
      this.#counts = true;
      return "next";
    }
    if (next < last) return "seen";
    if (!("artifact" in update)) return "unknown";
    if (this.#counts === true && !this.#isReusedGeneration(update, next)) return "seen";
    // If two chunks have the same generation, the agent does not count generations correctly, or no
    // longer counts them.
    this.#counts = false;
    return "unknown";
  }

  /**
   * Returns whether the previous event had the same generation but different content. The same
   * event may arrive twice.
   */
  #isReusedGeneration(update: Update, generation: bigint): boolean {
    const before = this.#last;
    return before !== undefined && generationOf(before) === generation && !isSame(before, update);
  }

  /** Returns whether an event changes the task. An appended chunk always counts as a change. */
  #isNews({ statusUpdate, artifactUpdate }: StreamResponse): boolean {
    const { status, metadata } = this.#live.now;
    if (statusUpdate !== undefined) {
      return !isSameStatus(status, statusUpdate.status) || !hasAll(metadata, statusUpdate.metadata);
    }
    if (artifactUpdate?.append === true) return true;
    const { artifact } = artifactUpdate ?? {};
    return artifact !== undefined && !isSame(this.#live.find(artifact.artifactId), artifact);
  }
}

/**
 * Returns a change to a task, with the request for a sign-in if the task has begun to wait for a
 * sign-in. `read` returns the task if later events modify `now`.
 */
export function followed(
  now: Task,
  event: StreamResponse,
  before?: TaskStatus,
  read: () => Task = () => now,
): FollowedTask {
  let task: Task | undefined;
  const change: FollowedTask = {
    get task() {
      return (task ??= read());
    },
    event,
  };
  const hasStatus = event.statusUpdate !== undefined || event.task !== undefined;
  if (!hasStatus || (before !== undefined && isSameStatus(before, now.status))) return change;
  const authRequired = authRequestOf(now);
  return authRequired === undefined ? change : Object.assign(change, { authRequired });
}

/**
 * Returns the update in an event; `undefined` for a message, a task, or an event of a later
 * version.
 */
export function updateOf({ statusUpdate, artifactUpdate }: StreamResponse): Update | undefined {
  return statusUpdate ?? artifactUpdate;
}

/** Returns the 64-bit generation of a task or event; 0 if it is absent or not a number. */
function generationOf(value: object): bigint {
  const generation = "generation" in value ? value.generation : undefined;
  return typeof generation === "string" && /^\d{1,20}$/.test(generation) ? BigInt(generation) : 0n;
}
