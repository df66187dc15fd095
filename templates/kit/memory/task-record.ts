import type { Task, TaskState, TaskStatus } from "../model.js";
import { withInbox } from "../log/fold.js";
import { newEntries } from "../log/new-entries.js";
import { sizeOf, sizeOfCall, sizeOfCheckpoint, sizeOfEntry, sizeOfItem } from "../limits/size.js";
import { isTerminal, timeOf } from "../states.js";
import type { Entry, Expected, InboxItem, ListedTask, Posted, Scope, Stored } from "../store.js";
import type { Hold } from "./leases.js";
import type { Place } from "./order.js";
import type { Hook } from "./outbox.js";
import { TaskLog } from "./task-log.js";
import { Share, type Tally } from "./tally.js";
import type { LogWatch } from "./watches.js";

const noItems: readonly InboxItem[] = [];

/** What began the last turn of a task that has ended: nobody wants to know. */
const forgotten: InboxItem = { id: "" };

/** How many bytes of entries there are at least before the task itself is measured again. */
const leastGrowth = 2 ** 20;

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
  #turn: InboxItem;
  #checkpoint: unknown;
  /** Counts the leases. */
  epoch = 0;
  hold: Hold | undefined = undefined;
  watches: Set<LogWatch> | undefined = undefined;
  hooks: Map<string, Hook> | undefined = undefined;
  /** How many entries stay that nobody needs. */
  spare: number = spareEntries;
  #trimAt = 2 * spareEntries;
  /** Size of the task when it was last measured, and of the entries and items since. */
  #measured: number;
  #grown = 0;
  #inboxBytes = 0;
  #turnBytes: number;
  #checkpointBytes: number;
  /** The sum of all sizes, as lists add up those of many tasks. */
  #bytes = 0;
  #share: Share | undefined;

  constructor(scope: Scope, task: Task, turn: InboxItem, checkpoint: unknown) {
    this.scope = scope;
    this.id = task.id;
    this.log = new TaskLog(task);
    this.state = task.status.state;
    this.time = timeOf(task.status);
    this.#turn = turn;
    this.#checkpoint = checkpoint;
    this.#turnBytes = sizeOfCall(turn.call);
    this.#checkpointBytes = sizeOfCheckpoint(checkpoint);
    this.#measured = sizeOf(task);
    this.tally();
  }

  /**
   * About how many bytes the task takes as JSON: its snapshot, the entries since, its inbox, the call of its turn, and its
   * checkpoint. The message of the turn is part of the history.
   */
  get bytes(): number {
    return this.#bytes;
  }

  /** What began the turn that is at work, or the last one. */
  get turn(): InboxItem {
    return this.#turn;
  }

  /** Replaces what began the turn, and the checkpoint; an absent one stays. */
  keep(turn: InboxItem | undefined, checkpoint: unknown): void {
    if (turn !== undefined) {
      // Each status sets the turn again, with the same call.
      if (turn.call !== this.#turn.call) this.#turnBytes = sizeOfCall(turn.call);
      this.#turn = turn;
    }
    if (checkpoint === undefined) return;
    this.#checkpoint = checkpoint;
    this.#checkpointBytes = sizeOfCheckpoint(checkpoint);
  }

  get hasEnded(): boolean {
    return isTerminal(this.state);
  }

  isIn({ tenant, owner }: Scope): boolean {
    return this.scope.tenant === tenant && this.scope.owner === owner;
  }

  /** Adds what the task takes to the tally of its owner. */
  tallyIn(tally: Tally): void {
    this.#share = new Share(tally);
    this.tally();
  }

  /** Notes what the task takes, whenever that has changed. */
  tally(): void {
    this.#bytes = this.#measured + this.#grown + this.#inboxBytes + this.#turnBytes + this.#checkpointBytes;
    this.#share?.set(!this.hasEnded, this.bytes, this.hooks?.size ?? 0);
  }

  /** Removes what the task takes from the tally of its owner. */
  untally(): void {
    this.#share?.set(false, 0, 0);
    this.#share = undefined;
  }

  /** The task as callers see it. */
  stored(): Stored {
    const { generation, inbox, bytes } = this;
    const [turn, checkpoint] = [this.#turn, this.#checkpoint];
    return { task: withInbox(this.log.task(), inbox), generation, inbox, turn, checkpoint, bytes };
  }

  /** The task as lists have it. */
  listed(): ListedTask {
    return { task: withInbox(this.log.task(), this.inbox), generation: this.generation };
  }

  /**
   * Posts an item, unless the task differs from what the post expects; returns in what it does. A call may be repeated
   * whose response was lost.
   */
  post(item: InboxItem, expected: Expected = {}): Exclude<Posted["outcome"], "leased" | "posted"> | undefined {
    if (this.inbox.some((other) => other.id === item.id)) return undefined;
    if (this.hasEnded) return "ended";
    const { generation = this.generation, contextId, maxInbox = Infinity } = expected;
    if (contextId !== undefined && contextId !== this.log.contextId) return "otherContext";
    if (generation !== this.generation) return "otherGeneration";
    const bytes = sizeOfItem(item);
    if (item.cancel === undefined) {
      const { maxInboxBytes = Infinity, maxBytes = Infinity } = expected;
      if (this.inbox.length >= maxInbox || this.#inboxBytes + bytes > maxInboxBytes) return "full";
      if (this.bytes + bytes > maxBytes) return "tooLarge";
    }
    this.inbox = [...this.inbox, item];
    this.#inboxBytes += bytes;
    this.tally();
    return undefined;
  }

  /**
   * Returns those entries that the log has not got yet. Throws where they do not follow it: then none of them may be
   * added.
   */
  newOf(entries: readonly Entry[]): readonly Entry[] {
    return newEntries(entries, this, (item) => this.inbox.some(({ id }) => id === item));
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
    this.#measure(entries);
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
    this.#turn = forgotten;
    this.#checkpoint = undefined;
    this.#turnBytes = this.#checkpointBytes = 0;
    this.tally();
  }

  /** From now on, only those entries are kept that somebody needs. */
  keepNoSpare(): void {
    this.spare = 0;
    this.#trimAt = 1;
  }

  #take(entries: readonly Entry[], taken: readonly string[]): void {
    const gone = new Set(taken);
    for (const entry of entries) if ("message" in entry) gone.add(entry.item);
    if (gone.size === 0) return;
    this.inbox = this.inbox.filter(({ id }) => !gone.has(id));
    this.#inboxBytes = 0;
    for (const item of this.inbox) this.#inboxBytes += sizeOfItem(item);
  }

  /** Adds the size of entries. Measures the task itself when it has doubled, as entries replace what earlier ones said. */
  #measure(entries: readonly Entry[]): void {
    for (const entry of entries) this.#grown += sizeOfEntry(entry);
    if (this.#grown < this.#measured + leastGrowth) return;
    this.#measured = sizeOf(this.log.task());
    this.#grown = 0;
  }
}
