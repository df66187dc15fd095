import { cursorOf, placeOf } from "../../memory/cursor.js";
import type { Scope, TaskPage, TaskQuery } from "../../store.js";
import type { Connection, SqliteValue } from "./connection.js";
import type { TaskRow, Tasks } from "./tasks.js";

/** Up to how many tasks of a list are counted. */
const maxTotal = 10_000;

/** What a task consists of but for its artifacts, which are long. */
const columns =
  "id, tenant, owner, context_id, state, status_time, generation, nth, task, task_generation, task_nth, turn, " +
  "checkpoint, holder, expires, epoch";

/** Returns a page of a list. Throws a `CursorError` where the cursor is none. */
export function listed(connection: Connection, tasks: Tasks, scope: Scope, query: TaskQuery): TaskPage {
  const { cursor, artifacts = false } = query;
  const limit = Math.max(1, query.limit);
  const filter = filterOf(scope, query);
  const { total } = connection
    .query<{ readonly total: number }>(
      `SELECT count(*) AS total FROM (SELECT 1 FROM a2a_tasks WHERE ${filter.sql} LIMIT ${String(maxTotal)})`,
    )
    .get(...filter.values) ?? { total: 0 };
  const before = cursor === undefined ? undefined : placeOf(cursor);
  const rows = connection
    .query<TaskRow>(
      `SELECT ${columns}, ${artifacts ? "artifacts" : "NULL AS artifacts"} FROM a2a_tasks WHERE ${filter.sql}${before === undefined ? "" : " AND (status_time, id) < (?, ?)"}
       ORDER BY status_time DESC, id DESC LIMIT ?`,
    )
    .all(...filter.values, ...(before === undefined ? [] : [before.time, before.id]), limit + 1);
  const page = rows.slice(0, limit);
  const stored = page.map((row) => tasks.stored(row, undefined, artifacts));
  const last = rows.length > limit ? page.at(-1) : undefined;
  if (last === undefined) return { tasks: stored, total };
  return { tasks: stored, total, next: cursorOf({ time: last.status_time, id: last.id }) };
}

function filterOf(
  { tenant, owner }: Scope,
  { contextId, state, since }: TaskQuery,
): { sql: string; values: SqliteValue[] } {
  const parts: readonly (readonly [string, SqliteValue | undefined])[] = [
    ["tenant = ?", tenant],
    ["owner = ?", owner],
    ["context_id = ?", contextId],
    ["state = ?", state],
    ["status_time >= ?", since],
  ];
  const used = parts.filter(([, value]) => value !== undefined);
  return { sql: used.map(([sql]) => sql).join(" AND "), values: used.flatMap(([, value]) => value ?? []) };
}
