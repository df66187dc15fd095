import { pageBytes } from "../../kit/limits/size.js";
import type { Task } from "../../kit/model.js";
import { isInterrupted, isTerminal, timeOf } from "../../kit/states.js";
import type {
  CreateOptions,
  Entry,
  InboxItem,
  ListedTask,
  Scope,
  Stored,
  StoredTask,
} from "../../kit/store.js";
import type { Codec, Snapshot } from "../log/codec.js";
import {
  entryOf,
  listedOf,
  partsOf,
  type RawTask,
  readable,
  readableBytes,
  storedOf,
  tooLarge,
  storedTaskOf,
} from "../log/decode.js";
import type { Append } from "../log/append.js";
import { isCompactedAtRest } from "../log/compaction.js";
import {
  endedTurn,
  type NewTask,
  newSnapshotOf,
  sizeOfRows,
  sizeOfSnapshot,
} from "../log/large.js";
import { type EntryRow, kinds, lastStatus, type Position, rowsOf } from "../log/rows.js";
import type { StoreState } from "../log/poll.js";
import type { Batch } from "../log/watch-hub.js";
import type { Chunks } from "./chunks.js";
import type { Connection } from "./connection.js";
import type { Inboxes } from "./inbox.js";

/** A task as a row. Its texts are stored in separate rows. */
export interface TaskRow extends Position {
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly context_id: string | null;
  readonly state: Task["status"]["state"];
  readonly status_time: number;
  readonly task_generation: number;
  readonly task_nth: number;
  readonly holder: string | null;
  readonly expires: number | null;
  readonly epoch: number;
  readonly trimmed: number;
  readonly bytes: number;
  readonly turn_bytes: number;
  readonly checkpoint_bytes: number;
}

/** Columns of a {@link TaskRow}. */
export const columns: string =
  "id, tenant, owner, context_id, state, status_time, generation, nth, task_generation, " +
  "task_nth, holder, expires, epoch, trimmed, bytes, turn_bytes, checkpoint_bytes";

/** Kinds of texts of a task. */
const texts = { task: 0, artifacts: 1, turn: 2, checkpoint: 3 } as const;

/** An entry as JSON. */
interface BodyRow extends Position {
  readonly body: string;
}

/**
 * Maximum number of entries that a watch reads at once, and number of entries in its first step.
 */
const batchSize = 1_000;
const firstRead = 16;

/** Begins the names of entries for {@link Chunks}. */
export const entryPrefix = "entry ";

/** Dependencies of {@link Tasks}. */
export interface TasksParts {
  readonly connection: Connection;
  readonly codec: Codec;
  readonly inboxes: Inboxes;
  readonly chunks: Chunks;
}

/** The logs of all tasks. Methods that write must be called in a transaction. */
export class Tasks {
  readonly #connection: Connection;
  readonly #codec: Codec;
  readonly #inboxes: Inboxes;
  readonly #chunks: Chunks;

  constructor({ connection, codec, inboxes, chunks }: TasksParts) {
    this.#connection = connection;
    this.#codec = codec;
    this.#inboxes = inboxes;
    this.#chunks = chunks;
  }

  find(id: string): TaskRow | undefined {
    return this.#connection.query<TaskRow>(`SELECT ${columns} FROM a2a_tasks WHERE id = ?`).get(id);
  }

  findIn({ tenant, owner }: Scope, id: string): TaskRow | undefined {
    const row = this.find(id);
    return row?.tenant === tenant && row.owner === owner ? row : undefined;
  }

  /** Adds a task with its first entries. */
  insert(added: NewTask, { scope, claim, wakeInMs }: CreateOptions, now: number): void {
    const { task, hasEnded, snapshot, folded, end, rows, turn, checkpoint, bytes } = added;
    const { id, contextId = null, status } = task;
    const expires = timeIn(claim === undefined ? wakeInMs : claim.ttlMs, now);
    this.#connection
      .query(
        `INSERT INTO a2a_tasks (id, tenant, owner, context_id, state, status_time, ended_at,
           generation, nth, task_generation, task_nth, holder, expires, epoch, trimmed, bytes,
           turn_bytes, checkpoint_bytes)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
      )
      .run(
        ...[id, scope.tenant, scope.owner, contextId, status.state, timeOf(status)],
        ...[hasEnded ? now : null, end.generation, end.nth, folded.generation, folded.nth],
        ...[claim?.holder ?? null, expires, claim === undefined ? 0 : 1],
        ...[bytes, turn.length, checkpoint?.length ?? 0],
      );
    this.#putSnapshot(id, snapshot);
    this.#put(id, texts.turn, turn);
    if (checkpoint !== null) this.#put(id, texts.checkpoint, checkpoint);
    this.#insertEntries(id, rows);
  }

  /**
   * Adds entries to a task, and replaces its turn and checkpoint.
   * @param row The task. Its size does not include the items that were taken.
   * @returns The task after the append.
   */
  append(row: TaskRow, added: readonly Entry[], written: Append, now: number): TaskRow {
    // A repeated append may contain entries that are already in the log, so `bodies` can only be
    // used if all entries are new.
    const rows = rowsOf(
      added,
      row,
      this.#codec.of(row.id),
      added === written.entries ? written.bodies : undefined,
    );
    const { generation, nth } = rows.at(-1) ?? row;
    this.#insertEntries(row.id, rows);
    const status = lastStatus(added)?.status;
    const hasEnded = status !== undefined && isTerminal(status.state);
    const hadEnded = isTerminal(row.state);
    // After the end, the turn and the checkpoint no longer change.
    const kept = hadEnded ? { turn: null, checkpoint: null } : written;
    const turn = hasEnded ? endedTurn : kept.turn;
    // An ended task only keeps the checkpoint of its end. An empty string drops an earlier one.
    const isDropped = hasEnded && !hadEnded && row.checkpoint_bytes > 0;
    const checkpoint = kept.checkpoint ?? (isDropped ? "" : null);
    if (rows.length === 0 && turn === null && checkpoint === null) return row;
    if (turn !== null) this.#put(row.id, texts.turn, turn);
    if (checkpoint === "") this.#dropCheckpoint(row.id);
    else if (checkpoint !== null) this.#put(row.id, texts.checkpoint, checkpoint);
    const turn_bytes = turn?.length ?? row.turn_bytes;
    const checkpoint_bytes = checkpoint?.length ?? row.checkpoint_bytes;
    const before = row.bytes - row.turn_bytes - row.checkpoint_bytes;
    const bytes = before + sizeOfRows(rows) + turn_bytes + checkpoint_bytes;
    const sizes = { bytes, turn_bytes, checkpoint_bytes };
    const grown: TaskRow = { ...row, generation, nth, ...sizes };
    this.#update(grown, status, hasEnded ? now : null);
    // Compact a task when it ends or pauses, so that later reads do not apply its entries.
    const isAtRest = status !== undefined && (hasEnded || isInterrupted(status.state));
    return isAtRest && isCompactedAtRest(generation - row.task_generation, bytes)
      ? this.fold(grown)
      : grown;
  }

  /** Updates the end of the log and the sizes of a task, and also its status if it has changed. */
  #update(row: TaskRow, status: Task["status"] | undefined, endedAt: number | null): void {
    const { id, generation, nth, bytes, turn_bytes, checkpoint_bytes } = row;
    const values = [generation, nth, bytes, turn_bytes, checkpoint_bytes];
    const set = "generation = ?, nth = ?, bytes = ?, turn_bytes = ?, checkpoint_bytes = ?";
    // If the status has not changed, omit its columns, so that SQLite does not update their
    // indexes.
    if (status === undefined)
      this.#connection.query(`UPDATE a2a_tasks SET ${set} WHERE id = ?`).run(...values, id);
    else
      this.#connection
        .query(
          `UPDATE a2a_tasks SET ${set}, state = ?, status_time = ?, ended_at = ` +
            "coalesce(ended_at, ?) WHERE id = ?",
        )
        .run(...values, status.state, timeOf(status), endedAt, id);
  }

  #dropCheckpoint(id: string): void {
    this.#connection
      .query("DELETE FROM a2a_texts WHERE task_id = ? AND kind = ?")
      .run(id, texts.checkpoint);
    this.#chunks.drop(id, textSlot(texts.checkpoint));
  }

  /**
   * Compacts the snapshot of a task.
   * @throws An `UnreadableTaskError` if the task cannot be read.
   */
  fold(row: TaskRow): TaskRow {
    if (isFolded(row)) return row;
    const { id, generation, nth, turn_bytes, checkpoint_bytes } = row;
    const codec = this.#codec.of(id);
    const snapshot = readable(id, () =>
      newSnapshotOf(partsOf(this.#rawOf(row, texts.artifacts), codec), codec),
    );
    const inbox = this.#inboxes.rows(id).reduce((sum, { size }) => sum + size, 0);
    const bytes = sizeOfSnapshot(snapshot) + inbox + turn_bytes + checkpoint_bytes;
    this.#putSnapshot(id, snapshot);
    this.#connection
      .query("UPDATE a2a_tasks SET task_generation = ?, task_nth = ?, bytes = ? WHERE id = ?")
      .run(generation, nth, bytes, id);
    return { ...row, task_generation: generation, task_nth: nth, bytes };
  }

  /**
   * Returns a task with its inbox, its turn and its checkpoint.
   * @param posted An item that was just posted, which is not read again.
   * @throws An `UnreadableTaskError` if the task cannot be read.
   */
  stored(row: TaskRow, posted?: InboxItem): Stored {
    return readable(row.id, () => {
      const raw = {
        ...this.#rawOf(row, texts.checkpoint),
        inbox: this.#inboxes.bodies(row.id, 0, posted?.id),
      };
      return storedOf(raw, this.#codec.of(row.id), posted);
    });
  }

  /**
   * Returns a task with its inbox, without its turn and its checkpoint.
   * @throws An `UnreadableTaskError` if the task cannot be read.
   */
  storedTask(row: TaskRow, posted?: InboxItem): StoredTask {
    return readable(row.id, () => {
      const raw = {
        ...this.#rawOf(row, texts.artifacts),
        inbox: this.#inboxes.bodies(row.id, 0, posted?.id),
      };
      return storedTaskOf(raw, this.#codec.of(row.id), posted);
    });
  }

  /**
   * Returns a task for a list.
   * @throws An `UnreadableTaskError` if the task cannot be read.
   */
  listed(row: TaskRow, withArtifacts: boolean): ListedTask {
    return readable(row.id, () => {
      const raw = this.#rawOf(row, withArtifacts ? texts.artifacts : texts.task);
      return listedOf({ ...raw, inbox: this.#inboxes.bodies(row.id) }, this.#codec.of(row.id));
    });
  }

  /**
   * Returns the end of each log, and the number of the last item in each inbox, which increases
   * with each post.
   */
  ends(ids: readonly string[]): StoreState["tasks"] {
    return this.#connection
      .query<StoreState["tasks"][number]>(
        `SELECT id, generation || ' ' || nth AS "end",
           coalesce((SELECT max(number) FROM a2a_inbox WHERE task_id = id), 0) AS posts
         FROM a2a_tasks WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(ids));
  }

  /**
   * Returns entries after a position, or the task if these entries were removed.
   * @throws An `UnreadableTaskError` if the task cannot be read.
   */
  batch(id: string, after: Position): Batch {
    const rows = this.entriesAfter(id, after, batchSize, pageBytes);
    const row = rows.length > 0 ? undefined : this.find(id);
    if (row?.trimmed === 1 && row.generation > after.generation)
      return { entries: [], end: row, reset: this.stored(row) };
    const { generation, nth } = rows.at(-1) ?? after;
    const codec = this.#codec.of(id);
    return {
      entries: readable(id, () => rows.map(({ body }) => entryOf(codec.read(body, "entry")))),
      end: { generation, nth },
    };
  }

  /**
   * Returns rows of entries after a position: at most `limit` rows, and fewer rows if they are
   * large. Omits entries of the kind `exceptKind`.
   */
  entriesAfter(
    id: string,
    after: Position,
    limit: number,
    maxBytes: number,
    exceptKind = -1,
  ): BodyRow[] {
    const query = this.#connection.query<BodyRow>(
      `SELECT generation, nth, body FROM a2a_entries
        WHERE task_id = ? AND (generation, nth) > (?, ?) AND kind <> ?
       ORDER BY generation, nth LIMIT ?`,
    );
    const found: BodyRow[] = [];
    let bytes = 0;
    // Begin with a few entries, because the size of entries is only known after reading them.
    for (
      let count = firstRead, last = after;
      found.length < limit && bytes < maxBytes;
      count *= 4
    ) {
      const rows = query.all(
        id,
        last.generation,
        last.nth,
        exceptKind,
        Math.min(count, limit - found.length),
      );
      for (const row of rows) {
        const body = this.#chunks.read(id, row.body);
        if (found.length > 0 && bytes + body.length > maxBytes) return found;
        found.push({ ...row, body });
        bytes += body.length;
      }
      last = rows.at(-1) ?? last;
      if (rows.length < count) break;
      // If entries are large, the next step only reads as many as this step began with.
      if (bytes > maxBytes / 16) count = firstRead / 4;
    }
    return found;
  }

  #insertEntries(id: string, rows: readonly EntryRow[]): void {
    const query = this.#connection.query("INSERT INTO a2a_entries VALUES (?, ?, ?, ?, ?)");
    for (const { generation, nth, kind, body } of rows) {
      const slot = `${entryPrefix}${String(generation)} ${String(nth)}`;
      query.run(id, generation, nth, kind, this.#chunks.write(id, slot, body));
    }
  }

  #putSnapshot(id: string, { task, artifacts }: Snapshot): void {
    this.#put(id, texts.task, task);
    if (artifacts !== null) this.#put(id, texts.artifacts, artifacts);
  }

  #put(id: string, kind: number, body: string): void {
    const value = this.#chunks.write(id, textSlot(kind), body);
    this.#connection
      .query("INSERT OR REPLACE INTO a2a_texts VALUES (?, ?, ?)")
      .run(id, kind, value);
  }

  /** Reads a task, the entries after its snapshot, and its texts up to the kind `last`. */
  #rawOf(row: TaskRow, last: number): RawTask {
    const { id, generation, bytes } = row;
    if (bytes > readableBytes) throw tooLarge(id);
    const found = this.#connection
      .query<{ readonly kind: number; readonly body: string }>(
        "SELECT kind, body FROM a2a_texts WHERE task_id = ? AND kind <= ?",
      )
      .all(id, last);
    const parsed: unknown[] = [];
    for (const { kind, body } of found) parsed[kind] = JSON.parse(this.#chunks.read(id, body));
    const [task, artifacts, turn, checkpoint] = parsed;
    const entries = this.#entriesSince(row, last >= texts.artifacts);
    return { task, artifacts, turn, checkpoint, generation, bytes, entries };
  }

  #entriesSince(row: TaskRow, withArtifacts: boolean): unknown[] {
    if (isFolded(row)) return [];
    const { id, task_generation, task_nth } = row;
    const rows = this.#connection
      .query<{ readonly body: string }>(
        `SELECT body FROM a2a_entries WHERE task_id = ? AND (generation, nth) > (?, ?) AND kind <> ?
         ORDER BY generation, nth`,
      )
      .all(id, task_generation, task_nth, withArtifacts ? -1 : kinds.artifact);
    return rows.map(({ body }): unknown => JSON.parse(this.#chunks.read(id, body)));
  }
}

/** Returns whether the snapshot of a task includes all of its entries. */
export function isFolded({ generation, nth, task_generation, task_nth }: TaskRow): boolean {
  return generation === task_generation && nth === task_nth;
}

/** Returns the name of one of a task's texts for {@link Chunks}. */
function textSlot(kind: number): string {
  return `text ${String(kind)}`;
}

/** Returns the time after a duration in milliseconds; `null` for the column if it is absent. */
export function timeIn(ms: number | undefined, now: number): number | null {
  return ms === undefined ? null : now + ms;
}
