import type { StreamResponse, Task } from "../../generated/1.1-draft/index.js";
import type { Append, Effect, Script, Told, Woken } from "./protocol.js";

/** Observation of a subscriber: an event, or the task. */
export interface Seen {
  readonly generation: number;
  /** A hash of the event; absent for a task. */
  readonly event?: number;
}

/** Notification about a task. */
export interface TaskHistory {
  readonly id: string;
  readonly owner: string;
  readonly script: Script;
  /** Observations of each subscriber, in order. */
  readonly subscribers: Seen[][];
  /** The ids of messages that the agent has accepted. */
  readonly accepted: string[];
  isCanceled: boolean;
  /** Whether a subscriber saw the end. */
  hasEnded: boolean;
  /** The greatest generation that any caller has observed. */
  latest: number;
  /** The generation at which its webhook was made, and the generations that were posted to it. */
  webhook?: { readonly url: string; readonly after: number; readonly posted: number[] };
}

/** A turn as its process has told of it. */
export interface Began {
  readonly pid: number;
  readonly at: number;
  readonly from: number;
  readonly resumed: boolean;
  /** Event that has woken the task, if it slept. */
  readonly woken?: Woken;
}

/** A process that was killed, and the tasks that it was working on. */
export interface Kill {
  readonly pid: number;
  readonly at: number;
  readonly tasks: readonly string[];
}

/** Everything that is known about a run. */
export class History {
  readonly tasks = new Map<string, TaskHistory>();
  readonly turns = new Map<string, Began[]>();
  readonly claims = new Map<string, { readonly pid: number; readonly at: number }[]>();
  readonly appends = new Map<string, Append[]>();
  readonly effects = new Map<string, Effect[]>();
  /** Calls that claim tasks, with the times of their responses. */
  readonly asked: { readonly pid: number; readonly from: number; to: number }[] = [];
  readonly kills: Kill[] = [];
  /** Suspended processes, with the times of suspension and continuation. */
  readonly hangs: { readonly pid: number; readonly from: number; readonly at: number }[] = [];
  /** When the engine was away. */
  readonly outages: { readonly from: number; readonly to: number }[] = [];
  readonly problems: string[] = [];
  readonly errors = new Map<string, number>();
  events = 0;
  /** Events by their hashes. */
  readonly texts = new Map<number, string>();

  problem(text: string): void {
    this.problems.push(text);
  }

  /** A process has told something. */
  told(told: Told, pid: number, working: Set<string>): void {
    switch (told.kind) {
      case "began":
        working.add(told.task);
        listOf(this.turns, told.task).push({
          pid,
          at: told.at,
          from: told.from,
          resumed: told.resumed,
          ...(told.woken !== undefined && { woken: told.woken }),
        });
        break;
      case "over":
        working.delete(told.task);
        break;
      case "claiming":
        this.asked.push({ pid, from: told.at, to: Infinity });
        break;
      case "claimed":
        this.#answered(pid, told.at);
        for (const task of told.tasks) listOf(this.claims, task).push({ pid, at: told.at });
        break;
      case "appended":
        for (const append of told.appends) listOf(this.appends, append.task).push(append);
        break;
      case "did":
        for (const effect of told.effects) listOf(this.effects, effect.task).push(effect);
        break;
      case "error":
        this.errors.set(told.text, (this.errors.get(told.text) ?? 0) + 1);
        break;
      case "problem":
        this.problem(told.text);
        break;
      case "woken":
      case "ready":
    }
  }

  #answered(pid: number, at: number): void {
    const call = this.asked.findLast((each) => each.pid === pid && each.to === Infinity);
    if (call !== undefined) call.to = at;
  }

  #hashOf(event: StreamResponse): number {
    const hash = hashOf(event);
    if (!this.texts.has(hash)) this.texts.set(hash, JSON.stringify(event));
    return hash;
  }

  killed(pid: number, tasks: readonly string[], at: number): void {
    this.kills.push({ pid, tasks, at });
  }

  hung(pid: number, from: number, at: number): void {
    this.hangs.push({ pid, from, at });
  }

  /** A task was made. */
  task(id: string, owner: string, script: Script, messageId: string): TaskHistory {
    const task: TaskHistory = {
      id,
      owner,
      script,
      subscribers: [],
      accepted: [messageId],
      isCanceled: false,
      hasEnded: false,
      latest: 1,
    };
    this.tasks.set(id, task);
    return task;
  }

  /** A subscriber got something. */
  saw(task: TaskHistory, seen: Seen[], event: StreamResponse): void {
    this.events += 1;
    const { task: snapshot } = event;
    const generation = generationOf(snapshot ?? event.statusUpdate ?? event.artifactUpdate ?? {});
    seen.push(snapshot === undefined ? { generation, event: this.#hashOf(event) } : { generation });
    task.latest = Math.max(task.latest, generation);
  }
}

export function generationOf(value: Task | object): number {
  return "generation" in value ? Number(value.generation) : NaN;
}

function listOf<T>(map: Map<string, T[]>, key: string) {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

/** A number that two different events hardly have in common. */
export function hashOf(event: unknown): number {
  // Clients leave out what a time does not need.
  const text = JSON.stringify(event).replaceAll(".000Z", "Z");
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
