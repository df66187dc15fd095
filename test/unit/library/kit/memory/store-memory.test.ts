import { describe, expect, it } from "vitest";
import { TaskState } from "../../../../../generated/1.1-draft/models.js";
import { applyEntries } from "../../../../../library/kit/log/fold.js";
import { memoryStore, type MemoryStoreOptions } from "../../../../../library/kit/memory/store.js";
import { Order, type Position } from "../../../../../library/kit/memory/order.js";
import type { Lease, TaskQuery } from "../../../../../library/kit/store.js";
import {
  Bench,
  chunkEntry,
  statusEntry,
  statusOf,
  workingUntil,
} from "../../../../../library/stores/testing/contract/bench.js";
import { Random, seedOf } from "../../../../support/random/random.js";
import { seed } from "../../../../support/seed.js";
import { sized } from "../../../../support/size.js";

/** A store with a clock that is set, and what to fill it with. */
function benchOf(options: MemoryStoreOptions = {}): Bench {
  let now = 1_000;
  const store = memoryStore({ now: () => now, ...options });
  return new Bench(store, 10_000, (ms) => {
    now += ms;
  });
}

/** Creates tasks that end at once; returns their ids. */
async function endAll(bench: Bench, count: number, text = ""): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const task = bench.task({
      status: statusOf(TaskState.Completed, ids.length),
      metadata: { text },
    });
    await bench.store.create(task, bench.options());
    ids.push(task.id);
  }
  return ids;
}

async function leftOf({ store, scope }: Bench, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => store.read(scope, id)));
  return found.flatMap((stored) => stored?.task.id ?? []);
}

describe("cleanup in memoryStore", () => {
  it("a write deletes the tasks that ended first if too many exist", async () => {
    const bench = benchOf({ maxCount: 3 });
    const { id } = await bench.open();
    const ids = await endAll(bench, 10);
    expect(await leftOf(bench, [id, ...ids])).toEqual([id, ...ids.slice(-3)]);
  });

  it("a write deletes tasks that ended too long ago", async () => {
    const bench = benchOf({ maxAgeMs: 100 });
    const old = await endAll(bench, 6);
    await bench.pass(101);
    const young = await endAll(bench, 2);
    expect(await leftOf(bench, [...old, ...young])).toEqual(young);
  });

  it("a write deletes the tasks that ended first if they use too much memory", async () => {
    const bench = benchOf({ maxBytes: 50_000 });
    const ids = await endAll(bench, 20, "x".repeat(8_000));
    expect(await leftOf(bench, ids)).toEqual(ids.slice(-5));
  });

  it("a write drops the call data of ended tasks, which then does not count towards maxBytes", async () => {
    const bench = benchOf({ maxBytes: 50_000 });
    const text = "x".repeat(8_000);
    const call = {
      user: bench,
      extensions: [text],
      acceptedOutputModes: [text],
      metadata: { text },
    };
    const ids: string[] = [];
    while (ids.length < 5) {
      const task = bench.task({ status: statusOf(TaskState.Completed, ids.length) });
      await bench.store.create(task, { ...bench.options(), turn: { id: task.id, call } });
      ids.push(task.id);
    }
    expect(await leftOf(bench, ids)).toEqual(ids);
  });

  it("a write deletes a few tasks, and not all expired tasks at once", async () => {
    const bench = benchOf({ maxAgeMs: 100 });
    const ids = await endAll(bench, 20);
    await bench.pass(101);
    await bench.open();
    const { length } = await leftOf(bench, ids);
    expect(length).toBeGreaterThan(10);
    expect(length).toBeLessThan(20);
  });
});

describe("a watch of memoryStore", () => {
  it("a watch that is more than maxLog entries behind continues with the current task", async () => {
    const bench = benchOf({ maxLog: 10 });
    const { id, task, lease } = await bench.open();
    const [behind, near] = [
      bench.store.watch(bench.scope, id, 1),
      bench.store.watch(bench.scope, id, 15),
    ];
    await bench.store.append(lease, workingUntil(task, 2, 20));
    const stored = await bench.store.read(bench.scope, id);
    expect(await behind.next()).toEqual({ reset: stored });
    expect(await near.next()).toEqual(workingUntil(task, 16, 20));
    const next = workingUntil(task, 21, 21);
    const waiting = behind.next();
    await bench.store.append(lease, next);
    expect(await waiting).toBe(next);
  });

  it("concurrent calls of next return each entry once", async () => {
    const bench = benchOf();
    const { id, task, lease } = await bench.open();
    const watch = bench.store.watch(bench.scope, id, 1);
    const waiting = [watch.next(), watch.next(), watch.next()];
    await bench.store.append(lease, workingUntil(task, 2, 2));
    await bench.store.append(lease, workingUntil(task, 3, 4));
    watch.close();
    expect(await Promise.all(waiting)).toEqual([
      workingUntil(task, 2, 2),
      workingUntil(task, 3, 4),
      undefined,
    ]);
  });

  it("a watch returns the remaining entries of a deleted task", async () => {
    const bench = benchOf({ maxCount: 0 });
    const { id, task, lease } = await bench.open();
    const watch = bench.store.watch(bench.scope, id, 1);
    const end = statusEntry(task, 2, statusOf(TaskState.Completed, 2));
    await bench.store.append(lease, [end], { release: true });
    expect(await leftOf(bench, [id])).toEqual([]);
    expect(await watch.next()).toEqual([end]);
    watch.close();
  });
});

it("a webhook of memoryStore that is more than maxLog entries behind continues with the remaining entries", async () => {
  const bench = benchOf({ maxLog: 10 });
  const { id, task, lease } = await bench.open();
  await bench.store.putWebhook(bench.scope, bench.webhook(id, "hook"));
  await bench.store.append(lease, workingUntil(task, 2, 20));
  const [due] = (await bench.store.claimWebhooks(bench.claim, 1)).rows;
  expect(due?.events).toEqual(workingUntil(task, 11, 20));
});

it("listeners of memoryStore may reject", async () => {
  const bench = benchOf();
  let calls = 0;
  const listener: () => unknown = async () => {
    calls += 1;
    throw new Error("The error of a listener is ignored");
  };
  bench.store.onDue?.(listener as () => boolean);
  const { id } = await bench.open({}, { claim: { ...bench.claim, onPost: listener } });
  await bench.store.post(bench.scope, id, bench.item("hello"), bench.claim);
  await bench.store.putWebhook(bench.scope, bench.webhook(id, "hook", { after: 0 }));
  expect(calls).toBe(2);
});

it("a long log is read in the order in which it was written, however often it is read in between", async () => {
  const bench = benchOf();
  const random = new Random(seedOf(seed, "long log", 0));
  const { id, task, lease } = await bench.open();
  const entries = Array.from({ length: 3_000 }, (_, at) =>
    chunkEntry(
      task,
      at + 2,
      { artifactId: random.pick(["a", "b"]), parts: [{ text: String(at) }] },
      at > 9,
    ),
  );
  for (let at = 0; at < entries.length;) {
    const next = at + 1 + random.below(40);
    await bench.store.append(lease, entries.slice(at, next));
    at = next;
    if (random.oneIn(5)) await bench.store.read(bench.scope, id);
  }
  expect((await bench.store.read(bench.scope, id))?.task).toEqual(applyEntries(task, entries));
});

it("an order equals a sorted list after random additions and removals", () => {
  const random = new Random(seedOf(seed, "order", 0));
  const order = new Order<Position>();
  let all: Position[] = [];
  const sort = (): Position[] =>
    all.sort((one, other) => one.time - other.time || (one.id < other.id ? -1 : 1));
  const times = sized(6_000, 60_000);
  for (let at = 0; at < times; at += 1) {
    const isGrowing = Math.floor(at / 1_500) % 2 === 0;
    if (all.length === 0 || random.oneIn(isGrowing ? 1 : 4) || random.oneIn(10)) {
      const element = { time: random.oneIn(3) ? random.below(at + 1) : at, id: String(at) };
      order.add(element);
      all.push(element);
    } else {
      const [element] = all.splice(random.below(all.length), 1);
      if (element !== undefined) order.remove(element);
    }
    if (at % 500 !== 0) continue;
    all = sort();
    const before = { time: random.below(at + 1), id: random.pick(["", "5", "~"]) };
    const found: Position[] = [];
    order.descend(before, (element) => found.push(element) < 100);
    const below = all.filter(
      ({ time, id }) => time < before.time || (time === before.time && id < before.id),
    );
    expect(found).toEqual(below.reverse().slice(0, 100));
    expect(order.countSince(before.time)).toBe(
      all.filter(({ time }) => time >= before.time).length,
    );
    expect(order.size).toBe(all.length);
  }
});

it("a list equals a sorted list of all tasks after random changes", async () => {
  const bench = benchOf({ maxCount: 300 });
  const random = new Random(seedOf(seed, "lists", 0));
  const leases: Lease[] = [];
  const states = [TaskState.Working, TaskState.InputRequired, TaskState.Completed];
  const contexts = ["a", "b"];
  for (let at = 0; at < sized(700, 10_000); at += 1) {
    const status = statusOf(random.pick(states), random.below(at + 1));
    const lease = random.oneIn(2) ? leases.splice(random.below(leases.length), 1)[0] : undefined;
    if (lease === undefined) {
      const opened = await bench.open({
        status: { ...status, state: TaskState.Working },
        contextId: random.pick(contexts),
      });
      leases.push(opened.lease);
    } else {
      const { generation = 0 } = (await bench.store.read(bench.scope, lease.id)) ?? {};
      await bench.store.append(lease, [statusEntry(lease, generation + 1, status)]);
      if (status.state !== TaskState.Completed) leases.push(lease);
    }
    if (at % 100 === 0) await checkLists(bench, random);
  }
});

/** Compares pages of a list with a filter to all tasks, sorted and filtered here. */
async function checkLists({ store, scope }: Bench, random: Random): Promise<void> {
  const { tasks } = await store.list(scope, { limit: 100_000 });
  const query: TaskQuery = {
    contextId: random.pick(["a", "b", undefined]),
    state: random.pick([TaskState.Working, TaskState.Completed, undefined]),
    since: random.pick([Date.parse(statusOf(TaskState.Working, 300).timestamp ?? ""), undefined]),
    limit: 1 + random.below(40),
  };
  const timeOf = (status: { timestamp?: string }): number => Date.parse(status.timestamp ?? "");
  const expected = tasks
    .map(({ task }) => task)
    .filter(({ contextId }) => query.contextId === undefined || contextId === query.contextId)
    .filter(({ status }) => query.state === undefined || status.state === query.state)
    .filter(({ status }) => query.since === undefined || timeOf(status) >= query.since)
    .sort(
      (one, other) => timeOf(other.status) - timeOf(one.status) || (one.id < other.id ? 1 : -1),
    );
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list(scope, { ...query, cursor });
    expect(page.total).toBe(expected.length);
    found.push(...page.tasks.map(({ task }) => task.id));
    cursor = page.next;
  } while (cursor !== undefined);
  expect(found).toEqual(expected.map(({ id }) => id));
}
