import type { Task } from "../../kit/model.js";
import { cursorOf, positionOf } from "../../kit/memory/cursor.js";
import { timeOf } from "../../kit/states.js";
import {
  type CreateOptions,
  type Entry,
  type Lease,
  type ListedTask,
  type Retention,
  type Scope,
  type TaskPage,
  type TaskQuery,
  UnreadableTaskError,
} from "../../kit/store.js";
import type { Codec } from "../log/codec.js";
import { collect, listedOf, partsOf, readable, storedOf } from "../log/decode.js";
import type { ReadTask } from "../log/log-store.js";
import type { StoreState } from "../log/poll.js";
import { maxListLength } from "../log/watchers.js";
import { newSnapshotOf, newTaskOf, sizeOfRows } from "../log/large.js";
import type { Position } from "../log/rows.js";
import type { Batch } from "../log/watch-hub.js";
import { newCall } from "./calls.js";
import { type Engine, optional } from "./engine.js";
import { forgetScript, keepLogScript, renewScript, seeScript } from "./scripts/leases.js";
import { listScript } from "./scripts/list.js";
import {
  batchScript,
  createScript,
  foldScript,
  readScript,
  snapshotScript,
} from "./scripts/tasks.js";
import { batchOf, listOf, taskOf, textOf } from "./results.js";

/** A server, and the codec for its values. */
export interface RedisEngine {
  readonly server: Engine;
  readonly codec: Codec;
}

/**
 * Maximum number of tasks per script. The limit is necessary because a running script blocks the
 * server, and because the number of its arguments is limited.
 */
const maxIds = 1_000;

/** Maximum number of entries that a watch reads at once. */
const batchSize = 1_000;

/** Maximum number of tasks on a page. */
const maxPage = 1_000_000;

/** Default maximum number of tasks and logs that one call of `deleteExpired` deletes. */
const defaultStep = 100;

/** Adds a task. Returns the end of its log, or `undefined` if its id already exists. */
export async function insert(
  { server, codec }: RedisEngine,
  first: Task,
  options: CreateOptions,
  added: readonly Entry[],
): Promise<Position | undefined> {
  const { scope, claim, wakeInMs, webhooks = [] } = options;
  const own = codec.of(first.id);
  const { task, hasEnded, snapshot, folded, end, rows, turn, checkpoint } = newTaskOf(
    first,
    options,
    added,
    own,
  );
  const { id, contextId, status } = task;
  const reply = await server.run(createScript, [
    ...[id, newCall(), scope.tenant, scope.owner, optional(contextId)],
    ...[status.state, timeOf(status), hasEnded ? 1 : 0],
    ...[textOfPosition(end), textOfPosition(folded)],
    ...[snapshot.task, optional(snapshot.artifacts), turn],
    ...[optional(checkpoint), optional(claim?.holder), claim?.ttlMs ?? 0],
    ...[optional(wakeInMs), sizeOfRows(rows)],
    ...[rows.length, ...rows.flatMap((row) => [textOfPosition(row), row.kind, row.body])],
    ...[
      webhooks.length,
      ...webhooks.flatMap((webhook) => [webhook.id, webhook.after, own.write(webhook, "webhook")]),
    ],
  ]);
  return reply === "1" ? end : undefined;
}

/**
 * Returns a task and the number of events after its snapshot, or `undefined` if the scope does not
 * contain it.
 */
export async function read(
  { server, codec }: RedisEngine,
  { tenant, owner }: Scope,
  id: string,
): Promise<ReadTask | undefined> {
  const reply = await server.run(readScript, [id, tenant, owner]);
  if (reply === null) return undefined;
  return readable(id, () => {
    const task = taskOf(id, reply);
    return { stored: storedOf(task, codec.of(id)), grown: task.grown };
  });
}

/**
 * Compacts the snapshot of a task. If `trims` is set, also removes the log. Returns whether the log
 * was removed.
 */
export async function fold(
  { server, codec }: RedisEngine,
  id: string,
  trims: boolean,
): Promise<boolean> {
  const reply = await server.run(snapshotScript, [id]);
  if (reply === null) return false;
  const task = taskOf(id, reply);
  const own = codec.of(id);
  const { task: body, artifacts } = readable(id, () => newSnapshotOf(partsOf(task, own), own));
  const before = [textOfPosition(task.folded), task.logBytes];
  const values = [textOfPosition(task.end), body, optional(artifacts), trims ? 1 : 0];
  return (await server.run(foldScript, [id, ...before, ...values])) === "1";
}

/**
 * Deletes expired tasks, and expired logs of other tasks, in a small batch. Returns the number of
 * deleted tasks and logs.
 */
export async function deleteExpired(
  engine: RedisEngine,
  { maxAgeMs, maxCount, maxLogAgeMs, step = defaultStep }: Retention,
): Promise<number> {
  const limits = [maxAgeMs, maxCount, maxLogAgeMs].map(optional);
  const [count, unfolded] = listOf(await engine.server.run(forgetScript, [...limits, step]));
  let gone = Number(count);
  for (const id of listOf(unfolded)) if (await trim(engine, textOf(id))) gone += 1;
  return gone;
}

/**
 * Compacts a task and removes its log. The log of an unreadable task stays, and is marked so that
 * it does not block the cleanup of later logs.
 */
async function trim(engine: RedisEngine, id: string): Promise<boolean> {
  try {
    return await fold(engine, id, true);
  } catch (error) {
    if (!(error instanceof UnreadableTaskError)) throw error;
    await engine.server.run(keepLogScript, [id]);
    return false;
  }
}

/** Returns entries after a position, or the task if these entries were removed. */
export async function batch(
  { server, codec }: RedisEngine,
  id: string,
  after: Position,
): Promise<Batch> {
  const reply = await server.run(batchScript, [id, textOfPosition(after), batchSize]);
  return readable(id, () => batchOf(id, reply, codec));
}

/**
 * Returns a page of a list.
 * @throws A `CursorError` if the cursor was not issued by a store.
 */
export async function list(
  { server, codec }: RedisEngine,
  { tenant, owner }: Scope,
  query: TaskQuery,
  onRead: (id: string, grown: number, bytes: number) => void,
): Promise<TaskPage> {
  const { contextId, state, since, cursor, artifacts = false } = query;
  const limit = Math.min(Math.max(1, query.limit), maxPage);
  const before = cursor === undefined ? undefined : positionOf(cursor);
  const reply = await server.run(listScript, [
    ...[tenant, owner, optional(contextId), optional(state), optional(since)],
    ...[limit, artifacts ? 1 : 0],
    ...[before?.time ?? "", before?.id ?? ""],
  ]);
  const [count, rows, more] = listOf(reply);
  const tasks: ListedTask[] = [];
  const unreadable: UnreadableTaskError[] = [];
  let last = { time: 0, id: "" };
  let bytes = 0;
  for (const row of listOf(rows)) {
    const [time, idText, task] = listOf(row);
    const id = textOf(idText);
    last = { time: Number(textOf(time)), id };
    collect(unreadable, () => {
      const result = taskOf(id, task);
      tasks.push(readable(id, () => listedOf(result, codec.of(id))));
      bytes += result.bytes;
      onRead(id, result.grown, result.bytes);
    });
  }
  const page = { tasks, total: Number(count), bytes, ...(unreadable.length > 0 && { unreadable }) };
  return more === "1" ? { ...page, next: cursorOf(last) } : page;
}

/** Returns the state of tasks and webhooks for a poll. */
export async function readState(
  { server }: RedisEngine,
  ids: readonly string[],
  watched: readonly string[],
  watchedMs: number,
): Promise<StoreState> {
  const marked = new Set(watched);
  const tasks: StoreState["tasks"][number][] = [];
  let isDue = false;
  // Run a script even if no tasks are passed, to check for due webhooks.
  for (let at = 0; at === 0 || at < ids.length; at += maxIds) {
    const part = ids.slice(at, at + maxIds);
    const marks = part.map((id) => (marked.has(id) ? "+" : "-") + id);
    const [seen, due] = listOf(
      await server.run(seeScript, [
        watchedMs,
        server.process,
        maxListLength,
        marks.length,
        ...marks,
      ]),
    );
    for (const row of listOf(seen)) {
      const [id, end, posts] = listOf(row);
      tasks.push({ id: textOf(id), end: textOf(end), posts: Number(posts) });
    }
    isDue = due === "1";
  }
  return { tasks, isDue };
}

/** Extends leases, and returns the leases that are still held. */
export async function renew(
  { server }: RedisEngine,
  leases: readonly Lease[],
  ttlMs: number,
): Promise<Set<Lease>> {
  const held = new Set<Lease>();
  for (let at = 0; at < leases.length; at += maxIds) {
    const part = leases.slice(at, at + maxIds);
    const values = part.flatMap(({ id, epoch, holder }) => [id, epoch, holder]);
    const reply = await server.run(renewScript, [ttlMs, part.length, ...values]);
    for (const place of listOf(reply)) {
      const lease = part.at(Number(place) - 1);
      if (lease !== undefined) held.add(lease);
    }
  }
  return held;
}

function textOfPosition({ generation, nth }: Position): string {
  return `${String(generation)}-${String(nth)}`;
}
