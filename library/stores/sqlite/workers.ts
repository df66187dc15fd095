import { newEntries } from "../../kit/log/new-entries.js";
import { isTerminal } from "../../kit/states.js";
import {
  type Claim,
  type Claimed,
  type Expected,
  type InboxItem,
  type Lease,
  type Leased,
  type Scope,
  type UnreadableTaskError,
} from "../../kit/store.js";
import { pageBytes } from "../../kit/limits/size.js";
import type { Append, AppendedEntries } from "../log/append.js";
import { collect, parkedError, readable } from "../log/decode.js";
import { type PostedItem, rejectedAppend } from "../log/log-store.js";
import type { Connection } from "./connection.js";
import type { Inboxes, ItemRow } from "./inbox.js";
import type { Outbox } from "./outbox.js";
import { columns, type TaskRow, type Tasks, timeIn } from "./tasks.js";

/** An item to post, with its JSON. */
interface Post {
  readonly scope: Scope;
  readonly id: string;
  readonly item: InboxItem;
  readonly body: string;
  readonly claim: Claim;
  readonly expected: Expected;
}

/** Dependencies of {@link Workers}. */
interface WorkersParts {
  readonly connection: Connection;
  readonly tasks: Tasks;
  readonly inboxes: Inboxes;
  readonly outbox: Outbox;
}

/** Lease expiry time that is set for an unreadable task, so that no claim finds the task. */
const parkedUntil = Number.MAX_SAFE_INTEGER;

/**
 * Leases of tasks, and the appends and posts that depend on leases. All methods must be called in a
 * write transaction.
 */
export class Workers {
  readonly #connection: Connection;
  readonly #tasks: Tasks;
  readonly #inboxes: Inboxes;
  readonly #outbox: Outbox;

  constructor({ connection, tasks, inboxes, outbox }: WorkersParts) {
    this.#connection = connection;
    this.#tasks = tasks;
    this.#inboxes = inboxes;
    this.#outbox = outbox;
  }

  /**
   * Posts an item, and acquires the lease of the task if it is free.
   * @throws An `UnreadableTaskError` if the task cannot be read. In this case, the item is not
   *   posted.
   */
  post({ scope, id, item, body, claim, expected }: Post, now: number): PostedItem | undefined {
    const row = this.#tasks.findIn(scope, id);
    if (row === undefined) return undefined;
    if (row.expires === parkedUntil) throw parkedError(id);
    const items = this.#inboxes.rows(id);
    let { bytes } = row;
    // A call may be repeated after its response was lost, so the item may already be in the inbox.
    const isNew = !items.some(({ id: itemId }) => itemId === item.id);
    if (isNew) {
      // A cancel request counts as size 0, so that a task can be canceled even if its inbox is
      // full.
      const isCancel = item.cancel !== undefined;
      const isOver = isTerminal(row.state);
      // All cancel requests have the same id, so a cancel request may be new although its id was
      // posted before.
      if (!(isOver && isCancel) && this.#inboxes.wasPosted(id, item.id, now))
        return {
          outcome: "posted",
          stored: constant(this.#tasks.storedTask(row)),
          count: this.#inboxes.lastItem(),
        };
      const outcome = isOver
        ? "ended"
        : unmetExpectation(row, items, isCancel ? 0 : body.length, expected);
      if (outcome !== undefined) return { outcome, state: row.state, generation: row.generation };
      this.#inboxes.add(id, item.id, body, now);
      bytes += body.length;
    }
    if (row.holder !== null && row.expires !== null && now < row.expires)
      return {
        outcome: "posted",
        stored: constant(this.#tasks.storedTask({ ...row, bytes }, isNew ? item : undefined)),
        count: this.#inboxes.lastItem(),
      };
    const stored = this.#tasks.stored({ ...row, bytes }, isNew ? item : undefined);
    return { outcome: "leased", isNew, stored, epoch: this.#take(row, claim, now).epoch };
  }

  /**
   * Appends entries.
   * @throws A `LeaseLostError` if the caller does not hold the lease.
   */
  append(append: Append, now: number): AppendedEntries {
    const { lease, entries, options } = append;
    const { taken = [], release = false, wakeInMs, ttlMs = 0, seen = 0 } = options;
    const row = this.#tasks.find(lease.id);
    if (row === undefined) throw rejectedAppend(lease, "forgotten");
    const inbox = this.#inboxes.rows(row.id);
    const isInInbox = (item: string): boolean => inbox.some(({ id }) => id === item);
    // If the first call of a repeated append has released the lease, its entries are already in the
    // log, so the repeated call succeeds.
    if (
      row.holder === null &&
      row.epoch === lease.epoch &&
      newEntries(entries, row, isInInbox).length === 0
    )
      return {
        appended: { inbox: [], released: true, bytes: row.bytes },
        inbox: undefined,
        before: row,
        batch: { entries: [], end: row },
        isDue: false,
        grown: 0,
      };
    if (
      row.epoch !== lease.epoch ||
      row.holder !== lease.holder ||
      row.expires === null ||
      row.expires <= now
    )
      throw rejectedAppend(lease, "lost");
    const added = newEntries(entries, row, isInInbox);
    const removedIds = new Set(taken);
    for (const entry of added) if ("message" in entry) removedIds.add(entry.item);
    const [removed, remaining] = partition(inbox, ({ id }) => removedIds.has(id));
    this.#inboxes.take(row.id, removed);
    const released = release && remaining.length === 0;
    // Only extend the lease after a third of its time has passed, because an append is faster if
    // the index does not change.
    const expires = row.expires < now + (ttlMs * 2) / 3 ? now + ttlMs : row.expires;
    if (released) this.#hold(row, { holder: null, expires: timeIn(wakeInMs, now) });
    else if (expires !== row.expires) this.#hold(row, { holder: row.holder, expires });
    const bytes = removed.reduce((sum, { size }) => sum - size, row.bytes);
    const end = this.#tasks.append({ ...row, bytes }, added, append, now);
    const isDue = end.generation > row.generation && this.#outbox.appended(row.id, now);
    const last = Math.max(seen, remaining.at(-1)?.number ?? 0);
    // Decode in the transaction, so that nothing is written if decoding fails.
    const items = last > seen ? readable(row.id, () => this.#inboxes.items(row.id, seen)) : [];
    const appended = { inbox: items, released, seen: last, bytes: end.bytes };
    // The append has already compacted the task if this was necessary.
    return {
      appended,
      inbox: undefined,
      before: row,
      batch: { entries: added, end },
      isDue,
      grown: 0,
    };
  }

  /** Extends leases, and returns the leases that are still held. */
  renew(leases: readonly Lease[], { ttlMs }: Claim, now: number): ReadonlySet<Lease> {
    const query = this.#connection.query(
      "UPDATE a2a_tasks SET expires = ? WHERE id = ? AND epoch = ? AND holder = ? AND expires > " +
        "? RETURNING id",
    );
    return new Set(
      leases.filter(
        ({ id, epoch, holder }) => query.get(now + ttlMs, id, epoch, holder, now) !== undefined,
      ),
    );
  }

  /** Claims tasks whose leases have expired. Marks unreadable tasks. */
  expired(claim: Claim, limit: number, now: number): Claimed<Leased> {
    const found = this.#connection
      .query<TaskRow>(
        `SELECT ${columns} FROM a2a_tasks WHERE expires <= ? ORDER BY expires LIMIT ?`,
      )
      .all(now, limit);
    const rows: Leased[] = [];
    const unreadable: UnreadableTaskError[] = [];
    let read = 0;
    for (let bytes = 0; read < found.length; read += 1) {
      const row = found.at(read);
      if (row === undefined || (read > 0 && bytes + row.bytes > pageBytes)) break;
      bytes += row.bytes;
      const isRead = collect(unreadable, () => {
        const stored = this.#tasks.stored(row);
        rows.push({ lease: this.#take(row, claim, now), stored });
      });
      if (!isRead) this.#hold(row, { holder: null, expires: parkedUntil });
    }
    return { rows, unreadable, hasMore: read < found.length || found.length === limit };
  }

  /** Returns whether any lease has expired. */
  hasExpired(now: number): boolean {
    return (
      this.#connection.query("SELECT 1 FROM a2a_tasks WHERE expires <= ? LIMIT 1").get(now) !==
      undefined
    );
  }

  #take({ id, tenant, owner, epoch }: TaskRow, { holder, ttlMs }: Claim, now: number): Lease {
    this.#connection
      .query("UPDATE a2a_tasks SET holder = ?, expires = ?, epoch = ? WHERE id = ?")
      .run(holder, now + ttlMs, epoch + 1, id);
    return { id, scope: { tenant, owner }, holder, epoch: epoch + 1 };
  }

  #hold({ id }: TaskRow, { holder, expires }: Pick<TaskRow, "holder" | "expires">): void {
    this.#connection
      .query("UPDATE a2a_tasks SET holder = ?, expires = ? WHERE id = ?")
      .run(holder, expires, id);
  }
}

/**
 * Returns the expectation of a post that a task does not meet, if any. An item of size 0 fits even
 * into a full inbox.
 */
function unmetExpectation(
  row: TaskRow,
  items: readonly ItemRow[],
  size: number,
  expected: Expected,
): "otherGeneration" | "otherContext" | "full" | "tooLarge" | undefined {
  const { generation = row.generation, contextId, maxInbox = Infinity } = expected;
  const { maxInboxBytes = Infinity, maxBytes = Infinity } = expected;
  if (contextId !== undefined && contextId !== row.context_id) return "otherContext";
  if (generation !== row.generation) return "otherGeneration";
  if (size === 0) return undefined;
  const inInbox = items.reduce((sum, item) => sum + item.size, size);
  if (items.length >= maxInbox || inInbox > maxInboxBytes) return "full";
  return row.bytes + size > maxBytes ? "tooLarge" : undefined;
}

function constant<T>(value: T): () => T {
  return () => value;
}

/**
 * Splits a list into the elements for which a function returns true, and the remaining elements.
 */
function partition<T>(list: readonly T[], isFirst: (element: T) => boolean): [T[], T[]] {
  const parts: [T[], T[]] = [[], []];
  for (const element of list) parts[isFirst(element) ? 0 : 1].push(element);
  return parts;
}
