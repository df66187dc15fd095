import { TaskExistsError, LeaseLostError, markAsOwn } from "../store.js";
import type {
  Appended,
  AppendOptions,
  Claim,
  Claimed,
  CreateOptions,
  Delivery,
  Entry,
  ErasureTarget,
  Expected,
  InboxItem,
  Lease,
  Leased,
  Posted,
  Renewed,
  Retention,
  Scope,
  Stored,
  TaskPage,
  TaskQuery,
  TaskStore,
  Usage,
  Watch,
  Webhook,
  WebhookLease,
} from "../store.js";
import type { Task, TaskStatus } from "../model.js";
import { pageBytes } from "../limits/size.js";
import { timeOf } from "../states.js";
import { cursorOf, positionOf } from "./cursor.js";
import { EndedTasks, type Limits } from "./ended-tasks.js";
import { Leases } from "./leases.js";
import type { MemoryStoreOptions } from "./options.js";
import { Outbox } from "./outbox.js";
import { maxHeapBytes } from "./heap.js";
import { ignoringErrors } from "./ignoring-errors.js";
import { TaskIndex } from "./task-index.js";
import { Tally } from "./tally.js";
import { TaskRecord } from "./task-record.js";
import { EarlyWatches, LogWatch } from "./watches.js";
import { errorOf } from "../thrown.js";

export type { MemoryStoreOptions } from "./options.js";

const none: readonly string[] = [];

/** Maximum number of ended tasks that each write deletes. */
const stepPerWrite = 4;

/** Default maximum number of tasks that one call of `deleteExpired` deletes. */
const defaultStep = 100;

/**
 * Returns a store that keeps tasks in the memory of this process. If the ended tasks exceed the
 * limits in `options`, each write deletes a few of the oldest tasks.
 */
export function memoryStore(options: MemoryStoreOptions = {}): TaskStore {
  // The store returns the tasks that it was given, so they have the types of the output.
  return new MemoryStore(options);
}

class MemoryStore implements TaskStore {
  readonly #now: () => number;
  readonly #maxLog: number;
  readonly #limits: Limits;
  readonly #records = new Map<string, TaskRecord>();
  readonly #index = new TaskIndex();
  readonly #leases = new Leases();
  readonly #early = new EarlyWatches();
  readonly #outbox = new Outbox();
  readonly #ended = new EndedTasks();
  readonly #marks = new Map<string, string>();

  constructor(options: MemoryStoreOptions) {
    const { now = Date.now, maxLog = 10_000, maxCount = 10_000 } = options;
    const { maxAgeMs = 24 * 60 * 60 * 1_000 } = options;
    // A quarter of the heap leaves room for open tasks, calls, and the difference between the
    // estimate and the memory.
    const { maxBytes = Math.min(256 * 2 ** 20, maxHeapBytes() / 4) } = options;
    this.#now = now;
    this.#maxLog = maxLog;
    this.#limits = { maxCount, maxAgeMs, maxBytes };
    markAsOwn(this);
  }

  create(task: Task, options: CreateOptions): Promise<Lease | undefined> {
    try {
      return Promise.resolve(this.#create(task, options));
    } catch (error) {
      return Promise.reject(errorOf(error));
    }
  }

  read(scope: Scope, id: string): Promise<Stored | undefined> {
    return promised(() => this.#find(scope, id)?.stored());
  }

  post(
    scope: Scope,
    id: string,
    item: InboxItem,
    claim: Claim,
    expected: Expected = {},
  ): Promise<Posted | undefined> {
    return promised(() => {
      const record = this.#find(scope, id);
      if (record === undefined) return undefined;
      const now = this.#now();
      const isNew = !record.inbox.some((known) => known.id === item.id);
      const outcome = record.post(item, expected, now);
      if (outcome === "posted") return { outcome, stored: record.stored() };
      if (outcome !== undefined)
        return { outcome, state: record.state, generation: record.generation };
      const stored = record.stored();
      if (this.#leases.isFree(record, now))
        return { outcome: "leased", isNew, lease: this.#leases.take(record, claim, now), stored };
      const onPost = record.hold?.onPost;
      if (onPost !== undefined) ignoringErrors(onPost, scope, id);
      return { outcome: "posted", stored };
    });
  }

  append(lease: Lease, entries: readonly Entry[], options: AppendOptions = {}): Promise<Appended> {
    return promised(() => {
      const { taken = [], turn, checkpoint, release = false, ttlMs = 0 } = options;
      const record = this.#records.get(lease.id);
      if (record === undefined) throw new LeaseLostError(`The task ${lease.id} has been deleted`);
      if (this.#isReleased(record, lease) && record.newOf(entries).length === 0)
        return { inbox: [], released: true, bytes: record.bytes };
      const now = this.#now();
      if (!this.#leases.isHeld(record, lease, now))
        throw new LeaseLostError(
          `The lease ${String(lease.epoch)} of the task ${lease.id} has been lost`,
        );
      const added = record.newOf(entries);
      const hadEnded = record.hasEnded;
      if (!hadEnded) record.keep(turn, checkpoint);
      // A repeated append may contain entries that are already in the log.
      const eventBytes = added === entries ? options.eventBytes : undefined;
      const status = record.append(added, taken, { eventBytes });
      if (status !== undefined) this.#place(record, status);
      this.#notify(record, added, hadEnded, checkpoint !== undefined);
      record.tally();
      const { inbox, bytes } = record;
      const released = release && inbox.length === 0;
      if (released) this.#release(record, options, now);
      else this.#leases.extend(record, now + ttlMs);
      return { inbox, released, bytes };
    });
  }

  watch(scope: Scope, id: string, after: number): Watch {
    // The first event of a task is its creation, which has no entry in the log.
    const watch = new LogWatch({ scope, id }, Math.max(1, after), this);
    const record = this.#find(scope, id);
    if (record !== undefined) watch.attach(record);
    else if (after === 0) this.#early.add(watch);
    // The task was deleted after the caller had read its generation.
    else watch.close();
    return watch;
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return promised(() => {
      const { cursor } = query;
      const limit = Math.max(1, query.limit);
      const before = cursor === undefined ? undefined : positionOf(cursor);
      const { records, total } = this.#index.find(scope, { ...query, limit: limit + 1 }, before);
      const { count, bytes } = pageSizeOf(records, limit);
      const tasks = records.slice(0, count).map((record) => record.listed());
      const last = records.length > count ? records[count - 1] : undefined;
      return last === undefined
        ? { tasks, total, bytes }
        : { tasks, total, bytes, next: cursorOf(last) };
    });
  }

  renew(leases: readonly Lease[], claim: Claim): Promise<Renewed> {
    return promised(() => {
      const now = this.#now();
      const held = leases.filter((lease) => {
        const record = this.#find(lease.scope, lease.id);
        return record !== undefined && this.#leases.renew(record, lease, claim, now);
      });
      return { held };
    });
  }

  claimExpired(claim: Claim, limit: number): Promise<Claimed<Leased>> {
    return promised(() => {
      const now = this.#now();
      const found = this.#leases.expired(now, limit);
      const records = found.slice(0, pageSizeOf(found, limit).count);
      const rows = records.map((record) => ({
        lease: this.#leases.take(record, claim, now),
        stored: record.stored(),
      }));
      return {
        rows,
        unreadable: [],
        hasMore: found.length === limit || records.length < found.length,
      };
    });
  }

  putWebhook(scope: Scope, webhook: Webhook, max?: number): Promise<"put" | "full" | undefined> {
    return promised(() => {
      const record = this.#find(scope, webhook.taskId);
      const outcome = record && this.#outbox.put(record, webhook, max);
      record?.tally();
      return outcome;
    });
  }

  webhooks(scope: Scope, taskId: string): Promise<readonly Webhook[] | undefined> {
    return promised(() => {
      const record = this.#find(scope, taskId);
      return record && this.#outbox.list(record);
    });
  }

  deleteWebhook(scope: Scope, taskId: string, id: string): Promise<boolean> {
    return promised(() => {
      const record = this.#find(scope, taskId);
      if (record !== undefined) this.#outbox.drop(record, id);
      record?.tally();
      return record !== undefined;
    });
  }

  claimWebhooks(claim: Claim, limit: number): Promise<Claimed<WebhookLease>> {
    return promised(() => this.#outbox.due(claim, limit, this.#now()));
  }

  delivered(lease: WebhookLease, outcome: Delivery): Promise<void> {
    return promised(() => {
      const record = this.#records.get(lease.webhook.taskId);
      if (record === undefined) return;
      this.#outbox.settle(record, lease, outcome, this.#now());
      record.trim(this.#maxLog);
    });
  }

  deleteExpired({
    maxAgeMs = Infinity,
    maxCount = Infinity,
    step = defaultStep,
  }: Retention): Promise<number> {
    return promised(() => this.#deleteExpired({ maxAgeMs, maxCount, maxBytes: Infinity }, step));
  }

  usage(scope: Scope, withStored: boolean): Promise<Usage> {
    return promised(() => (this.#index.tally(scope) ?? new Tally()).usage(withStored));
  }

  erase({ tenant, owner, taskId }: ErasureTarget, step: number): Promise<number> {
    return promised(() => {
      const records =
        taskId === undefined
          ? this.#index.some(tenant, owner, step)
          : [this.#find({ tenant, owner: owner ?? "" }, taskId)].filter(
              (record) => record !== undefined,
            );
      for (const record of records) {
        this.#remove(record);
        for (const watch of [...(record.watches ?? [])]) watch.close();
      }
      this.#ended.remove(new Set(records));
      return records.length;
    });
  }

  mark(name: string, value?: string): Promise<string | undefined> {
    const marked = this.#marks.get(name) ?? value;
    if (marked !== undefined) this.#marks.set(name, marked);
    return Promise.resolve(marked);
  }

  isEmpty(): Promise<boolean> {
    return Promise.resolve(this.#records.size === 0);
  }

  onDue(listener: () => boolean): () => void {
    return this.#outbox.listen(listener);
  }

  /** Removes a closed watch of this store. */
  closed(watch: LogWatch): void {
    if (watch.record === undefined) this.#early.remove(watch);
    else watch.record.trim(this.#maxLog);
  }

  #find(scope: Scope, id: string): TaskRecord | undefined {
    const record = this.#records.get(id);
    return record?.isIn(scope) === true ? record : undefined;
  }

  #create(task: Task, options: CreateOptions): Lease | undefined {
    const { scope, turn, claim, entries = [], checkpoint, webhooks } = options;
    if (this.#records.has(task.id))
      throw new TaskExistsError(`A task with the id ${task.id} already exists`);
    const record = new TaskRecord(scope, task, turn, checkpoint);
    const added = record.newOf(entries);
    const lease = claim === undefined ? undefined : this.#leases.take(record, claim, this.#now());
    if (claim === undefined) this.#release(record, options, this.#now());
    this.#records.set(task.id, record);
    this.#early.attach(record);
    if (webhooks !== undefined) for (const webhook of webhooks) this.#outbox.put(record, webhook);
    const status = record.append(added, none, options);
    if (status !== undefined) record.place(timeOf(status), status.state);
    this.#index.add(record);
    // The task is new, so no subscriber of an earlier log can continue.
    if (record.hasEnded) record.keepNoSpare();
    this.#notify(record, added, false, checkpoint !== undefined);
    return lease;
  }

  /** Releases the lease of a task, and sets the time at which the task wakes, if any. */
  #release(record: TaskRecord, { wakeInMs }: AppendOptions, now: number): void {
    this.#leases.release(record);
    if (wakeInMs !== undefined) this.#leases.sleep(record, now + wakeInMs);
  }

  /** Returns whether a lease was released and the task has not been leased again. */
  #isReleased({ hold, epoch }: TaskRecord, lease: Lease): boolean {
    return hold?.holder === undefined && epoch === lease.epoch;
  }

  /** Notifies the watches and webhooks of a task of added entries, which may have ended it. */
  #notify(
    record: TaskRecord,
    entries: readonly Entry[],
    hadEnded: boolean,
    keepsCheckpoint: boolean,
  ): void {
    if (record.watches !== undefined) for (const watch of record.watches) watch.wake(entries);
    if (record.hooks !== undefined) this.#outbox.appended(record);
    if (record.hasEnded && !hadEnded) this.#end(record, keepsCheckpoint);
    record.trim(this.#maxLog);
    this.#deleteExpired(this.#limits, stepPerWrite);
  }

  /** Moves a task to its position in lists. */
  #place(record: TaskRecord, status: TaskStatus): void {
    const time = timeOf(status);
    const { state } = status;
    if (time !== record.time || state !== record.state) this.#index.move(record, time, state);
  }

  #end(record: TaskRecord, keepsCheckpoint: boolean): void {
    record.end(keepsCheckpoint);
    const older = this.#ended.add(record, this.#now());
    older?.keepNoSpare();
    older?.trim(this.#maxLog);
  }

  #deleteExpired(limits: Limits, step: number): number {
    const now = this.#now();
    for (let count = 0; count < step; count += 1) {
      const record = this.#ended.next(limits, now);
      if (record === undefined) return count;
      this.#remove(record);
    }
    return step;
  }

  #remove(record: TaskRecord): void {
    this.#records.delete(record.id);
    this.#index.remove(record);
    this.#leases.release(record);
    this.#outbox.remove(record);
  }
}

/**
 * Returns how many tasks fit on a page, and their total size. A page contains at most `limit`
 * tasks, and at least one task unless `records` is empty.
 */
function pageSizeOf(
  records: readonly TaskRecord[],
  limit: number,
): { readonly count: number; readonly bytes: number } {
  let bytes = 0;
  let count = 0;
  for (const record of records) {
    if (count >= limit || (count > 0 && bytes + record.bytes > pageBytes)) break;
    bytes += record.bytes;
    count += 1;
  }
  return { count, bytes };
}

/** Returns a promise of the result of a function. If the function throws, the promise rejects. */
function promised<T>(call: () => T): Promise<T> {
  try {
    return Promise.resolve(call());
  } catch (error) {
    return Promise.reject(errorOf(error));
  }
}
