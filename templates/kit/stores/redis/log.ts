import type { Task } from "../../model.js";
import { cursorOf, placeOf } from "../../memory/cursor.js";
import { isTerminal, timeOf } from "../../states.js";
import {
  type AppendOptions,
  type CreateOptions,
  type Entry,
  type Lease,
  type ListedTask,
  type Retention,
  type Scope,
  type Stored,
  type TaskPage,
  type TaskQuery,
  UnreadableTaskError,
} from "../../store.js";
import type { Codec } from "../log/codec.js";
import { collect, listedOf, partsOf, readable, storedOf } from "../log/decode.js";
import type { Sight } from "../log/poll.js";
import { keptTexts, newSnapshotOf, newTaskOf, sizeOfRows } from "../log/large.js";
import { kindOf, lastStatus, type Position } from "../log/rows.js";
import type { Batch } from "../log/watch-hub.js";
import { newCall } from "./calls.js";
import { type Engine, optional } from "./engine.js";
import { forgetScript, keepLogScript, renewScript, seeScript } from "./scripts/leases.js";
import { listScript } from "./scripts/list.js";
import { appendScript, batchScript, createScript, foldScript, readScript, snapshotScript } from "./scripts/tasks.js";
import { type AppendResult, appendResultOf, batchOf, listOf, taskOf, textOf } from "./results.js";

/** A server, and how values are written in it. */
export interface RedisEngine {
  readonly engine: Engine;
  readonly codec: Codec;
}

/** How many tasks one script looks at: nothing else is served while it runs, and its arguments are limited. */
const manyIds = 1_000;

/** How many entries a watch gets at once. */
const batchSize = 1_000;

/** How many tasks a page has at most. */
const maxPage = 1_000_000;

/** How many tasks and logs `forget` removes where it is not told. */
const stepOfForget = 100;

/** Adds a task; returns where its log ends, or `undefined` where its id is taken. */
export async function insert(
  { engine, codec }: RedisEngine,
  first: Task,
  options: CreateOptions,
  added: readonly Entry[],
): Promise<Position | undefined> {
  const { scope, claim, webhooks = [] } = options;
  const { task, hasEnded, snapshot, folded, end, rows, turn, checkpoint } = newTaskOf(first, options, added, codec);
  const { id, contextId, status } = task;
  const reply = await engine.run(createScript, [
    ...[id, newCall(), scope.tenant, scope.owner, optional(contextId)],
    ...[status.state, timeOf(status), hasEnded ? 1 : 0],
    ...[textOfPosition(end), textOfPosition(folded), snapshot.task, optional(snapshot.artifacts), turn],
    ...[optional(checkpoint), optional(claim?.holder), claim?.ttlMs ?? 0, sizeOfRows(rows)],
    ...[rows.length, ...rows.flatMap((row) => [textOfPosition(row), row.kind, row.body])],
    ...[webhooks.length, ...webhooks.flatMap((webhook) => [webhook.id, webhook.after, codec.write(webhook)])],
  ]);
  return reply === "1" ? end : undefined;
}

/** Appends entries, if the lease is held. */
export async function append(
  { engine, codec }: RedisEngine,
  { id, holder, epoch }: Lease,
  entries: readonly Entry[],
  options: AppendOptions,
): Promise<AppendResult> {
  const { taken = [], release = false, ttlMs = 0, seen = 0 } = options;
  const { turn, checkpoint } = keptTexts(options, entries, codec);
  const { status, generation } = lastStatus(entries) ?? {};
  const kept = [optional(turn), optional(checkpoint)];
  const values: (string | number)[] = [id, holder, epoch, release ? 1 : 0, ttlMs, ...kept, seen];
  if (status === undefined) values.push("", "", "", 0);
  else values.push(generation ?? "", status.state, timeOf(status), isTerminal(status.state) ? 1 : 0);
  values.push(taken.length);
  for (const item of taken) values.push(item);
  values.push(entries.length);
  for (const entry of entries) {
    const kind = String(kindOf(entry));
    values.push(entry.generation, "item" in entry ? kind + entry.item : kind, codec.write(entry));
  }
  return appendResultOf(await engine.run(appendScript, values));
}

/** Returns a task, and how old its snapshot is; `undefined` where the scope has none of this id. */
export async function read(
  { engine, codec }: RedisEngine,
  { tenant, owner }: Scope,
  id: string,
): Promise<{ readonly stored: Stored; readonly grown: number } | undefined> {
  const reply = await engine.run(readScript, [id, tenant, owner]);
  if (reply === null) return undefined;
  return readable(id, () => {
    const task = taskOf(id, reply);
    return { stored: storedOf(task, codec), grown: task.grown };
  });
}

/** Brings the snapshot of a task up to date, and removes its log where that is wanted; returns whether it has. */
export async function fold({ engine, codec }: RedisEngine, id: string, trims: boolean): Promise<boolean> {
  const reply = await engine.run(snapshotScript, [id]);
  if (reply === null) return false;
  const task = taskOf(id, reply);
  const { task: body, artifacts } = readable(id, () => newSnapshotOf(partsOf(task, codec), codec));
  const before = [textOfPosition(task.folded), task.logBytes];
  const values = [textOfPosition(task.end), body, optional(artifacts), trims ? 1 : 0];
  return (await engine.run(foldScript, [id, ...before, ...values])) === "1";
}

/** Removes some tasks, and logs of others, that are no longer to be kept; returns how many. */
export async function forget(
  engine: RedisEngine,
  { maxAgeMs, maxCount, maxLogAgeMs, step = stepOfForget }: Retention,
): Promise<number> {
  const limits = [maxAgeMs, maxCount, maxLogAgeMs].map(optional);
  const [count, unfolded] = listOf(await engine.engine.run(forgetScript, [...limits, step]));
  let gone = Number(count);
  for (const id of listOf(unfolded)) if (await trimmed(engine, textOf(id))) gone += 1;
  return gone;
}

/** Removes the log of a task. The log of a task that cannot be read stays, and keeps no other log. */
async function trimmed(engine: RedisEngine, id: string): Promise<boolean> {
  try {
    return await fold(engine, id, true);
  } catch (error) {
    if (!(error instanceof UnreadableTaskError)) throw error;
    await engine.engine.run(keepLogScript, [id]);
    return false;
  }
}

/** Returns entries after a position; the task, where they have gone. */
export async function batch({ engine, codec }: RedisEngine, id: string, after: Position): Promise<Batch> {
  const reply = await engine.run(batchScript, [id, textOfPosition(after), batchSize]);
  return readable(id, () => batchOf(id, reply, codec));
}

/** Returns a page of a list. Throws a `CursorError` for no cursor. */
export async function list(
  { engine, codec }: RedisEngine,
  { tenant, owner }: Scope,
  query: TaskQuery,
  onRead: (id: string, grown: number, bytes: number) => void,
): Promise<TaskPage> {
  const { contextId, state, since, cursor, artifacts = false } = query;
  const limit = Math.min(Math.max(1, query.limit), maxPage);
  const before = cursor === undefined ? undefined : placeOf(cursor);
  const reply = await engine.run(listScript, [
    ...[tenant, owner, optional(contextId), optional(state), optional(since), limit, artifacts ? 1 : 0],
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
      tasks.push(readable(id, () => listedOf(result, codec)));
      bytes += result.bytes;
      onRead(id, result.grown, result.bytes);
    });
  }
  const page = { tasks, total: Number(count), bytes, ...(unreadable.length > 0 && { unreadable }) };
  return more === "1" ? { ...page, next: cursorOf(last) } : page;
}

/** Looks at tasks, for what may have changed. */
export async function see({ engine }: RedisEngine, ids: readonly string[]): Promise<Sight> {
  const tasks: Sight["tasks"][number][] = [];
  let isDue = false;
  // Without tasks, it still looks for webhooks.
  for (let at = 0; at === 0 || at < ids.length; at += manyIds) {
    const part = ids.slice(at, at + manyIds);
    const [seen, due] = listOf(await engine.run(seeScript, [part.length, ...part]));
    for (const row of listOf(seen)) {
      const [id, end, posts] = listOf(row);
      tasks.push({ id: textOf(id), end: textOf(end), posts: Number(posts) });
    }
    isDue = due === "1";
  }
  return { tasks, isDue };
}

/** Extends leases; returns those that are held. */
export async function renew({ engine }: RedisEngine, leases: readonly Lease[], ttlMs: number): Promise<Set<Lease>> {
  const held = new Set<Lease>();
  for (let at = 0; at < leases.length; at += manyIds) {
    const part = leases.slice(at, at + manyIds);
    const values = part.flatMap(({ id, epoch, holder }) => [id, epoch, holder]);
    const reply = await engine.run(renewScript, [ttlMs, part.length, ...values]);
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
