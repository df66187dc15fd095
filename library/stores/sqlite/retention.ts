import { openStates } from "../../kit/states.js";
import {
  type ErasureTarget,
  type Retention,
  type Scope,
  UnreadableTaskError,
  type Usage,
} from "../../kit/store.js";
import type { Chunks } from "./chunks.js";
import type { Connection, SqliteValue } from "./connection.js";
import { keepsLog } from "../log/compaction.js";
import { entryPrefix, isFolded, type Tasks } from "./tasks.js";

/** Default maximum number of tasks, and of logs, that one call of `deleteExpired` deletes. */
const defaultStep = 100;

/** The states of open tasks, as an SQL list. */
const openList = openStates.map((state) => `'${state}'`).join(", ");

/**
 * Computes the usage of owners, and deletes expired tasks and logs. Methods that write must be
 * called in a transaction.
 */
export class TaskRetention {
  readonly #connection: Connection;
  readonly #tasks: Tasks;
  readonly #chunks: Chunks;

  constructor(connection: Connection, tasks: Tasks, chunks: Chunks) {
    this.#connection = connection;
    this.#tasks = tasks;
    this.#chunks = chunks;
  }

  /**
   * Deletes a batch of tasks that exceed the maximum age or count, beginning with the tasks that
   * ended first, and a batch of expired logs. Returns the number of deleted tasks and logs.
   */
  deleteExpired(
    { maxAgeMs = Infinity, maxCount = Infinity, maxLogAgeMs, step = defaultStep }: Retention,
    now: number,
  ): number {
    const { count } = this.#connection
      .query<{ readonly count: number }>(
        "SELECT count(*) AS count FROM a2a_tasks WHERE ended_at IS NOT NULL",
      )
      .get() ?? { count: 0 };
    const rows = this.#connection
      .query<{ readonly id: string; readonly ended_at: number }>(
        "SELECT id, ended_at FROM a2a_tasks WHERE ended_at IS NOT NULL ORDER BY ended_at, id " +
          "LIMIT ?",
      )
      .all(step);
    const expired = rows.filter(
      ({ ended_at }, at) => at < count - maxCount || now - ended_at > maxAgeMs,
    );
    for (const { id } of expired) this.#remove(id);
    const trimmed = maxLogAgeMs === undefined ? 0 : this.#trim(now - maxLogAgeMs, step);
    return expired.length + trimmed;
  }

  /**
   * Deletes at most `step` tasks of a target with all of their data, and returns the number of
   * deleted tasks.
   */
  erase({ tenant, owner, taskId }: ErasureTarget, step: number): number {
    const filters = ["tenant = ?"];
    const values: SqliteValue[] = [tenant];
    for (const [column, value] of [["owner", owner] as const, ["id", taskId] as const]) {
      if (value === undefined) continue;
      filters.push(`${column} = ?`);
      values.push(value);
    }
    const rows = this.#connection
      .query<{ readonly id: string }>(
        `SELECT id FROM a2a_tasks WHERE ${filters.join(" AND ")} LIMIT ?`,
      )
      .all(...values, step);
    for (const { id } of rows) this.#remove(id);
    return rows.length;
  }

  usage({ tenant, owner }: Scope, withStored: boolean): Usage {
    // The index on states also finds open tasks, so usage does not require an additional index.
    const found = this.#connection
      .query<Usage>(
        `SELECT count(*) AS openTasks, coalesce(sum(bytes), 0) AS openBytes,
           coalesce(sum((SELECT count(*) FROM a2a_webhooks
             WHERE task_id = a2a_tasks.id)), 0) AS webhooks
         FROM a2a_tasks WHERE tenant = ? AND owner = ? AND state IN (${openList})`,
      )
      .get(tenant, owner) ?? { openTasks: 0, openBytes: 0, webhooks: 0 };
    const { openTasks, openBytes, webhooks } = found;
    if (!withStored) return { openTasks, openBytes, webhooks };
    const { storedBytes } = this.#connection
      .query<{ readonly storedBytes: number }>(
        "SELECT coalesce(sum(bytes), 0) AS storedBytes FROM a2a_tasks WHERE tenant = ? AND owner " +
          "= ?",
      )
      .get(tenant, owner) ?? { storedBytes: 0 };
    return { openTasks, openBytes, webhooks, storedBytes };
  }

  /**
   * Removes the logs of tasks that ended before a time and whose webhooks have delivered all
   * events.
   */
  #trim(before: number, step: number): number {
    const rows = this.#connection
      .query<{ readonly id: string }>(
        `SELECT id FROM a2a_tasks WHERE ended_at <= ? AND trimmed = 0 AND NOT EXISTS (
           SELECT 1 FROM a2a_webhooks WHERE task_id = a2a_tasks.id AND due_at IS NOT NULL
         ) ORDER BY ended_at LIMIT ?`,
      )
      .all(before, step);
    for (const { id } of rows) {
      // Keep the log if it is large or if its task cannot be read, but mark it as trimmed, so that
      // it does not block the cleanup of later logs.
      if (this.#mayDropLog(id)) {
        this.#connection.query("DELETE FROM a2a_entries WHERE task_id = ?").run(id);
        this.#chunks.dropAll(id, entryPrefix);
      }
      this.#connection.query("UPDATE a2a_tasks SET trimmed = 1 WHERE id = ?").run(id);
    }
    return rows.length;
  }

  /** Compacts a task, and returns whether its log is no longer required. */
  #mayDropLog(id: string): boolean {
    try {
      const row = this.#tasks.find(id);
      if (row === undefined || keepsLog(row.bytes, isFolded(row))) return false;
      this.#tasks.fold(row);
      return true;
    } catch (error) {
      if (error instanceof UnreadableTaskError) return false;
      throw error;
    }
  }

  /** Deletes a task with all of its data. */
  #remove(id: string): void {
    const tables = [
      ["a2a_tasks", "id"],
      ["a2a_texts", "task_id"],
      ["a2a_entries", "task_id"],
      ["a2a_inbox", "task_id"],
      ["a2a_posted", "task_id"],
      ["a2a_webhooks", "task_id"],
    ] as const;
    for (const [table, column] of tables)
      this.#connection.query(`DELETE FROM ${table} WHERE ${column} = ?`).run(id);
    this.#chunks.dropAll(id);
  }
}
