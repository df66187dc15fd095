import type { Pool } from "pg";
import type { Message } from "../../generated/1.1-draft/models.js";
import type { TaskStore } from "../../library/kit/store.js";
import type { OpenDatabase } from "../../test/support/sqlite.js";

/** The caller whose tasks the store contains. */
export const scope = { tenant: "", owner: "ada" };

/** Times of the tasks, in milliseconds since 1970, are one millisecond apart. */
const firstTime = Date.UTC(2026, 0, 1);

/** Columns that contain the id of a task, and columns with a time. */
const idColumns = ["id", "task_id"];
const timeColumns = ["status_time", "listed_time", "ended_at"];

/** Returns the id of the task with a number. All ids have the same length, as ids in use have. */
export function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** Creates ended tasks with some events through the store, and removes no row of their logs. */
export async function createTasks(store: TaskStore, from: number, to: number): Promise<void> {
  const atOnce = 100;
  let next = from;
  const loop = async (): Promise<void> => {
    while (next < to) await create(store, next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, to - from) }, loop));
}

async function create(store: TaskStore, number: number): Promise<void> {
  const [id, contextId] = [idOf(number), "c"];
  const timestamp = new Date(firstTime + number).toISOString();
  const message = (role: "ROLE_USER" | "ROLE_AGENT", text: string): Message => ({
    ...{ messageId: `${role}-${id}`, taskId: id, contextId, role, parts: [{ text }] },
  });
  const asked = message(
    "ROLE_USER",
    "Please compare the two quarterly reports and list what changed.",
  );
  const task = {
    id,
    contextId,
    status: { state: "TASK_STATE_SUBMITTED" as const, timestamp },
    history: [asked],
  };
  const working = {
    state: "TASK_STATE_WORKING" as const,
    timestamp,
    message: message("ROLE_AGENT", "I read both."),
  };
  const artifact = {
    artifactId: "answer",
    parts: [{ text: "Revenue grew by 4.2 %, costs by 3.1 %." }],
  };
  const completed = { state: "TASK_STATE_COMPLETED" as const, timestamp };
  const about = { taskId: id, contextId };
  await store.create(task, {
    scope,
    turn: { id: `turn-${id}`, message: asked },
    entries: [
      { generation: 2, event: { statusUpdate: { ...about, status: working } } },
      { generation: 3, event: { artifactUpdate: { ...about, artifact } } },
      { generation: 4, event: { statusUpdate: { ...about, status: completed } } },
    ],
  });
}

/** SQL of an engine for the clone with the number `g` of a task that the store has written. */
interface Dialect {
  readonly id: string;
  readonly timestamp: string;
}

/**
 * Returns the values of a clone's row: the values of the row that the store wrote, with the id and
 * the times of the clone in columns and in texts.
 */
function valuesOf(columns: readonly Column[], from: number, dialect: Dialect): string {
  const values = columns.map(({ name, isText }) => {
    if (idColumns.includes(name)) return dialect.id;
    if (timeColumns.includes(name)) return `${name} + g - ${from}`;
    const { id, timestamp } = dialect;
    const oldTime = new Date(firstTime + from).toISOString();
    return isText
      ? `replace(replace(${name}, '${idOf(from)}', ${id}), '${oldTime}', ${timestamp})`
      : name;
  });
  return values.join(", ");
}

interface Column {
  readonly name: string;
  readonly isText: boolean;
}

/** Creates the first task through the store, and copies its rows in Postgres. */
export async function cloneInPostgres(
  pool: Pool,
  store: TaskStore,
  from: number,
  to: number,
): Promise<void> {
  await create(store, from);
  const dialect = {
    id: `'00000000-0000-4000-8000-' || lpad(g::text, 12, '0')`,
    timestamp:
      `to_char(to_timestamp((${firstTime} + g) / 1000.0) AT TIME ZONE 'UTC', ` +
      `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  };
  for (const [table, key] of Object.entries({ tasks: "id", heads: "id", entries: "task_id" })) {
    const { rows } = await pool.query<{ readonly name: string; readonly type: string }>(
      "SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE " +
        "table_schema = 'a2a' AND table_name = $1",
      [table],
    );
    const columns = rows.map(({ name, type }) => ({ name, isText: type === "text" }));
    await pool.query(
      `INSERT INTO a2a.${table} (${columns.map(({ name }) => name).join(", ")})
        SELECT ${valuesOf(columns, from, dialect)} FROM a2a.${table}, generate_series(${from + 1}, ${to - 1}) g
        WHERE ${key} = '${idOf(from)}'`,
    );
  }
  // As autovacuum does after some time.
  await pool.query("VACUUM ANALYZE");
  await pool.query("CHECKPOINT");
}

/** Creates the first task through the store, and copies its rows in SQLite. */
export async function cloneInSqlite(
  database: OpenDatabase,
  store: TaskStore,
  from: number,
  to: number,
): Promise<void> {
  await create(store, from);
  const dialect = {
    id: `printf('00000000-0000-4000-8000-%012d', g)`,
    timestamp: `strftime('%Y-%m-%dT%H:%M:%fZ', (${firstTime} + g) / 1000.0, 'unixepoch')`,
  };
  database.exec("BEGIN");
  for (const [table, key] of Object.entries({
    a2a_tasks: "id",
    a2a_texts: "task_id",
    a2a_entries: "task_id",
  })) {
    const rows = database.prepare(`PRAGMA table_info(${table})`).all() as {
      name: string;
      type: string;
    }[];
    const columns = rows.map(({ name, type }) => ({ name, isText: type === "TEXT" }));
    database.exec(
      `WITH RECURSIVE numbers (g) AS (SELECT ${from + 1} UNION ALL SELECT g + 1 FROM numbers WHERE g < ${to - 1})
        INSERT INTO ${table} (${columns.map(({ name }) => name).join(", ")})
        SELECT ${valuesOf(columns, from, dialect)} FROM numbers, ${table} WHERE ${key} = '${idOf(from)}'`,
    );
  }
  database.exec("COMMIT");
  database.exec("ANALYZE");
}
