import { parseTimestamp } from "../../runtime/base/time.js";
import type { Task, TaskState, TaskStatus } from "../../models.js";
import { withInbox } from "../fold.js";
import { isTerminal } from "../states.js";
import type { Entry, Expected, InboxItem, MessageEntry, Scope, Stored } from "../store.js";
import type { Hold } from "./leases.js";
import type { Place } from "./order.js";
import type { Hook } from "./outbox.js";
import { TaskLog } from "./task-log.js";
import type { LogWatch } from "./watches.js";

const noItems: readonly InboxItem[] = [];

/** What began the last turn of a task that has ended: nobody wants to know. */
const forgotten: InboxItem = { id: "" };

/** How many entries of a log are kept that nobody needs, for those who come a little later. */
const spareEntries = 256;

/** A task in memory, and what there is with it. What few tasks have is made when it is needed. */
export class TaskRecord implements Place {
  readonly scope: Scope;
  readonly id: string;
  readonly log: TaskLog;
  generation = 1;
  state: TaskState;
  time: number;
  inbox: readonly InboxItem[] = noItems;
  turn: InboxItem;
  checkpoint: unknown;
  /** Counts the leases. */
  epoch = 0;
  hold: Hold | undefined = undefined;
  watches: Set<LogWatch> | undefined = undefined;
  hooks: Map<string, Hook> | undefined = undefined;
  /** How many entries stay that nobody needs. */
  spare: number = spareEntries;
  #trimAt = 2 * spareEntries;

  constructor(scope: Scope, task: Task, turn: InboxItem, checkpoint: unknown) {
    this.scope = scope;
    this.id = task.id;
    this.log = new TaskLog(task);
    this.state = task.status.state;
    this.time = timeOf(task.status);
    this.turn = turn;
    this.checkpoint = checkpoint;
  }

  get hasEnded(): boolean {
    return isTerminal(this.state);
  }

  isIn({ tenant, owner }: Scope): boolean {
    return this.scope.tenant === tenant && this.scope.owner === owner;
  }

  /** The task as callers see it. */
  stored(): Stored {
    const { generation, inbox, turn, checkpoint } = this;
    return { task: withInbox(this.log.task(), inbox), generation, inbox, turn, checkpoint };
  }

  /** Returns in what the task differs from what a post expects. */
  departureFrom(expected: Expected = {}): "otherGeneration" | "otherContext" | "full" | undefined {
    const { generation = this.generation, contextId, maxInbox = Infinity } = expected;
    if (contextId !== undefined && contextId !== this.log.contextId) return "otherContext";
    if (generation !== this.generation) return "otherGeneration";
    return this.inbox.length < maxInbox ? undefined : "full";
  }

  /**
   * Returns those entries that the log has not got yet. Throws where they do not follow it: then none of them may be
   * added.
   */
  newOf(entries: readonly Entry[]): readonly Entry[] {
    let { generation } = this;
    let known = 0;
    for (const entry of entries) {
      const isEvent = "event" in entry;
      if (isEvent ? entry.generation <= this.generation : !this.#isInInbox(entry)) {
        known += 1;
        continue;
      }
      if (isEvent) generation += 1;
      if (entry.generation !== generation)
        throw new RangeError(`Generation ${String(entry.generation)} does not follow in the log of task ${this.id}`);
    }
    return known === 0 ? entries : entries.filter((entry) => this.#isNew(entry));
  }

  /** Adds entries that are new. Returns the last status among them. */
  append(entries: readonly Entry[], taken: readonly string[]): TaskStatus | undefined {
    let status: TaskStatus | undefined;
    for (const entry of entries) {
      if (!("event" in entry)) continue;
      this.generation = entry.generation;
      if ("statusUpdate" in entry.event) ({ status } = entry.event.statusUpdate);
    }
    this.log.append(entries);
    if (this.inbox.length > 0) this.#take(entries, taken);
    return status;
  }

  /** Drops entries that nobody needs, every now and then; those above a limit in any case. */
  trim(maxLog: number): void {
    const { log } = this;
    if (log.length < this.#trimAt && log.length <= maxLog * 1.125) return;
    let needed = log.end - this.spare;
    for (const watch of this.watches ?? []) needed = Math.min(needed, watch.position);
    for (const { isGivenUp, delivered } of this.hooks?.values() ?? []) {
      if (!isGivenUp) needed = Math.min(needed, log.positionAfter(delivered) ?? 0);
    }
    log.drop(Math.max(needed, log.end - maxLog));
    this.#trimAt = log.length + this.spare;
  }

  /** Notes where lists have the task from now on. */
  place(time: number, state: TaskState): void {
    this.time = time;
    this.state = state;
  }

  /** The task has ended: no turn follows that would want to know of the last one. */
  end(): void {
    this.turn = forgotten;
    this.checkpoint = undefined;
  }

  /** From now on, only those entries are kept that somebody needs. */
  keepNoSpare(): void {
    this.spare = 0;
    this.#trimAt = 1;
  }

  #take(entries: readonly Entry[], taken: readonly string[]): void {
    const gone = new Set(taken);
    for (const entry of entries) if ("message" in entry) gone.add(entry.item);
    if (gone.size > 0) this.inbox = this.inbox.filter(({ id }) => !gone.has(id));
  }

  #isNew(entry: Entry): boolean {
    return "event" in entry ? entry.generation > this.generation : this.#isInInbox(entry);
  }

  #isInInbox({ item }: MessageEntry): boolean {
    return this.inbox.some(({ id }) => id === item);
  }
}

/** Returns when a status was reached, in milliseconds since 1970; 0 where it does not say so. */
export function timeOf({ timestamp }: TaskStatus): number {
  const instant = timestamp === undefined ? undefined : parseTimestamp(timestamp);
  return instant === undefined ? 0 : instant.seconds * 1_000 + instant.nanos / 1_000_000;
}
