import type { Task } from "../../../models.js";
import { cursorOf, placeOf } from "../../memory/cursor.js";
import { applyEntries } from "../../fold.js";
import { isTerminal, timeOf } from "../../states.js";
import type { AppendOptions, CreateOptions, Entry, Lease, Retention, Scope, TaskPage, TaskQuery } from "../../store.js";
import { type EntryRow, foldedOf, type Position, rowsOf, snapshotOf, lastStatus } from "../log/rows.js";
import type { Wanted } from "../log/read-queue.js";
import type { Batch } from "../log/watch-hub.js";
import type { Database } from "./database.js";
import {
  type AppendResult,
  type BatchResult,
  type ForgetResult,
  type ListResult,
  storedFrom,
  type StoredResult,
} from "./results.js";

/** How many entries a watch gets at once. */
const batchSize = 1_000;

/** How many tasks and logs `forget` removes where it is not told. */
const stepOfForget = 100;

/** Up to how many tasks of a list are counted. */
const maxTotal = 10_000;

/** Adds a task with a call that has a name; returns where its log ends, or `undefined` where its id is taken. */
export async function insert(
  database: Database,
  task: Task,
  { scope, turn, checkpoint, claim, webhooks = [] }: CreateOptions,
  added: readonly Entry[],
  call: string | null,
): Promise<Position | undefined> {
  const rows = rowsOf(added, { generation: 1, nth: 0 });
  const { generation, nth } = rows.at(-1) ?? { generation: 1, nth: 0 };
  const folded = applyEntries(task, added);
  const { state } = folded.status;
  const snapshot = snapshotOf(folded);
  const result = await database.call(
    "create_task",
    ...[task.id, scope.tenant, scope.owner, task.contextId ?? null, state, timeOf(folded.status), isTerminal(state)],
    ...[generation, nth, snapshot.task, snapshot.artifacts, JSON.stringify(turn), jsonOrNull(checkpoint)],
    ...[claim?.holder ?? null, claim?.ttlMs ?? null, call, ...columnsOf(rows)],
    ...[webhooks.map(({ id }) => id), webhooks.map(({ after }) => after), JSON.stringify(webhooks)],
  );
  return (result as { readonly outcome: string }).outcome === "created" ? { generation, nth } : undefined;
}

/** Appends entries, if the lease is held. */
export async function append(
  database: Database,
  { id, holder, epoch }: Lease,
  entries: readonly Entry[],
  { taken = [], turn, checkpoint, release = false, ttlMs }: AppendOptions,
): Promise<AppendResult> {
  // The database numbers those on that follow its last one.
  const [generations, nths, kinds, bodies] = columnsOf(rowsOf(entries, { generation: -1, nth: 0 }));
  const { status, generation } = lastStatus(entries) ?? {};
  const result = await database.call(
    "append",
    ...[id, holder, epoch, generations, nths, kinds],
    ...[entries.map((entry) => ("item" in entry ? entry.item : null)), bodies],
    ...[status?.state ?? null, status === undefined ? null : timeOf(status), generation ?? null],
    ...[status !== undefined && isTerminal(status.state), taken],
    ...[jsonOrNull(turn), jsonOrNull(checkpoint), release, ttlMs ?? null],
  );
  return result as AppendResult;
}

/** Removes some tasks, and logs of others, that are no longer to be kept. */
export async function forget(
  database: Database,
  { maxAgeMs = Infinity, maxCount = Infinity, maxLogAgeMs, step = stepOfForget }: Retention,
): Promise<ForgetResult> {
  return (await database.call("forget", maxAgeMs, maxCount, maxLogAgeMs ?? null, step)) as ForgetResult;
}

/** Brings the snapshot of a task up to date. */
export async function fold(database: Database, id: string): Promise<void> {
  const { schema } = database;
  const found = await database.query(`SELECT ${schema}.stored($1, true)::text AS result`, id);
  if (found === undefined) return;
  const { task, artifacts, entries, generation, nth } = found as StoredResult;
  const folded = foldedOf({ task, artifacts: artifacts ?? undefined, entries: entries ?? [] });
  const snapshot = snapshotOf(folded);
  await database.query(
    `UPDATE ${schema}.tasks SET task = $2, artifacts = $3, task_generation = $4, task_nth = $5
     WHERE id = $1 AND (task_generation, task_nth) < ($4, $5)`,
    ...[id, snapshot.task, snapshot.artifacts, generation, nth],
  );
}

/** Returns entries of some tasks, each after a position; the task, where they have gone. */
export async function batches(database: Database, wanted: readonly Wanted[]): Promise<readonly Batch[]> {
  const { schema } = database;
  const result = await database.query(
    `SELECT json_agg(json_build_object('rows', (
       SELECT json_agg(json_build_array(generation, nth, body) ORDER BY generation, nth) FROM (
         SELECT generation, nth, body FROM ${schema}.entries
         WHERE task_id = w.id AND (generation, nth) > (w.generation, w.nth)
         ORDER BY generation, nth LIMIT ${String(batchSize)}
       ) e
     ), 'reset', (
       SELECT ${schema}.stored(t.id, true) FROM ${schema}.tasks t
       WHERE t.id = w.id AND t.trimmed AND t.generation > w.generation
     )) ORDER BY w.place)::text AS result
     FROM unnest($1::text[], $2::int[], $3::int[]) WITH ORDINALITY w (id, generation, nth, place)`,
    wanted.map(({ id }) => id),
    wanted.map(({ after }) => after.generation),
    wanted.map(({ after }) => after.nth),
  );
  return (result as readonly BatchResult[]).map(({ rows, reset }, at) => {
    if (reset !== null) return { entries: [], end: reset, reset: storedFrom(reset) };
    const { after } = wanted.at(at) ?? { after: { generation: 0, nth: 0 } };
    const [generation, nth] = rows?.at(-1) ?? [after.generation, after.nth];
    return { entries: (rows ?? []).map(([, , entry]) => entry), end: { generation, nth } };
  });
}

/** Returns a page of a list. Throws a `CursorError` where the cursor is none. */
export async function list(database: Database, scope: Scope, query: TaskQuery): Promise<TaskPage> {
  const { contextId, state, since, cursor, artifacts = false } = query;
  const limit = Math.max(1, query.limit);
  const before = cursor === undefined ? undefined : placeOf(cursor);
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${String(values.push(value))}`;
  const filters = [`tenant = ${place(scope.tenant)}`, `owner = ${place(scope.owner)}`];
  if (contextId !== undefined) filters.push(`context_id = ${place(contextId)}`);
  if (state !== undefined) filters.push(`state = ${place(state)}`);
  if (since !== undefined) filters.push(`status_time >= ${place(since)}`);
  const counted = filters.join(" AND ");
  if (before !== undefined) filters.push(`(status_time, id) < (${place(before.time)}, ${place(before.id)})`);
  const { schema } = database;
  const result = await database.query(
    `SELECT json_build_object(
       'total', (SELECT count(*) FROM (SELECT FROM ${schema}.tasks WHERE ${counted} LIMIT ${String(maxTotal)}) c),
       'tasks', (
         SELECT json_agg(json_build_object('time', status_time, 'stored', ${schema}.stored(id, ${place(artifacts)}))
           ORDER BY status_time DESC, id DESC)
         FROM (
           SELECT status_time, id FROM ${schema}.tasks WHERE ${filters.join(" AND ")}
           ORDER BY status_time DESC, id DESC LIMIT ${place(limit + 1)}
         ) p
       )
     )::text AS result`,
    ...values,
  );
  const { total, tasks: found } = result as ListResult;
  const page = (found ?? []).slice(0, limit);
  const tasks = page.map(({ stored }) => storedFrom(stored));
  const last = (found?.length ?? 0) > limit ? page.at(-1) : undefined;
  if (last === undefined) return { tasks, total };
  return { tasks, total, next: cursorOf({ time: last.time, id: last.stored.task.id }) };
}

/** Returns JSON for what may be absent. */
export function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function columnsOf(rows: readonly EntryRow[]): [number[], number[], number[], string] {
  const bodies = `[${rows.map(({ body }) => body).join(",")}]`;
  return [rows.map((row) => row.generation), rows.map((row) => row.nth), rows.map((row) => row.kind), bodies];
}
