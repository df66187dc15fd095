import { cursorOf, positionOf } from "../../kit/memory/cursor.js";
import { pageBytes } from "../../kit/limits/size.js";
import type {
  ListedTask,
  Scope,
  TaskPage,
  TaskQuery,
  UnreadableTaskError,
} from "../../kit/store.js";
import { collect } from "../log/decode.js";
import type { Connection, SqliteValue } from "./connection.js";
import { columns, type TaskRow, type Tasks } from "./tasks.js";

/** Maximum `total` of a list. Further tasks are not counted. */
const maxTotal = 10_000;

/**
 * Returns a page of a list.
 * @throws A `CursorError` if the cursor was not issued by a store.
 */
export function listed(
  connection: Connection,
  tasks: Tasks,
  scope: Scope,
  query: TaskQuery,
): TaskPage {
  const { cursor, artifacts = false } = query;
  const limit = Math.max(1, query.limit);
  const filter = filterOf(scope, query);
  const { total } = connection
    .query<{ readonly total: number }>(
      `SELECT count(*) AS total FROM (SELECT 1 FROM a2a_tasks WHERE ${filter.sql} LIMIT ` +
        `${String(maxTotal)})`,
    )
    .get(...filter.values) ?? { total: 0 };
  const before = cursor === undefined ? undefined : positionOf(cursor);
  const after = before === undefined ? "" : " AND (status_time, id) < (?, ?)";
  const rows = connection
    .query<TaskRow>(
      `SELECT ${columns} FROM a2a_tasks WHERE ${filter.sql}${after}
       ORDER BY status_time DESC, id DESC LIMIT ?`,
    )
    .all(...filter.values, ...(before === undefined ? [] : [before.time, before.id]), limit + 1);
  const found: ListedTask[] = [];
  const unreadable: UnreadableTaskError[] = [];
  let read = 0;
  let bytes = 0;
  for (; read < Math.min(limit, rows.length); read += 1) {
    const row = rows.at(read);
    if (row === undefined || (read > 0 && bytes + row.bytes > pageBytes)) break;
    bytes += row.bytes;
    collect(unreadable, () => found.push(tasks.listed(row, artifacts)));
  }
  const last = rows.length > read ? rows[read - 1] : undefined;
  const page = { tasks: found, total, bytes, ...(unreadable.length > 0 && { unreadable }) };
  return last === undefined
    ? page
    : { ...page, next: cursorOf({ time: last.status_time, id: last.id }) };
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
  return {
    sql: used.map(([sql]) => sql).join(" AND "),
    values: used.flatMap(([, value]) => value ?? []),
  };
}
