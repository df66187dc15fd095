import type { Task, TaskState, TaskStatus } from "../model.js";
import { withInbox } from "../log/fold.js";
import { newEntries } from "../log/new-entries.js";
import { sizeOf, sizeOfCall, sizeOfCheckpoint, sizeOfEntry, sizeOfItem } from "../limits/size.js";
import { isTerminal, timeOf } from "../states.js";
import {
  type Claim,
  type CreateOptions,
  type Entry,
  type Expected,
  type InboxItem,
  type ListedTask,
  type Posted,
  repeatWithinMs,
  type Scope,
  type Stored,
  type Webhook,
} from "../store.js";
import type { Link } from "./chain.js";
import type { Position } from "./order.js";
import { TaskLog } from "./task-log.js";
import { Share, type Tally } from "./tally.js";

const noItems: readonly InboxItem[] = [];

/** Placeholder for the turn of an ended task, which is no longer read. */
const endedTurn: InboxItem = { id: "" };

/** Minimum growth in bytes before the task itself is measured again. */
const minGrowth = 2 ** 20;

/** Number of additional entries to keep for subscribers that begin a little later. */
const spareEntries = 256;

/** State of a lease, or the time at which a task without a lease wakes. */
export interface Hold {
  /** `undefined` if no process holds the lease. */
  readonly holder: string | undefined;
  readonly expires: number;
  readonly onPost?: Claim["onPost"];
}

/** A watch on the entries of a task. */
export interface RecordWatch {
  /** Position of the first entry that the watch has not returned. */
  readonly position: number;
  /** Delivers appended entries. */
  wake(entries: readonly Entry[]): void;
  close(): void;
}

/**
 * A task in memory, with its log, lease, inbox, watches and webhooks. Rarely used parts are created
 * on demand.
 */
export class TaskRecord implements Position, Link<TaskRecord> {
  previous: TaskRecord | undefined = undefined;
  next: TaskRecord | undefined = undefined;
  readonly scope: Scope;
  readonly id: string;
  readonly log: TaskLog;
  generation = 1;
  state: TaskState;
  time: number;
  inbox: readonly InboxItem[] = noItems;
  /** Ids of posted items, with the time until which each id is remembered. */
  #posted: Map<string, number> | undefined;
  #turn: InboxItem;
  #checkpoint: unknown;
  /** Number of leases so far. */
  epoch = 0;
  hold: Hold | undefined = undefined;
  watches: Set<RecordWatch> | undefined = undefined;
  hooks: Map<string, Hook> | undefined = undefined;
  /** Number of additional entries to keep. */
  spare: number = spareEntries;
  #trimAt = 2 * spareEntries;
  /**
   * Size of the task at the last measurement, and the sizes of the entries and items since then.
   */
  #measuredBytes: number;
  #grownBytes = 0;
  #inboxBytes = 0;
  #turnBytes: number;
  #checkpointBytes: number;
  /** Sum of all sizes, which is cached because lists add up the sizes of many tasks. */
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
    this.#measuredBytes = sizeOf(task);
    this.tally();
  }

  /**
   * Approximate size of the task as JSON, in bytes: its snapshot, the entries after it, its inbox,
   * the call of its turn, and its checkpoint. The message of the turn is part of the history.
   */
  get bytes(): number {
    return this.#bytes;
  }

  /** The item that began the current or the last turn. */
  get turn(): InboxItem {
    return this.#turn;
  }

  get checkpointBytes(): number {
    return this.#checkpointBytes;
  }

  /** Replaces the turn and the checkpoint. If a value is absent, keeps the stored value. */
  keep(turn: InboxItem | undefined, checkpoint: unknown): void {
    if (turn !== undefined) {
      // Each status stores the turn again with the same call, so only measure the call if it is
      // new.
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

  /** Adds the usage of the task to the tally of its owner. */
  tallyIn(tally: Tally): void {
    this.#share = new Share(tally);
    this.tally();
  }

  /** Updates the usage of the task. Must be called after each change. */
  tally(): void {
    this.#bytes =
      this.#measuredBytes +
      this.#grownBytes +
      this.#inboxBytes +
      this.#turnBytes +
      this.#checkpointBytes;
    this.#share?.set(!this.hasEnded, this.bytes, this.hooks?.size ?? 0);
  }

  /** Removes the usage of the task from the tally of its owner. */
  untally(): void {
    this.#share?.set(false, 0, 0);
    this.#share = undefined;
  }

  /** Returns the task with its inbox, its turn and its checkpoint. */
  stored(): Stored {
    const { generation, inbox, bytes } = this;
    const [turn, checkpoint] = [this.#turn, this.#checkpoint];
    return { task: withInbox(this.log.task(), inbox), generation, inbox, turn, checkpoint, bytes };
  }

  /** Returns the task for a list. */
  listed(): ListedTask {
    return { task: withInbox(this.log.task(), this.inbox), generation: this.generation };
  }

  /**
   * Posts an item, or returns the reason why the task does not accept the item. Accepts an item
   * that is already in the inbox, because a call may be repeated after its response was lost.
   * Returns "posted" if a turn has taken the item.
   */
  post(
    item: InboxItem,
    expected: Expected,
    now: number,
  ): Exclude<Posted["outcome"], "leased"> | undefined {
    if (this.inbox.some((known) => known.id === item.id)) return undefined;
    const isCancelOfEnded = this.hasEnded && item.cancel !== undefined;
    if (!isCancelOfEnded && (this.#posted?.get(item.id) ?? 0) > now) return "posted";
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
    this.#remember(item.id, now);
    this.#inboxBytes += bytes;
    this.tally();
    return undefined;
  }

  /** Remembers a posted item, and forgets the items whose calls are no longer repeated. */
  #remember(item: string, now: number): void {
    const posted = (this.#posted ??= new Map());
    for (const [knownId, until] of posted) {
      if (until > now) break;
      posted.delete(knownId);
    }
    // Deleting the id first keeps the ids ordered by their times.
    posted.delete(item);
    posted.set(item, now + repeatWithinMs);
  }

  /**
   * Returns the entries that are not in the log yet.
   * @throws If there is a gap between the log and the entries. In this case, none of the entries
   *   may be added.
   */
  newOf(entries: readonly Entry[]): readonly Entry[] {
    return newEntries(entries, this, (item) => this.inbox.some(({ id }) => id === item));
  }

  /**
   * Adds new entries, and returns the last status among them. `known` contains values that the
   * writer has already computed.
   */
  append(
    entries: readonly Entry[],
    taken: readonly string[],
    known: Pick<CreateOptions, "result" | "eventBytes">,
  ): TaskStatus | undefined {
    let status: TaskStatus | undefined;
    for (const entry of entries) {
      if (!("event" in entry)) continue;
      this.generation = entry.generation;
      if ("statusUpdate" in entry.event) ({ status } = entry.event.statusUpdate);
    }
    this.log.append(entries, known.result);
    this.#measure(entries, known.eventBytes);
    if (this.inbox.length > 0) this.#take(entries, taken);
    return status;
  }

  /**
   * Drops entries that no watch or webhook requires. Entries above the limit are always dropped.
   */
  trim(maxLog: number): void {
    const { log } = this;
    // Drop many entries at a time, because each trim copies the remaining entries.
    if (log.length < this.#trimAt && log.length <= maxLog * 1.125) return;
    let needed = log.end - this.spare;
    for (const watch of this.watches ?? []) needed = Math.min(needed, watch.position);
    for (const { isGivenUp, delivered } of this.hooks?.values() ?? []) {
      if (!isGivenUp) needed = Math.min(needed, log.positionAfter(delivered) ?? 0);
    }
    log.drop(Math.max(needed, log.end - maxLog));
    this.#trimAt = log.length + this.spare;
  }

  /** Stores the position of the task in lists. */
  place(time: number, state: TaskState): void {
    this.time = time;
    this.state = state;
  }

  /**
   * Removes the turn after the task has ended, and its checkpoint unless the checkpoint was written
   * with the end.
   */
  end(keepsCheckpoint: boolean): void {
    this.#turn = endedTurn;
    this.#turnBytes = 0;
    if (!keepsCheckpoint) {
      this.#checkpoint = undefined;
      this.#checkpointBytes = 0;
    }
    this.tally();
  }

  /** Stops keeping additional entries. */
  keepNoSpare(): void {
    this.spare = 0;
    this.#trimAt = 1;
  }

  #take(entries: readonly Entry[], taken: readonly string[]): void {
    const takenIds = new Set(taken);
    for (const entry of entries) if ("message" in entry) takenIds.add(entry.item);
    if (takenIds.size === 0) return;
    this.inbox = this.inbox.filter(({ id }) => !takenIds.has(id));
    this.#inboxBytes = 0;
    for (const item of this.inbox) this.#inboxBytes += sizeOfItem(item);
  }

  /**
   * Adds the size of entries. Measures the task itself again after it has doubled, because entries
   * may replace earlier data.
   */
  #measure(entries: readonly Entry[], eventBytes: number | undefined): void {
    this.#grownBytes += eventBytes ?? 0;
    for (const entry of entries)
      if (eventBytes === undefined || !("event" in entry)) this.#grownBytes += sizeOfEntry(entry);
    if (this.#grownBytes < this.#measuredBytes + minGrowth) return;
    this.#measuredBytes = sizeOf(this.log.task());
    this.#grownBytes = 0;
  }
}

/** A webhook, and its delivery state. */
export class Hook {
  readonly record: TaskRecord;
  readonly webhook: Webhook;
  /** Generation of the last event that was delivered. */
  delivered: number;
  failures = 0;
  /** Number of leases so far. */
  epoch: number;
  holder: string | undefined = undefined;
  /** Time at which the webhook's lease expires, or at which the next attempt is due. */
  wakeAt = 0;
  isGivenUp = false;

  constructor(record: TaskRecord, webhook: Webhook, epoch: number) {
    this.record = record;
    this.webhook = webhook;
    this.delivered = webhook.after;
    this.epoch = epoch;
  }
}
