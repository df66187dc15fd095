import type { Task } from "../../kit/model.js";
import { pageBytes } from "../../kit/limits/size.js";
import { isAtRest, timeOf } from "../../kit/states.js";
import {
  type CreateOptions,
  type Entry,
  type Retention,
  UnreadableTaskError,
} from "../../kit/store.js";
import { errorOf } from "../../kit/thrown.js";
import type { Codec } from "../log/codec.js";
import { entryOf, partsOf, readable } from "../log/decode.js";
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

/** Default maximum number of tasks, and of logs, that one call of `deleteExpired` deletes. */
const defaultStep = 100;

/**
 * Adds a task.
 * @param call Id of the call. A later claim can use it to recover the lease.
 * @returns The end of the log, or `undefined` if the id of the task already exists.
 */
export async function insert(
  { database, codec }: PostgresEngine,
  first: Task,
  options: CreateOptions,
  added: readonly Entry[],
  call: string | null,
): Promise<Position | undefined> {
  const { scope, claim, wakeInMs = null, webhooks = [] } = options;
  const own = codec.of(first.id);
  const { task, hasEnded, snapshot, folded, end, rows, turn, checkpoint } = newTaskOf(
    first,
    options,
    added,
    own,
  );
  const { id, contextId = null, status } = task;
  const result = await database.call("create_task", [
    ...[id, scope.tenant, scope.owner, contextId, status.state, timeOf(status), hasEnded],
    isAtRest(status.state),
    ...[end.generation, end.nth, snapshot.task, snapshot.artifacts, turn, checkpoint],
    ...[claim?.holder ?? null, claim?.ttlMs ?? null, call, ...columnsOf(rows)],
    ...[webhooks.map((webhook) => webhook.id), webhooks.map(({ after }) => after)],
    ...[
      `[${webhooks.map((webhook) => own.write(webhook, "webhook")).join(",")}]`,
      folded.generation,
      folded.nth,
      wakeInMs,
    ],
  ]);
  return (result as { readonly outcome: string }).outcome === "created" ? end : undefined;
}

/**
 * Deletes expired tasks, and expired logs of other tasks, in a small batch. Returns the number of
 * deleted tasks and logs.
 */
export async function deleteExpired(engine: PostgresEngine, retention: Retention): Promise<number> {
  const { count, unfolded } = await deleteStep(engine, retention);
  if (unfolded.length === 0) return count;
  for (const id of unfolded) await foldOrKeep(engine, id);
  const logs = await deleteStep(engine, { ...retention, maxAgeMs: Infinity, maxCount: Infinity });
  return count + logs.count;
}

async function deleteStep(
  { database }: PostgresEngine,
  { maxAgeMs = Infinity, maxCount = Infinity, maxLogAgeMs, step = defaultStep }: Retention,
): Promise<ForgetResult> {
  return (await database.call("forget", [
    maxAgeMs,
    maxCount,
    maxLogAgeMs ?? null,
    step,
  ])) as ForgetResult;
}

/**
 * Compacts a task. The log of an unreadable task stays, and is marked so that it does not block the
 * cleanup of later logs.
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
  // The following update only succeeds if no other process has replaced the snapshot since it was
  // read.
  const own = codec.of(id);
  const snapshot = readable(id, () => newSnapshotOf(partsOf(result, own), own));
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
 * Returns the new entries of several tasks, starting after a given position in each task's log. If
 * entries were removed, the batch contains the task instead. If a task cannot be read, its result
 * is an error.
 */
export async function batches(
  { database, codec }: PostgresEngine,
  requests: readonly ReadRequest[],
): Promise<readonly (Batch | Error)[]> {
  const { schema } = database;
  const rows = await database.rows(
    `WITH w AS (
       SELECT * FROM unnest($1::text[], $2::int[], $3::int[]) WITH ORDINALITY w (id, generation,
         nth, place)
     ) SELECT w.place::int, e.generation, e.nth, e.body, NULL AS reset FROM w CROSS JOIN LATERAL (
       SELECT s.*, row_number() OVER log AS place_in_log,
         sum(octet_length(s.body)) OVER log AS total_bytes FROM (
         SELECT l.generation, l.nth, l.body FROM ${schema}.entries l
         WHERE l.task_id = w.id AND (l.generation, l.nth) > (w.generation, w.nth)
         ORDER BY l.generation, l.nth LIMIT ${String(batchSize)}
       ) s WINDOW log AS (ORDER BY s.generation, s.nth)
     ) e WHERE e.place_in_log = 1 OR e.total_bytes <= $4
     UNION ALL SELECT w.place::int, h.generation, h.nth, NULL, coalesce(${schema}.stored(h.id, true,
       true), '')
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
  return requests.map(({ id, after }, at) =>
    settled(() => batchOf(id, after, found[at] ?? [], codec)),
  );
}

/**
 * Converts the rows of one task to a batch.
 * @throws An `UnreadableTaskError` if the task cannot be read.
 */
function batchOf(id: string, after: Position, rows: readonly Row[], codec: Codec): Batch {
  const reset = rows.find((row) => typeof row["reset"] === "string")?.["reset"];
  if (reset !== undefined) {
    const result = parsed(id, reset === "" ? null : reset);
    return { entries: [], end: result, reset: storedFrom(id, result, codec) };
  }
  const last = rows.at(-1);
  const end = last && { generation: Number(last["generation"]), nth: Number(last["nth"]) };
  const own = codec.of(id);
  return {
    entries: readable(id, () => rows.map((row) => entryOf(own.read(textIn(row["body"]), "entry")))),
    end: end ?? after,
  };
}

/** Returns the result of a function. If the function throws, returns the error. */
function settled<T>(call: () => T): T | Error {
  try {
    return call();
  } catch (error) {
    return errorOf(error);
  }
}

function columnsOf(rows: readonly EntryRow[]): [number[], number[], number[], string] {
  const bodies = `[${rows.map(({ body }) => body).join(",")}]`;
  return [
    rows.map((row) => row.generation),
    rows.map((row) => row.nth),
    rows.map((row) => row.kind),
    bodies,
  ];
}
