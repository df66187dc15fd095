import { applyEntries } from "../../fold.js";
import type { Artifact, Task } from "../../../models.js";
import { isInterrupted, isTerminal, timeOf } from "../../states.js";
import type { CreateOptions, Entry, InboxItem, Retention, Scope, Stored } from "../../store.js";
import {
  foldedOf,
  kinds,
  type Position,
  rowsOf,
  type Snapshot,
  snapshotOf,
  lastStatus,
  storedOf,
} from "../log/rows.js";
import type { Batch } from "../log/watch-hub.js";
import type { Connection } from "./connection.js";

/** What this store has written as JSON. */
export type Json<T> = string & { readonly of?: T };

/** A task as a row. */
export interface TaskRow extends Position, Snapshot {
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly context_id: string | null;
  readonly state: Task["status"]["state"];
  readonly status_time: number;
  readonly task: Json<Omit<Task, "artifacts">>;
  readonly artifacts: Json<Artifact[]> | null;
  readonly task_generation: number;
  readonly task_nth: number;
  readonly turn: Json<InboxItem>;
  readonly checkpoint: Json<unknown> | null;
  readonly holder: string | null;
  readonly expires: number | null;
  readonly epoch: number;
  readonly trimmed: number;
}

/** An item of an inbox, and when it came among all of them. */
interface ItemRow {
  readonly number: number;
  readonly body: Json<InboxItem>;
}

/** How many entries a watch gets at once. */
const batchSize = 1_000;

/** From how many entries on a snapshot is brought up to date by who reads the task. */
const manyEntries = 256;

/** How many tasks `forget` removes where it is not told. */
const stepOfForget = 100;

/** The log of each task. Methods that write have to run in a transaction. */
export class Tasks {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  find(id: string): TaskRow | undefined {
    return this.#connection.query<TaskRow>("SELECT * FROM a2a_tasks WHERE id = ?").get(id);
  }

  findIn({ tenant, owner }: Scope, id: string): TaskRow | undefined {
    const row = this.find(id);
    return row?.tenant === tenant && row.owner === owner ? row : undefined;
  }

  /** Adds a task with its first entries; returns where its log ends. */
  insert(task: Task, options: CreateOptions, added: readonly Entry[], now: number): Position {
    const { scope, turn, checkpoint, claim } = options;
    const rows = rowsOf(added, { generation: 1, nth: 0 });
    const { generation, nth } = rows.at(-1) ?? { generation: 1, nth: 0 };
    const folded = applyEntries(task, added);
    const { status } = folded;
    const snapshot = snapshotOf(folded);
    this.#connection
      .query(`INSERT INTO a2a_tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`)
      .run(
        ...[task.id, scope.tenant, scope.owner, task.contextId ?? null, status.state, timeOf(status)],
        ...[isTerminal(status.state) ? now : null, generation, nth, snapshot.task, snapshot.artifacts, generation, nth],
        ...[JSON.stringify(turn), jsonOrNull(checkpoint), claim?.holder ?? null],
        ...[claim === undefined ? null : now + claim.ttlMs, claim === undefined ? 0 : 1],
      );
    this.#insertEntries(task.id, rows);
    return { generation, nth };
  }

  /** Adds entries to a task; returns where its log ends. */
  append(row: TaskRow, added: readonly Entry[], now: number): Position {
    const rows = rowsOf(added, row);
    const last = rows.at(-1);
    if (last === undefined) return row;
    const { generation, nth } = last;
    const status = lastStatus(added)?.status;
    this.#connection.query("UPDATE a2a_tasks SET generation = ?, nth = ? WHERE id = ?").run(generation, nth, row.id);
    this.#insertEntries(row.id, rows);
    if (status === undefined) return { generation, nth };
    const { state } = status;
    const ended = isTerminal(state) ? now : null;
    this.#connection
      .query("UPDATE a2a_tasks SET state = ?, status_time = ?, ended_at = coalesce(ended_at, ?) WHERE id = ?")
      .run(state, timeOf(status), ended, row.id);
    // Who comes back to a task that rests finds all of it in its row.
    if (isTerminal(state) || isInterrupted(state)) this.fold(row.id);
    return { generation, nth };
  }

  /** Brings the snapshot of a task up to date. */
  fold(id: string): void {
    const row = this.find(id);
    if (row === undefined) return;
    const { task, artifacts } = snapshotOf(foldedOf(this.#partsOf(row)));
    this.#connection
      .query("UPDATE a2a_tasks SET task = ?, artifacts = ?, task_generation = ?, task_nth = ? WHERE id = ?")
      .run(task, artifacts, row.generation, row.nth, id);
  }

  /** Returns a task as it is, without its artifacts where nobody wants them. */
  stored(row: TaskRow, inbox: readonly InboxItem[] = this.inbox(row.id), withArtifacts = true): Stored {
    const { generation, turn, checkpoint } = row;
    return storedOf({
      ...this.#partsOf(row, withArtifacts),
      generation,
      inbox,
      turn: parsed(turn),
      checkpoint: checkpoint === null ? undefined : parsed(checkpoint),
    });
  }

  /** Whether so much has happened since the snapshot that it should be brought up to date. */
  hasGrown({ generation, task_generation }: TaskRow): boolean {
    return generation - task_generation >= manyEntries;
  }

  inbox(id: string): InboxItem[] {
    const rows = this.#connection
      .query<ItemRow>("SELECT number, body FROM a2a_inbox WHERE task_id = ? ORDER BY number")
      .all(id);
    return rows.map(({ body }) => parsed(body));
  }

  /** Adds an item to the inbox of a task. */
  post(id: string, item: InboxItem): void {
    this.#connection
      .query("INSERT INTO a2a_inbox (task_id, item_id, body) VALUES (?, ?, ?)")
      .run(id, item.id, JSON.stringify(item));
  }

  /** Returns the tasks to which something was posted after an item, and the last item of all. */
  postedSince(number: number): { readonly ids: readonly string[]; readonly last: number } {
    const rows = this.#connection
      .query<{ readonly task_id: string; readonly last: number }>(
        "SELECT task_id, max(number) AS last FROM a2a_inbox WHERE number > ? GROUP BY task_id",
      )
      .all(number);
    return { ids: rows.map(({ task_id }) => task_id), last: Math.max(number, ...rows.map(({ last }) => last)) };
  }

  /** Returns the last item that was posted to any task. */
  lastItem(): number {
    const query = this.#connection.query<{ readonly last: number }>("SELECT max(number) AS last FROM a2a_inbox");
    return query.get()?.last ?? 0;
  }

  take(id: string, items: Iterable<string>): void {
    const query = this.#connection.query("DELETE FROM a2a_inbox WHERE task_id = ? AND item_id = ?");
    for (const item of items) query.run(id, item);
  }

  /** Returns entries after a position; the task, where they have gone. */
  batch(id: string, { generation, nth }: Position): Batch {
    const rows = this.#connection
      .query<Position & { readonly body: Json<Entry> }>(
        `SELECT generation, nth, body FROM a2a_entries WHERE task_id = ? AND (generation, nth) > (?, ?)
         ORDER BY generation, nth LIMIT ${String(batchSize)}`,
      )
      .all(id, generation, nth);
    const last = rows.at(-1) ?? { generation, nth };
    const row = rows.length > 0 ? undefined : this.find(id);
    if (row?.trimmed === 1 && row.generation > generation) return { entries: [], end: row, reset: this.stored(row) };
    return {
      entries: rows.map(({ body }) => parsed(body)),
      end: { generation: last.generation, nth: last.nth },
    };
  }

  /** Removes some of the tasks that ended long ago or are too many, those first that ended first. */
  forget({ maxAgeMs = Infinity, maxCount = Infinity, ...rest }: Retention, now: number): number {
    const { maxLogAgeMs, step = stepOfForget } = rest;
    const { count } = this.#connection
      .query<{ readonly count: number }>("SELECT count(*) AS count FROM a2a_tasks WHERE ended_at IS NOT NULL")
      .get() ?? { count: 0 };
    const rows = this.#connection
      .query<{ readonly id: string; readonly ended_at: number }>(
        "SELECT id, ended_at FROM a2a_tasks WHERE ended_at IS NOT NULL ORDER BY ended_at, id LIMIT ?",
      )
      .all(step);
    const forgotten = rows.filter(({ ended_at }, at) => at < count - maxCount || now - ended_at > maxAgeMs);
    for (const { id } of forgotten) this.#remove(id);
    const trimmed = maxLogAgeMs === undefined ? 0 : this.#trim(now - maxLogAgeMs, step);
    return forgotten.length + trimmed;
  }

  /** Removes the logs of some tasks that have ended before a time, and whose webhooks have delivered all of them. */
  #trim(before: number, step: number): number {
    const rows = this.#connection
      .query<{ readonly id: string }>(
        `SELECT id FROM a2a_tasks WHERE ended_at <= ? AND trimmed = 0 AND NOT EXISTS (
           SELECT 1 FROM a2a_webhooks WHERE task_id = a2a_tasks.id AND due_at IS NOT NULL
         ) ORDER BY ended_at LIMIT ?`,
      )
      .all(before, step);
    for (const { id } of rows) {
      this.fold(id);
      this.#connection.query("DELETE FROM a2a_entries WHERE task_id = ?").run(id);
      this.#connection.query("UPDATE a2a_tasks SET trimmed = 1 WHERE id = ?").run(id);
    }
    return rows.length;
  }

  /** Removes a task with all that belongs to it. */
  #remove(id: string): void {
    const tables = [
      ["a2a_tasks", "id"],
      ["a2a_entries", "task_id"],
      ["a2a_inbox", "task_id"],
      ["a2a_webhooks", "task_id"],
    ] as const;
    for (const [table, column] of tables) this.#connection.query(`DELETE FROM ${table} WHERE ${column} = ?`).run(id);
  }

  #insertEntries(id: string, rows: ReturnType<typeof rowsOf>): void {
    const query = this.#connection.query("INSERT INTO a2a_entries VALUES (?, ?, ?, ?, ?)");
    for (const { generation, nth, kind, body } of rows) query.run(id, generation, nth, kind, body);
  }

  #partsOf(row: TaskRow, withArtifacts = true): { task: Task; artifacts: Artifact[] | undefined; entries: Entry[] } {
    const { task, artifacts } = row;
    return {
      task: parsed(task),
      artifacts: withArtifacts && artifacts !== null ? parsed(artifacts) : undefined,
      entries: this.#entriesSince(row, withArtifacts),
    };
  }

  #entriesSince({ id, generation, nth, task_generation, task_nth }: TaskRow, withArtifacts: boolean): Entry[] {
    if (generation === task_generation && nth === task_nth) return [];
    const rows = this.#connection
      .query<{ readonly body: Json<Entry> }>(
        `SELECT body FROM a2a_entries WHERE task_id = ? AND (generation, nth) > (?, ?) AND kind <> ?
         ORDER BY generation, nth`,
      )
      .all(id, task_generation, task_nth, withArtifacts ? -1 : kinds.artifact);
    return rows.map(({ body }) => parsed(body));
  }
}

/** Returns JSON that this store has written. */
export function parsed<T>(json: Json<T>): T {
  // The contract types what was handed to the store.
  return JSON.parse(json) as T;
}

/** Returns JSON for what may be absent. */
export function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
