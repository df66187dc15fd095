import type { Task } from "../../../models.js";
import { applyEntries } from "../../fold.js";
import { cursorOf, placeOf } from "../../memory/cursor.js";
import { isTerminal, timeOf } from "../../states.js";
import type {
  AppendOptions,
  CreateOptions,
  Entry,
  Lease,
  Retention,
  Scope,
  Stored,
  TaskPage,
  TaskQuery,
} from "../../store.js";
import type { Sight } from "../log/poll.js";
import { foldedOf, kindOf, lastStatus, type Position, rowsOf, snapshotOf, storedOf } from "../log/rows.js";
import type { Batch } from "../log/watch-hub.js";
import { newCall } from "./calls.js";
import { type Engine, optional } from "./engine.js";
import { forgetScript, seeScript } from "./scripts/leases.js";
import { listScript } from "./scripts/list.js";
import { appendScript, batchScript, createScript, foldScript, readScript, snapshotScript } from "./scripts/tasks.js";
import { type AppendResult, appendResultOf, batchOf, listOf, taskOf, textOf } from "./results.js";

/** How many entries a watch gets at once. */
const batchSize = 1_000;

/** How many tasks a page has at most. */
const maxPage = 1_000_000;

/** How many tasks and logs `forget` removes where it is not told. */
const stepOfForget = 100;

/** Adds a task; returns where its log ends, or `undefined` where its id is taken. */
export async function insert(
  engine: Engine,
  task: Task,
  { scope, turn, checkpoint, claim, webhooks = [] }: CreateOptions,
  added: readonly Entry[],
): Promise<Position | undefined> {
  const rows = rowsOf(added, { generation: 1, nth: 0 });
  const { generation, nth } = rows.at(-1) ?? { generation: 1, nth: 0 };
  const folded = applyEntries(task, added);
  const { state } = folded.status;
  const snapshot = snapshotOf(folded);
  const reply = await engine.run(
    createScript,
    ...[task.id, newCall(), scope.tenant, scope.owner, optional(task.contextId)],
    ...[state, timeOf(folded.status), isTerminal(state) ? 1 : 0],
    ...[textOfPosition({ generation, nth }), snapshot.task, optional(snapshot.artifacts), JSON.stringify(turn)],
    ...[optionalJson(checkpoint), optional(claim?.holder), claim?.ttlMs ?? 0],
    ...[rows.length, ...rows.flatMap((row) => [textOfPosition(row), row.kind, row.body])],
    ...[webhooks.length, ...webhooks.flatMap((webhook) => [webhook.id, webhook.after, JSON.stringify(webhook)])],
  );
  return reply === "1" ? { generation, nth } : undefined;
}

/** Appends entries, if the lease is held. */
export async function append(
  engine: Engine,
  { id, holder, epoch }: Lease,
  entries: readonly Entry[],
  { taken = [], turn, checkpoint, release = false, ttlMs = 0 }: AppendOptions,
): Promise<AppendResult> {
  const { status, generation } = lastStatus(entries) ?? {};
  const values: (string | number)[] = [
    id,
    holder,
    epoch,
    release ? 1 : 0,
    ttlMs,
    optionalJson(turn),
    optionalJson(checkpoint),
  ];
  if (status === undefined) values.push("", "", "", 0);
  else values.push(generation ?? "", status.state, timeOf(status), isTerminal(status.state) ? 1 : 0);
  values.push(taken.length, ...taken, entries.length);
  for (const entry of entries) {
    const kind = String(kindOf(entry));
    values.push(entry.generation, "item" in entry ? kind + entry.item : kind, JSON.stringify(entry));
  }
  return appendResultOf(await engine.run(appendScript, ...values));
}

/** Returns a task, and how old its snapshot is; `undefined` where the scope has none of this id. */
export async function read(
  engine: Engine,
  { tenant, owner }: Scope,
  id: string,
): Promise<{ readonly stored: Stored; readonly grown: number } | undefined> {
  const reply = await engine.run(readScript, id, tenant, owner);
  if (reply === null) return undefined;
  const task = taskOf(reply);
  return { stored: storedOf(task), grown: task.grown };
}

/** Brings the snapshot of a task up to date, and removes its log where that is wanted; returns whether it has. */
export async function fold(engine: Engine, id: string, trims: boolean): Promise<boolean> {
  const reply = await engine.run(snapshotScript, id);
  if (reply === null) return false;
  const task = taskOf(reply);
  const { task: body, artifacts } = snapshotOf(foldedOf(task));
  const values = [textOfPosition(task.end), body, optional(artifacts), trims ? 1 : 0];
  return (await engine.run(foldScript, id, ...values)) === "1";
}

/** Removes some tasks, and logs of others, that are no longer to be kept; returns how many. */
export async function forget(
  engine: Engine,
  { maxAgeMs, maxCount, maxLogAgeMs, step = stepOfForget }: Retention,
): Promise<number> {
  const limits = [maxAgeMs, maxCount, maxLogAgeMs].map(optional);
  const [count, unfolded] = listOf(await engine.run(forgetScript, ...limits, step));
  let gone = Number(count);
  for (const id of listOf(unfolded)) if (await fold(engine, textOf(id), true)) gone += 1;
  return gone;
}

/** Returns entries after a position; the task, where they have gone. */
export async function batch(engine: Engine, id: string, after: Position): Promise<Batch> {
  return batchOf(await engine.run(batchScript, id, textOfPosition(after), batchSize));
}

/** Returns a page of a list, and the ids of tasks whose snapshots are old. Throws a `CursorError` for no cursor. */
export async function list(
  engine: Engine,
  { tenant, owner }: Scope,
  query: TaskQuery,
  onRead: (id: string, grown: number) => void,
): Promise<TaskPage> {
  const { contextId, state, since, cursor, artifacts = false } = query;
  const limit = Math.min(Math.max(1, query.limit), maxPage);
  const before = cursor === undefined ? undefined : placeOf(cursor);
  const reply = await engine.run(
    listScript,
    ...[tenant, owner, optional(contextId), optional(state), optional(since), limit + 1, artifacts ? 1 : 0],
    ...[before?.time ?? "", before?.id ?? ""],
  );
  const [total, rows] = listOf(reply);
  const found = listOf(rows).map((row) => {
    const [time, task] = listOf(row);
    return { time: Number(textOf(time)), task: taskOf(task) };
  });
  const page = found.slice(0, limit);
  for (const { task } of page) onRead(task.task.id, task.grown);
  const tasks = page.map(({ task }) => storedOf(task));
  const last = found.length > limit ? page.at(-1) : undefined;
  if (last === undefined) return { tasks, total: Number(total) };
  return { tasks, total: Number(total), next: cursorOf({ time: last.time, id: last.task.task.id }) };
}

/** Looks at tasks, for what may have changed. */
export async function see(engine: Engine, ids: readonly string[]): Promise<Sight> {
  const [seen, due] = listOf(await engine.run(seeScript, ids.length, ...ids));
  const tasks = listOf(seen).map((row) => {
    const [id, end, posts] = listOf(row);
    return { id: textOf(id), end: textOf(end), posts: Number(posts) };
  });
  return { tasks, isDue: due === "1" };
}

/** Returns JSON of what may be absent, for a script. */
function optionalJson(value: unknown): string {
  return optional(value === undefined ? undefined : JSON.stringify(value));
}

function textOfPosition({ generation, nth }: Position): string {
  return `${String(generation)}-${String(nth)}`;
}
