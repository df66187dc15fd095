import { newEntries } from "../../new-entries.js";
import { isTerminal } from "../../states.js";
import {
  type Appended,
  type AppendOptions,
  type Claim,
  type Entry,
  type Expected,
  type InboxItem,
  type Lease,
  type Leased,
  LeaseLostError,
  type Posted,
  type Scope,
} from "../../store.js";
import type { Position } from "../log/rows.js";
import type { Batch } from "../log/watch-hub.js";
import type { Connection } from "./connection.js";
import type { Outbox } from "./outbox.js";
import { jsonOrNull, type TaskRow, type Tasks } from "./tasks.js";

/** What an append has done. */
interface Done {
  readonly found: Appended;
  readonly before: Position;
  readonly batch: Batch;
  /** Whether a webhook has become due. */
  readonly isDue: boolean;
}

/** Who works on which task, and what they append. All methods have to run in a transaction for writes. */
export class Workers {
  readonly #connection: Connection;
  readonly #tasks: Tasks;
  readonly #outbox: Outbox;

  constructor(connection: Connection, tasks: Tasks, outbox: Outbox) {
    this.#connection = connection;
    this.#tasks = tasks;
    this.#outbox = outbox;
  }

  /** Posts an item, and takes the lease of the task where nobody has it. */
  post(scope: Scope, id: string, item: InboxItem, claim: Claim, expected: Expected, now: number): Posted | undefined {
    const row = this.#tasks.findIn(scope, id);
    if (row === undefined) return undefined;
    const inbox = this.#tasks.inbox(id);
    // A call may be repeated whose response was lost.
    if (!inbox.some((other) => other.id === item.id)) {
      const outcome = isTerminal(row.state) ? "ended" : departure(row, inbox.length, expected);
      if (outcome !== undefined) return { outcome, stored: this.#tasks.stored(row, inbox) };
      this.#tasks.post(id, item);
      inbox.push(item);
    }
    const stored = this.#tasks.stored(row, inbox);
    if (row.expires !== null && now < row.expires) return { outcome: "posted", stored };
    return { outcome: "leased", lease: this.#take(row, claim, now), stored };
  }

  /** Appends entries. Throws a `LeaseLostError` where the lease is not held. */
  append(lease: Lease, entries: readonly Entry[], options: AppendOptions, now: number): Done {
    const { taken = [], release = false, ttlMs = 0 } = options;
    const row = this.#tasks.find(lease.id);
    if (row === undefined) throw new LeaseLostError(`The task ${lease.id} has been forgotten`);
    const inbox = this.#tasks.inbox(row.id);
    const isInInbox = (item: string): boolean => inbox.some(({ id }) => id === item);
    if (row.holder === null && row.epoch === lease.epoch && newEntries(entries, row, isInInbox).length === 0)
      return { found: { inbox: [], released: true }, before: row, batch: { entries: [], end: row }, isDue: false };
    if (row.epoch !== lease.epoch || row.holder !== lease.holder || row.expires === null || row.expires <= now)
      throw new LeaseLostError(`The lease ${String(lease.epoch)} of the task ${lease.id} has been lost`);
    const added = newEntries(entries, row, isInInbox);
    const gone = new Set(taken);
    for (const entry of added) if ("message" in entry) gone.add(entry.item);
    if (inbox.length > 0) this.#tasks.take(row.id, gone);
    const left = inbox.filter(({ id }) => !gone.has(id));
    const released = release && left.length === 0;
    this.#keep(row.id, options);
    // Renewals come with each third, and an index that stays as it is costs nothing.
    const expires = row.expires < now + (ttlMs * 2) / 3 ? now + ttlMs : row.expires;
    this.#hold(row, released ? null : expires);
    const end = this.#tasks.append(row, added, now);
    const isDue = end.generation > row.generation && this.#outbox.appended(row.id, now);
    return { found: { inbox: left, released }, before: row, batch: { entries: added, end }, isDue };
  }

  /** Extends leases; returns those that are still held. */
  renew(leases: readonly Lease[], { ttlMs }: Claim, now: number): readonly Lease[] {
    const query = this.#connection.query(
      "UPDATE a2a_tasks SET expires = ? WHERE id = ? AND epoch = ? AND holder = ? AND expires > ? RETURNING id",
    );
    return leases.filter(({ id, epoch, holder }) => query.get(now + ttlMs, id, epoch, holder, now) !== undefined);
  }

  /** Takes leases that have expired. */
  expired(claim: Claim, limit: number, now: number): readonly Leased[] {
    const rows = this.#connection
      .query<TaskRow>("SELECT * FROM a2a_tasks WHERE expires <= ? ORDER BY expires LIMIT ?")
      .all(now, limit);
    return rows.map((row) => ({ lease: this.#take(row, claim, now), stored: this.#tasks.stored(row) }));
  }

  /** Whether there are leases that have expired. */
  hasExpired(now: number): boolean {
    return this.#connection.query("SELECT 1 FROM a2a_tasks WHERE expires <= ? LIMIT 1").get(now) !== undefined;
  }

  #take({ id, tenant, owner, epoch }: TaskRow, { holder, ttlMs }: Claim, now: number): Lease {
    this.#connection
      .query("UPDATE a2a_tasks SET holder = ?, expires = ?, epoch = ? WHERE id = ?")
      .run(holder, now + ttlMs, epoch + 1, id);
    return { id, scope: { tenant, owner }, holder, epoch: epoch + 1 };
  }

  #keep(id: string, { turn, checkpoint }: AppendOptions): void {
    if (turn !== undefined || checkpoint !== undefined)
      this.#connection
        .query("UPDATE a2a_tasks SET turn = coalesce(?, turn), checkpoint = coalesce(?, checkpoint) WHERE id = ?")
        .run(jsonOrNull(turn), jsonOrNull(checkpoint), id);
  }

  /** Has a lease last until a time, or gives it back. */
  #hold({ id, expires: before }: TaskRow, expires: number | null): void {
    if (expires === null)
      this.#connection.query("UPDATE a2a_tasks SET holder = NULL, expires = NULL WHERE id = ?").run(id);
    else if (expires !== before)
      this.#connection.query("UPDATE a2a_tasks SET expires = ? WHERE id = ?").run(expires, id);
  }
}

/** Returns in what a task differs from what a post expects. */
function departure(
  row: TaskRow,
  inInbox: number,
  { generation = row.generation, contextId, maxInbox = Infinity }: Expected,
): "otherGeneration" | "otherContext" | "full" | undefined {
  if (contextId !== undefined && contextId !== row.context_id) return "otherContext";
  if (generation !== row.generation) return "otherGeneration";
  return inInbox < maxInbox ? undefined : "full";
}
