import { applyEntries } from "../../log/fold.js";
import { pageBytes } from "../../limits/size.js";
import type { Task } from "../../model.js";
import { isInterrupted, isTerminal, timeOf } from "../../states.js";
import type { AppendOptions, CreateOptions, Entry, ListedTask, Scope, Stored, StoredTask } from "../../store.js";
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
  waitingOf,
} from "../log/decode.js";
import { type EntryRow, foldedOf, kinds, lastStatus, type Position, rowsOf } from "../log/rows.js";
import type { Batch } from "../log/watch-hub.js";
import type { Connection } from "./connection.js";
import type { Inboxes } from "./inbox.js";

/** A task as a row, without its texts. */
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
}

/** The columns of a {@link TaskRow}: texts are long, and most calls do without them. */
// prettier-ignore
export const columns =
  "id, tenant, owner, context_id, state, status_time, generation, nth, task_generation, task_nth, holder, expires, epoch, trimmed, bytes";

/** An entry as JSON. */
interface BodyRow extends Position {
  readonly body: string;
}

/** What is left of the turn of a task that has ended: no turn follows that needs to know the caller. */
const endedTurn = '{"id":""}';

/** The size of what began the turn of a task, and of its checkpoint. */
const keptSize = "(length(turn) + coalesce(length(checkpoint), 0))";

/** How many entries a watch gets at once, and how many are read in the first step. */
const batchSize = 1_000;
const firstRead = 16;

/** From how many entries on a snapshot is brought up to date when the task is read. */
const manyEntries = 256;

/** The log of each task. Methods that write have to run in a transaction. */
export class Tasks {
  readonly #connection: Connection;
  readonly #codec: Codec;
  readonly #inboxes: Inboxes;

  constructor(connection: Connection, codec: Codec, inboxes: Inboxes) {
    this.#connection = connection;
    this.#codec = codec;
    this.#inboxes = inboxes;
  }

  find(id: string): TaskRow | undefined {
    return this.#connection.query<TaskRow>(`SELECT ${columns} FROM a2a_tasks WHERE id = ?`).get(id);
  }

  findIn({ tenant, owner }: Scope, id: string): TaskRow | undefined {
    const row = this.find(id);
    return row?.tenant === tenant && row.owner === owner ? row : undefined;
  }

  /** Adds a task with its first entries; returns where its log ends. */
  insert(task: Task, options: CreateOptions, added: readonly Entry[], now: number): Position {
    const { scope, turn, checkpoint, claim } = options;
    const rows = rowsOf(added, { generation: 1, nth: 0 }, this.#codec);
    const { generation, nth } = rows.at(-1) ?? { generation: 1, nth: 0 };
    const folded = applyEntries(task, added);
    const { status } = folded;
    const hasEnded = isTerminal(status.state);
    const snapshot = this.#codec.writeTask(folded);
    const kept = hasEnded ? endedTurn : this.#codec.write(turn);
    const keptState = hasEnded ? null : this.#codec.writeOptional(checkpoint);
    this.#connection
      .query(
        `INSERT INTO a2a_tasks (id, tenant, owner, context_id, state, status_time, ended_at, generation, nth, task,
           artifacts, task_generation, task_nth, turn, checkpoint, holder, expires, epoch, trimmed, bytes)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ? + length(?) + coalesce(length(?), 0))`,
      )
      .run(
        ...[task.id, scope.tenant, scope.owner, task.contextId ?? null, status.state, timeOf(status)],
        ...[hasEnded ? now : null, generation, nth, snapshot.task, snapshot.artifacts, generation, nth],
        ...[kept, keptState],
        ...[claim?.holder ?? null, claim === undefined ? null : now + claim.ttlMs, claim === undefined ? 0 : 1],
        ...[sizeOf(snapshot), kept, keptState],
      );
    this.#insertEntries(task.id, rows);
    return { generation, nth };
  }

  /** Adds entries to a task; returns where its log ends. */
  append(row: TaskRow, added: readonly Entry[], now: number): Position {
    const rows = rowsOf(added, row, this.#codec);
    const last = rows.at(-1);
    if (last === undefined) return row;
    const { generation, nth } = last;
    const status = lastStatus(added)?.status;
    const bytes = rows.reduce((sum, { body }) => sum + body.length, 0);
    this.#connection
      .query("UPDATE a2a_tasks SET generation = ?, nth = ?, bytes = bytes + ? WHERE id = ?")
      .run(generation, nth, bytes, row.id);
    this.#insertEntries(row.id, rows);
    if (status === undefined) return { generation, nth };
    const { state } = status;
    this.#connection
      .query("UPDATE a2a_tasks SET state = ?, status_time = ? WHERE id = ?")
      .run(state, timeOf(status), row.id);
    if (isTerminal(state))
      this.#connection
        .query(
          `UPDATE a2a_tasks SET ended_at = coalesce(ended_at, ?), bytes = bytes - ${keptSize} + ?, turn = ?,
             checkpoint = NULL WHERE id = ?`,
        )
        .run(now, endedTurn.length, endedTurn, row.id);
    // A task at rest is read as one row.
    if (isTerminal(state) || isInterrupted(state)) this.fold(row.id);
    return { generation, nth };
  }

  /** Replaces what began the turn of a task, and its checkpoint; one that is absent stays. */
  keep(id: string, { turn, checkpoint }: AppendOptions): void {
    if (turn === undefined && checkpoint === undefined) return;
    const values = [this.#codec.writeOptional(turn), this.#codec.writeOptional(checkpoint)];
    // All expressions of an update see the row as it was before.
    this.#connection
      .query(
        `UPDATE a2a_tasks SET turn = coalesce(?, turn), checkpoint = coalesce(?, checkpoint),
           bytes = bytes - ${keptSize} + length(coalesce(?, turn)) + coalesce(length(coalesce(?, checkpoint)), 0)
         WHERE id = ?`,
      )
      .run(...values, ...values, id);
  }

  /** Brings the snapshot of a task up to date. Throws an `UnreadableTaskError`. */
  fold(id: string): void {
    const row = this.find(id);
    if (row === undefined) return;
    const snapshot = readable(id, () => this.#codec.writeTask(foldedOf(partsOf(this.#rawOf(row, true), this.#codec))));
    const inbox = this.#inboxes.rows(id).reduce((sum, { size }) => sum + size, 0);
    this.#connection
      .query(
        `UPDATE a2a_tasks SET task = ?, artifacts = ?, task_generation = ?, task_nth = ?, bytes = ? + ${keptSize}
         WHERE id = ?`,
      )
      .run(snapshot.task, snapshot.artifacts, row.generation, row.nth, sizeOf(snapshot) + inbox, id);
  }

  /** Returns a task as it is. Throws an `UnreadableTaskError`. */
  stored(row: TaskRow): Stored {
    const { id } = row;
    return readable(id, () => {
      const raw = this.#rawOf(row, true);
      return storedOf({ ...raw, inbox: this.#inboxes.bodies(id), ...this.#turnOf(id) }, this.#codec);
    });
  }

  /** Returns a task without its turn. Throws an `UnreadableTaskError`. */
  waiting(row: TaskRow): StoredTask {
    return readable(row.id, () => {
      return waitingOf({ ...this.#rawOf(row, true), inbox: this.#inboxes.bodies(row.id) }, this.#codec);
    });
  }

  /** Returns a task for a list. Throws an `UnreadableTaskError`. */
  listed(row: TaskRow, withArtifacts: boolean): ListedTask {
    return readable(row.id, () => {
      return listedOf({ ...this.#rawOf(row, withArtifacts), inbox: this.#inboxes.bodies(row.id) }, this.#codec);
    });
  }

  /** Whether so much has happened since the snapshot that it should be brought up to date. */
  hasGrown({ generation, task_generation }: TaskRow): boolean {
    return generation - task_generation >= manyEntries;
  }

  /** Returns entries after a position; the task, if they have gone. Throws an `UnreadableTaskError`. */
  batch(id: string, after: Position): Batch {
    const rows = this.entriesAfter(id, after, batchSize, pageBytes);
    const row = rows.length > 0 ? undefined : this.find(id);
    if (row?.trimmed === 1 && row.generation > after.generation)
      return { entries: [], end: row, reset: this.stored(row) };
    const { generation, nth } = rows.at(-1) ?? after;
    return {
      entries: readable(id, () => rows.map(({ body }) => entryOf(this.#codec.read(body)))),
      end: { generation, nth },
    };
  }

  /** Returns rows of entries after a position, at most `limit`, and fewer if they are large; none of one kind. */
  entriesAfter(id: string, after: Position, limit: number, mostBytes: number, but = -1): BodyRow[] {
    const query = this.#connection.query<BodyRow>(
      `SELECT generation, nth, body FROM a2a_entries WHERE task_id = ? AND (generation, nth) > (?, ?) AND kind <> ?
       ORDER BY generation, nth LIMIT ?`,
    );
    const found: BodyRow[] = [];
    let bytes = 0;
    // Few at first, as nothing but reading them says how large they are.
    for (let count = firstRead, last = after; found.length < limit && bytes < mostBytes; count *= 4) {
      const rows = query.all(id, last.generation, last.nth, but, Math.min(count, limit - found.length));
      for (const row of rows) {
        if (found.length > 0 && bytes + row.body.length > mostBytes) return found;
        found.push(row);
        bytes += row.body.length;
      }
      last = rows.at(-1) ?? last;
      if (rows.length < count) break;
      if (bytes > mostBytes / 16) count = firstRead / 4;
    }
    return found;
  }

  #insertEntries(id: string, rows: readonly EntryRow[]): void {
    const query = this.#connection.query("INSERT INTO a2a_entries VALUES (?, ?, ?, ?, ?)");
    for (const { generation, nth, kind, body } of rows) query.run(id, generation, nth, kind, body);
  }

  #snapshotOf(id: string, withArtifacts: boolean): Snapshot {
    const texts = this.#connection
      .query<Snapshot>(`SELECT task, ${withArtifacts ? "artifacts" : "NULL AS artifacts"} FROM a2a_tasks WHERE id = ?`)
      .get(id);
    if (texts === undefined) throw new TypeError("it is gone");
    return texts;
  }

  /** Returns what began the turn of a task, and what was kept for it. */
  #turnOf(id: string): RawTask {
    const { turn = "null", checkpoint = null } =
      this.#connection
        .query<{ readonly turn: string; readonly checkpoint: string | null }>(
          "SELECT turn, checkpoint FROM a2a_tasks WHERE id = ?",
        )
        .get(id) ?? {};
    return { turn: JSON.parse(turn), checkpoint: checkpoint === null ? undefined : JSON.parse(checkpoint) };
  }

  /** Returns a task with the entries since its snapshot. */
  #rawOf(row: TaskRow, withArtifacts: boolean): RawTask {
    const { id, generation, bytes } = row;
    if (bytes > readableBytes) throw tooLarge(id);
    const { task, artifacts } = this.#snapshotOf(id, withArtifacts);
    return {
      ...{ task: JSON.parse(task), generation, bytes, entries: this.#entriesSince(row, withArtifacts) },
      artifacts: artifacts === null ? undefined : JSON.parse(artifacts),
    };
  }

  #entriesSince({ id, generation, nth, task_generation, task_nth }: TaskRow, withArtifacts: boolean): unknown[] {
    if (generation === task_generation && nth === task_nth) return [];
    const rows = this.#connection
      .query<{ readonly body: string }>(
        `SELECT body FROM a2a_entries WHERE task_id = ? AND (generation, nth) > (?, ?) AND kind <> ?
         ORDER BY generation, nth`,
      )
      .all(id, task_generation, task_nth, withArtifacts ? -1 : kinds.artifact);
    return rows.map(({ body }): unknown => JSON.parse(body));
  }
}

function sizeOf({ task, artifacts }: Snapshot): number {
  return task.length + (artifacts?.length ?? 0);
}
