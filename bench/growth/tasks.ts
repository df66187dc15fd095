import type { TaskStatus } from "../../generated/1.1-draft/models.js";
import type { Lease, TaskStore } from "../../library/kit/store.js";
import { Random } from "../../test/support/random/random.js";
import { median, type Effort } from "../clock.js";
import { idOf, scope } from "../filling/clones.js";
import { engines, type Fillable } from "../filling/engines.js";
import type { Point } from "../point.js";

const sizes = [1_000, 10_000, 100_000, 1_000_000];

/**
 * Number of open tasks, to which events are appended in turns. They belong to another caller, so no
 * page contains them.
 */
const openTasks = 50;
const otherScope = { ...scope, owner: "bob" };

/** Number of tasks on a page. */
const limit = 50;

/**
 * Measures the time of a call in a store with many ended tasks of one caller: the median of calls
 * that follow each other. Engines that are not installed are skipped.
 */
export async function* measure({ quick }: Effort): AsyncGenerator<Point> {
  for (const engine of engines) {
    if (engine.missing !== undefined) {
      console.error(`  without ${engine.name}: ${engine.missing}`);
      continue;
    }
    const fillable = await engine.open();
    try {
      for await (const point of ofEngine(fillable, quick)) yield { ...point, series: engine.name };
    } finally {
      await fillable.close();
    }
  }
}

async function* ofEngine(
  fillable: Fillable,
  quick: boolean,
): AsyncGenerator<Omit<Point, "series">> {
  const { store, most } = fillable;
  const append = await appends(store);
  const random = new Random(1);
  const ms = quick ? 1 : 700;
  let filled = 0;
  for (const x of quick ? [100, 200] : sizes.filter((size) => size <= most)) {
    await fillable.fill(filled, x);
    filled = x;
    yield { panel: "append", x, y: await timeOf(append, ms) };
    yield { panel: "read", x, y: await timeOf(() => read(store, idOf(random.below(x))), ms) };
    yield { panel: "list", x, y: await timeOf(() => list(store, x), ms) };
  }
}

/**
 * Returns the median time in milliseconds of calls that follow each other, without the first
 * quarter of the calls.
 */
async function timeOf(call: () => Promise<unknown>, ms: number): Promise<number> {
  const times: number[] = [];
  const start = performance.now();
  for (let before = start; before < start + ms || times.length < 4;) {
    await call();
    const now = performance.now();
    times.push(now - before);
    before = now;
  }
  return median(times.slice(times.length >> 2));
}

async function read(store: TaskStore, id: string): Promise<void> {
  if ((await store.read(scope, id))?.task.artifacts?.length !== 1)
    throw new Error(`The store has no whole task ${id}`);
}

async function list(store: TaskStore, filled: number): Promise<void> {
  const { tasks, total } = await store.list(scope, { limit });
  if (tasks.length !== limit || total < Math.min(filled, 1_000))
    throw new Error("The store lists too few tasks");
}

/** Opens tasks, and returns a function that appends an event to the next task. */
async function appends(store: TaskStore): Promise<() => Promise<unknown>> {
  const leases: Lease[] = [];
  for (let at = 0; at < openTasks; at += 1) leases.push(await opened(store, `open-${String(at)}`));
  let count = 0;
  return async () => {
    const lease = leases[count % openTasks];
    if (lease === undefined) throw new Error("No task is open");
    const generation = 2 + Math.floor(count / openTasks);
    count += 1;
    const statusUpdate = { taskId: lease.id, contextId: "c", status: statusNow() };
    await store.append(lease, [{ generation, event: { statusUpdate } }]);
  };
}

async function opened(store: TaskStore, id: string): Promise<Lease> {
  const task = { id, contextId: "c", status: statusNow() };
  const claim = { holder: "bench", ttlMs: 3_600_000 };
  const lease = await store.create(task, { scope: otherScope, turn: { id: `turn-${id}` }, claim });
  if (lease === undefined) throw new Error(`${id} has no lease`);
  return lease;
}

function statusNow(): TaskStatus {
  const text =
    "The next part of a text that a model has said, with about as many words as such a part has.";
  return {
    state: "TASK_STATE_WORKING",
    timestamp: new Date().toISOString(),
    message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text }] },
  };
}
