import type { Task } from "../../model.js";
import { cursorOf, positionOf } from "../../memory/cursor.js";
import { pageBytes } from "../../limits/size.js";
import { isAtRest, timeOf } from "../../states.js";
import {
  type CreateOptions,
  type Entry,
  type ListedTask,
  type Retention,
  type Scope,
  type TaskPage,
  type TaskQuery,
  UnreadableTaskError,
} from "../../store.js";
import { errorOf } from "../../thrown.js";
import type { Codec } from "../log/codec.js";
import { collect, entryOf, listedOf, partsOf, readable, readableBytes } from "../log/decode.js";
import { newSnapshotOf, newTaskOf } from "../log/large.js";
import type { EntryRow, Position } from "../log/rows.js";
import type { ReadRequest } from "../log/read-queue.js";
import type { Batch } from "../log/watch-hub.js";
import type { Database, Row } from "./database.js";
import { type ForgetResult, parsed, storedFrom, textIn } from "./results.js";

/** A database, and the codec for its values. */
export interface PostgresEngine {
  readonly database: Database;
  readonly codec: Codec;
}

/** Maximum number of entries that a watch reads at once. */
const batchSize = 1_000;

/** Default number of tasks and logs that `deleteExpired` deletes. */
const stepOfCleanup = 100;

/** Number of tasks after which a list stops counting. */
const maxTotal = 10_000;

/**
 * Adds a task. @param call Id of the call, with which a later claim can recover the lease. @returns The end of the log,
 * or `undefined` if the id of the task already exists.
 */
export async function insert(
  { database, codec }: PostgresEngine,
  first: Task,
  options: CreateOptions,
  added: readonly Entry[],
  call: string | null,
): Promise<Position | undefined> {
  const { scope, claim, webhooks = [] } = options;
  const { task, hasEnded, snapshot, folded, end, rows, turn, checkpoint } = newTaskOf(first, options, added, codec);
  const { id, contextId = null, status } = task;
  const result = await database.call("create_task", [
    ...[id, scope.tenant, scope.owner, contextId, status.state, timeOf(status), hasEnded],
    isAtRest(status.state),
    ...[end.generation, end.nth, snapshot.task, snapshot.artifacts, turn, checkpoint],
    ...[claim?.holder ?? null, claim?.ttlMs ?? null, call, ...columnsOf(rows)],
    ...[webhooks.map((webhook) => webhook.id), webhooks.map(({ after }) => after)],
    ...[`[${webhooks.map((webhook) => codec.write(webhook)).join(",")}]`, folded.generation, folded.nth],
  ]);
  return (result as { readonly outcome: string }).outcome === "created" ? end : undefined;
}

/** Deletes expired tasks, and logs of other tasks, in a small batch. */
export async function deleteExpired(engine: PostgresEngine, retention: Retention): Promise<number> {
  const { count, unfolded } = await deleteStep(engine, retention);
  if (unfolded.length === 0) return count;
  for (const id of unfolded) await foldOrKeep(engine, id);
  const logs = await deleteStep(engine, { ...retention, maxAgeMs: Infinity, maxCount: Infinity });
  return count + logs.count;
}

async function deleteStep(
  { database }: PostgresEngine,
  { maxAgeMs = Infinity, maxCount = Infinity, maxLogAgeMs, step = stepOfCleanup }: Retention,
): Promise<ForgetResult> {
  return (await database.call("forget", [maxAgeMs, maxCount, maxLogAgeMs ?? null, step])) as ForgetResult;
}

/**
 * Compacts a task. The log of an unreadable task stays, and is marked so that it does not block the cleanup of later
 * logs.
 */
async function foldOrKeep(engine: PostgresEngine, id: string): Promise<void> {
  try {
    await fold(engine, id);
  } catch (error) {
    if (!(error instanceof UnreadableTaskError)) throw error;
    const { database } = engine;
    await database.rows(`UPDATE ${database.schema}.tasks SET trimmed = true WHERE id = $1`, [id]);
  }
}

/** Compacts the snapshot of a task. */
export async function fold({ database, codec }: PostgresEngine, id: string): Promise<void> {
  const { schema } = database;
  const row = await database.row(
    `SELECT ${schema}.stored(id, true, false) AS stored FROM ${schema}.tasks WHERE id = $1`,
    [id],
  );
  if (row === undefined) return;
  const result = parsed(id, row["stored"]);
  // The following update only succeeds if no other process has replaced the snapshot since it was read.
  const snapshot = readable(id, () => newSnapshotOf(partsOf(result, codec), codec));
  await database.rows(
    `WITH head AS (
       UPDATE ${schema}.heads SET task_generation = $4, task_nth = $5,
         bytes = bytes - $6 + octet_length($2) + coalesce(octet_length($3), 0)
       WHERE id = $1 AND (task_generation, task_nth) = ($7, $8) RETURNING id
     ) UPDATE ${schema}.tasks t SET task = $2, artifacts = $3 FROM head WHERE t.id = head.id`,
    [
      ...[id, snapshot.task, snapshot.artifacts, result.generation, result.nth],
      ...[result.logBytes, result.folded.generation, result.folded.nth],
    ],
  );
}

/**
 * Returns entries of several tasks, each after a position. If entries were removed, the batch contains the task
 * instead. If a task cannot be read, its result is an error.
 */
export async function batches(
  { database, codec }: PostgresEngine,
  requests: readonly ReadRequest[],
): Promise<readonly (Batch | Error)[]> {
  const { schema } = database;
  const rows = await database.rows(
    `WITH w AS (
       SELECT * FROM unnest($1::text[], $2::int[], $3::int[]) WITH ORDINALITY w (id, generation, nth, place)
     ) SELECT w.place::int, e.generation, e.nth, e.body, NULL AS reset FROM w CROSS JOIN LATERAL (
       SELECT s.*, row_number() OVER p AS at, sum(octet_length(s.body)) OVER p AS upto FROM (
         SELECT l.generation, l.nth, l.body FROM ${schema}.entries l
         WHERE l.task_id = w.id AND (l.generation, l.nth) > (w.generation, w.nth)
         ORDER BY l.generation, l.nth LIMIT ${String(batchSize)}
       ) s WINDOW p AS (ORDER BY s.generation, s.nth)
     ) e WHERE e.at = 1 OR e.upto <= $4
     UNION ALL SELECT w.place::int, h.generation, h.nth, NULL, coalesce(${schema}.stored(h.id, true, true), '')
       FROM w JOIN ${schema}.heads h ON h.id = w.id AND h.generation > w.generation
         JOIN ${schema}.tasks t ON t.id = w.id AND t.trimmed
     ORDER BY 1, 2, 3`,
    [
      requests.map(({ id }) => id),
      requests.map(({ after }) => after.generation),
      requests.map(({ after }) => after.nth),
      Math.floor(pageBytes / requests.length),
    ],
  );
  const found = requests.map((): Row[] => []);
  for (const row of rows) found[Number(row["place"]) - 1]?.push(row);
  return requests.map(({ id, after }, at) => settled(() => batchOf(id, after, found[at] ?? [], codec)));
}

/**
 * Returns the entries of one task.
 * @throws An `UnreadableTaskError` if the task cannot be read.
 */
function batchOf(id: string, after: Position, rows: readonly Row[], codec: Codec): Batch {
  const reset = rows.find((row) => typeof row["reset"] === "string")?.["reset"];
  if (reset !== undefined) {
    const result = parsed(id, reset === "" ? null : reset);
    return { entries: [], end: result, reset: storedFrom(id, result, codec) };
  }
  const last = rows.at(-1);
  const end = last === undefined ? after : { generation: Number(last["generation"]), nth: Number(last["nth"]) };
  return { entries: readable(id, () => rows.map((row) => entryOf(codec.read(textIn(row["body"]))))), end };
}

/** Returns the result of a function. If the function throws, returns the error. */
function settled<T>(call: () => T): T | Error {
  try {
    return call();
  } catch (error) {
    return errorOf(error);
  }
}

/**
 * Returns a page of a list.
 * @throws A `CursorError` if the cursor was not issued by a store.
 */
export async function list({ database, codec }: PostgresEngine, scope: Scope, query: TaskQuery): Promise<TaskPage> {
  const { contextId, state, since, cursor, artifacts = false } = query;
  const limit = Math.max(1, query.limit);
  const before = cursor === undefined ? undefined : positionOf(cursor);
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${String(values.push(value))}`;
  const filters = [`t.tenant = ${place(scope.tenant)}`, `t.owner = ${place(scope.owner)}`];
  if (contextId !== undefined) filters.push(`t.context_id = ${place(contextId)}`);
  // While a process works on a task, the head of the task contains its status. `s` is the row with the status.
  if (state !== undefined) filters.push(`s.state = ${place(state)}`);
  if (since !== undefined) filters.push(`s.status_time >= ${place(since)}`);
  const counted = filters.join(" AND ");
  if (before !== undefined) filters.push(`(s.status_time, t.id) < (${place(before.time)}, ${place(before.id)})`);
  const { schema } = database;
  const most = place(limit);
  const pieces = [counted, filters.join(" AND ")].map((where) => [
    `FROM ${schema}.tasks t WHERE NOT t.moving AND ${where.replaceAll("s.", "t.")}`,
    `FROM ${schema}.tasks t JOIN ${schema}.heads s ON s.id = t.id WHERE t.moving AND ${where}`,
  ]);
  const [counts = [], found = []] = pieces;
  const total = counts.map((from) => `(SELECT ${from} LIMIT ${String(maxTotal)})`).join(" UNION ALL ");
  const order = "ORDER BY status_time DESC, id DESC";
  const [resting = "", moving = ""] = found;
  const size = artifacts ? "h.bytes" : "h.bytes - coalesce(octet_length(t.artifacts), 0)";
  const rows = await database.rows(
    `SELECT c.total::int, p.status_time, p.id, p.found::int, ${schema}.stored(p.id, ${String(artifacts)}, false) AS stored
     FROM (SELECT count(*) AS total FROM (SELECT FROM (${total}) a LIMIT ${String(maxTotal)}) b) c LEFT JOIN (
       SELECT l.status_time, l.id, count(*) OVER () AS found, row_number() OVER o AS at,
         sum(least(${size}, ${String(readableBytes)})) OVER o AS upto
       FROM (
         SELECT * FROM (
           (SELECT t.id, t.status_time ${resting} ORDER BY t.status_time DESC, t.id DESC LIMIT ${most} + 1)
           UNION ALL (SELECT t.id, s.status_time ${moving} ORDER BY s.status_time DESC, t.id DESC LIMIT ${most} + 1)
         ) u ${order} LIMIT ${most} + 1
       ) l JOIN ${schema}.heads h ON h.id = l.id JOIN ${schema}.tasks t ON t.id = l.id
       WINDOW o AS (ORDER BY l.status_time DESC, l.id DESC)
     ) p ON p.at <= ${most} AND (p.at = 1 OR p.upto <= ${String(pageBytes)})
     ORDER BY p.status_time DESC, p.id DESC`,
    values,
  );
  return pageOf(rows, codec);
}

function pageOf(rows: readonly Row[], codec: Codec): TaskPage {
  const total = Number(rows[0]?.["total"] ?? 0);
  const tasks: ListedTask[] = [];
  const unreadable: UnreadableTaskError[] = [];
  const found = rows.filter((row) => typeof row["id"] === "string");
  let bytes = 0;
  for (const row of found) {
    const id = textIn(row["id"]);
    bytes += textIn(row["stored"]).length;
    collect(unreadable, () => tasks.push(readable(id, () => listedOf(parsed(id, row["stored"]), codec))));
  }
  const last = found.at(-1);
  const page = { tasks, total, bytes, ...(unreadable.length > 0 && { unreadable }) };
  if (last === undefined || Number(last["found"]) <= found.length) return page;
  return { ...page, next: cursorOf({ time: Number(last["status_time"]), id: textIn(last["id"]) }) };
}

function columnsOf(rows: readonly EntryRow[]): [number[], number[], number[], string] {
  const bodies = `[${rows.map(({ body }) => body).join(",")}]`;
  return [rows.map((row) => row.generation), rows.map((row) => row.nth), rows.map((row) => row.kind), bodies];
}
