import { beforeAll, describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import type { Scope, TaskStore } from "../../../../library/kit/store.js";
import { ShardError, shardedStore } from "../../../../library/stores/sharded.js";
import { Bench } from "../../../../library/stores/testing/contract/bench.js";
import { lateStore } from "../../../support/late-store.js";
import { Random, seedOf } from "../../../support/random/random.js";
import { seed } from "../../../support/seed.js";
import {
  failing,
  longClaim,
  numbers,
  replaceable,
  scopeIn,
  scopes,
} from "../../../support/sharding.js";
import { sized } from "../../../support/size.js";

describe("the marks of shardedStore", () => {
  const [one, two, three] = [memoryStore(), memoryStore(), memoryStore()];
  const use = (store: TaskStore, at = 0) => store.read(scopeIn(at, 2), "a");

  beforeAll(async () => {
    const store = shardedStore([
      { name: "one", store: one },
      { name: "two", store: two },
    ]);
    await Promise.all([use(store, 0), use(store, 1)]);
  });

  it("a store with the same configuration continues", async () => {
    expect(await use(shardedStore([one, two]))).toBe(undefined);
  });

  it.each([
    {
      title: "a shard is assigned to another store",
      stores: [
        { name: "one", store: one, shards: [0, 1, 2, 3, 4, 5, 6] },
        { name: "two", store: two, shards: [7, 8, 9, 10, 11, 12, 13, 14, 15] },
      ],
      text: "was set up together with stores that hold the shards 0-7; 8-15, but the stores of the configuration hold the shards 0-6; 7-15: restore the earlier configuration",
    },
    {
      title: "a new store takes over shards",
      stores: [{ name: "one", store: one }, { name: "two", store: two }, three],
      text: "but the stores of the configuration hold the shards 0-5; 6-10; 11-15: restore",
    },
    {
      title: "the stores are in another order",
      stores: [two, one],
      text: "The store stores[0] holds the shards 8-15 of 16, but the configuration assigns these shards to stores[1]: connect each store",
    },
  ])("all calls are rejected if $title", async ({ stores, text }) => {
    const changed = shardedStore(stores);
    await vi.waitFor(() => expect(use(changed)).rejects.toThrow(text));
    await vi.waitFor(() => expect(changed.claimExpired(longClaim, 1)).rejects.toThrow(ShardError));
    for (const scope of scopes) await expect(changed.read(scope, "a")).rejects.toThrow(ShardError);
  });

  it("all calls are rejected if the number of shards differs", async () => {
    const changed = shardedStore([one, two], { shards: 32 });
    await expect(use(changed)).rejects.toThrow(
      "The store stores[0] holds the shards 0-7 of 16, but the configuration has 32 shards: set " +
        "`shards` to 16, because the number cannot change",
    );
  });

  it("all calls are rejected if an empty database replaces a database", async () => {
    const changed = shardedStore([{ name: "new", store: memoryStore() }, two]);
    await expect(use(changed)).rejects.toThrow(
      "The store new is not the database that held the shards 0-7 so far",
    );
  });

  it("an owner of a working database is served while another database is down", async () => {
    const [first, second] = [memoryStore(), replaceable()];
    await use(shardedStore([first, second]));
    Reflect.set(second, "mark", failing);
    const store = shardedStore([first, second]);
    expect(await use(store)).toBe(undefined);
    await expect(use(store, 1)).rejects.toThrow("The database is down");
    Reflect.deleteProperty(second, "mark");
    expect(await use(store, 1)).toBe(undefined);
  });

  it("new databases are not used before all databases respond", async () => {
    const [first, second] = [memoryStore(), replaceable()];
    Reflect.set(second, "mark", failing);
    const store = shardedStore([
      { name: "first", store: first },
      { name: "second", store: second },
    ]);
    await expect(use(store)).rejects.toThrow(
      "A new database is only used after all databases have responded: The store second failed: " +
        "The database is down",
    );
    Reflect.deleteProperty(second, "mark");
    expect(await use(store)).toBe(undefined);
    expect(await use(store, 1)).toBe(undefined);
  });

  it("an empty database does not replace a database while the store that knows its id is down", async () => {
    const [first, second] = [memoryStore(), replaceable()];
    await use(shardedStore([first, second]));
    Reflect.set(second, "mark", failing);
    const replaced = memoryStore();
    for (let starts = 0; starts < 2; starts += 1)
      await expect(use(shardedStore([replaced, second]))).rejects.toThrow("The database is down");
    Reflect.deleteProperty(second, "mark");
    await expect(use(shardedStore([replaced, second]))).rejects.toThrow(
      "is not the database that held the shards 0-7 so far",
    );
  });

  it("two stores must not have the same database", async () => {
    const database = memoryStore();
    const doubled = shardedStore([
      { name: "first", store: memoryStore() },
      { name: "second", store: database },
      { name: "third", store: database },
    ]);
    await expect(use(doubled)).rejects.toThrow(
      "The stores second and third have the same database: connect each store to a database of " +
        "its own",
    );
  });

  it("a changed function `key` is refused", async () => {
    const stores = [memoryStore(), memoryStore()];
    const byTenant = { key: ({ tenant }: Scope) => tenant };
    expect(await use(shardedStore(stores, byTenant))).toBe(undefined);
    expect(await use(shardedStore(stores, byTenant))).toBe(undefined);
    await expect(use(shardedStore(stores))).rejects.toThrow(
      "The store stores[0] was set up with another function `key`: restore the earlier function",
    );
  });

  it.each([
    { key: () => 5 as unknown as string, found: "number" },
    { key: () => undefined as unknown as string, found: "undefined" },
  ])("a key that is not a string, but of type $found, is refused", async ({ key, found }) => {
    await expect(
      Promise.resolve().then(() => use(shardedStore([memoryStore(), memoryStore()], { key }))),
    ).rejects.toThrow(`\`key\` of shardedStore must return a string, got ${found}`);
  });

  it("a database with tasks of a single store can only become the only store", async () => {
    const [old, added] = [memoryStore(), memoryStore()];
    await new Bench(old, 1_000, undefined).rest();
    const both = shardedStore([
      { name: "old", store: old },
      { name: "new", store: added },
    ]);
    await expect(use(both)).rejects.toThrow(
      "The store old contains tasks of a single store: use a new database",
    );
    await expect(use(both, 1)).rejects.toThrow(ShardError);
    expect(await use(shardedStore([old]))).toBe(undefined);
  });

  it("all calls are rejected after a database turns out to contain a task of another store", async () => {
    const [first, second] = [memoryStore(), memoryStore()];
    const store = shardedStore([first, second]);
    await use(store);
    const bench = new Bench(first, 1_000, undefined);
    await bench.open({}, { scope: scopeIn(1, 2), claim: { holder: "gone", ttlMs: 0 } });
    const refusal =
      "The store stores[0] contains tasks of owners that belong to the store stores[1]";
    const { errors } = await store.claimExpired(longClaim, 1);
    expect(errors?.map(String)).toEqual([expect.stringContaining(refusal)]);
    await expect(use(store)).rejects.toThrow(refusal);
    await expect(use(store, 1)).rejects.toThrow(ShardError);
  });

  it("the error of a database that fails during its check names its store once", async () => {
    const [first, second] = [memoryStore(), replaceable()];
    await use(shardedStore([first, second]));
    const mark = second.mark?.bind(second);
    Reflect.set(second, "mark", (name: string, value?: string) =>
      value === undefined ? mark?.(name) : failing(),
    );
    const { errors } = await shardedStore([first, second]).claimExpired(longClaim, 1);
    expect(errors?.map(String)).toEqual([
      "Error: The store stores[1] failed: The database is down",
    ]);
  });

  it("the error for a database without tasks says that an empty database can replace it", async () => {
    const [first, second] = [unfinished(), unfinished()];
    await expect(use(shardedStore([first, second]))).rejects.toThrow("The database is down");
    await expect(use(shardedStore([second, first]))).rejects.toThrow(
      "The database contains no tasks yet, so an empty database can replace it",
    );
  });
});

/** Returns a memory store that fails before it is ready for tasks. */
function unfinished(): TaskStore {
  const store = replaceable();
  const mark = store.mark?.bind(store);
  Reflect.set(store, "mark", (name: string, value?: string) =>
    name === "ready" && value !== undefined ? failing() : mark?.(name, value),
  );
  return store;
}

/** Positions of databases in a list, with the shards of each database unless they are even. */
type Layout = readonly { readonly at: number; readonly shards?: readonly number[] }[];

const range = (first: number, last: number) => numbers(last - first + 1).map((at) => first + at);

/** Two layouts that contradict each other, and that share at least one of five databases. */
const conflicts: Readonly<Record<string, readonly [Layout, Layout]>> = {
  "another order": [
    [{ at: 0 }, { at: 1 }],
    [{ at: 1 }, { at: 0 }],
  ],
  "one more database": [
    [{ at: 0 }, { at: 1 }],
    [{ at: 0 }, { at: 1 }, { at: 2 }],
  ],
  "another database": [
    [{ at: 0 }, { at: 1 }],
    [{ at: 0 }, { at: 2 }],
  ],
  "a shard in another database": [
    [
      { at: 0, shards: range(0, 7) },
      { at: 1, shards: range(8, 15) },
    ],
    [
      { at: 0, shards: range(0, 8) },
      { at: 1, shards: range(9, 15) },
    ],
  ],
  "other databases with other shards": [
    [
      { at: 0, shards: range(0, 4) },
      { at: 1, shards: range(5, 9) },
      { at: 2, shards: range(10, 15) },
    ],
    [
      { at: 0, shards: range(0, 4) },
      { at: 3, shards: range(5, 7) },
      { at: 4, shards: range(8, 15) },
    ],
  ],
  "an order of the list that hides another database": [
    [
      { at: 0, shards: range(0, 4) },
      { at: 1, shards: range(5, 9) },
      { at: 2, shards: range(10, 15) },
    ],
    [
      { at: 3, shards: range(10, 15) },
      { at: 0, shards: range(0, 4) },
      { at: 4, shards: range(5, 9) },
    ],
  ],
};

/** Opens a process with a layout, whose calls to the databases overtake each other. */
function processOn(databases: readonly TaskStore[], layout: Layout, random: Random) {
  const stores = layout.map(({ at, ...rest }) => {
    const database = databases[at];
    if (database === undefined) throw new Error("no database");
    return { ...rest, store: lateStore(database, random.below(1_000_000)) };
  });
  return shardedStore(stores);
}

/** Creates a task for each scope. Returns the number of tasks, and the errors. */
async function createAll(store: TaskStore, name: string) {
  const bench = new Bench(store, 1_000, undefined);
  const settled = await Promise.allSettled(
    scopes.map((scope) => bench.open({ id: `${name} ${scope.owner}` }, { scope })),
  );
  const errors = settled.flatMap((each) =>
    each.status === "rejected" ? [each.reason as unknown] : [],
  );
  return { created: settled.length - errors.length, errors };
}

/** Returns the number of databases that contain tasks of a scope. */
async function homesOf(databases: readonly TaskStore[], scope: (typeof scopes)[number]) {
  const totals = await Promise.all(
    databases.map(async (database) => (await database.list(scope, { limit: 1 })).total),
  );
  return totals.filter((total) => total > 0).length;
}

describe("processes that start at the same time with different configurations", () => {
  const cases = Object.keys(conflicts).flatMap((title) =>
    numbers(sized(15, 300)).map((run) => [title, run] as const),
  );

  it.each(Object.keys(conflicts))(
    "one configuration uses new databases, and the other one is rejected: %s",
    async (title) => {
      for (const [, run] of cases.filter(([of]) => of === title)) {
        const random = new Random(seedOf(seed, `new databases: ${title}`, run));
        const databases = numbers(5).map(() => memoryStore());
        const [one, other] = conflicts[title] ?? [];
        if (one === undefined || other === undefined) throw new Error("no layouts");
        const layouts = [one, other, one, other].slice(0, 2 + random.below(3));
        const results = await Promise.all(
          layouts.map((layout, at) =>
            createAll(processOn(databases, layout, random), `process ${String(at)}`),
          ),
        );
        const winners = new Set<Layout>();
        for (const [at, { created, errors }] of results.entries()) {
          for (const error of errors) expect(error).toBeInstanceOf(ShardError);
          expect([0, scopes.length]).toContain(created);
          if (created > 0) winners.add(layouts[at] ?? []);
        }
        expect(winners.size).toBe(1);
        for (const scope of scopes) expect(await homesOf(databases, scope)).toBe(1);
      }
    },
  );

  it.each(Object.keys(conflicts))(
    "databases with tasks are only used with their configuration: %s",
    async (title) => {
      for (const [, run] of cases.filter(([of]) => of === title)) {
        const random = new Random(seedOf(seed, `databases with tasks: ${title}`, run));
        const databases = numbers(5).map(() => memoryStore());
        const [one, other] = conflicts[title] ?? [];
        if (one === undefined || other === undefined) throw new Error("no layouts");
        await createAll(processOn(databases, one, random), "before");
        const [kept, refused] = await Promise.all([
          createAll(processOn(databases, one, random), "kept"),
          createAll(processOn(databases, other, random), "refused"),
        ]);
        expect([kept.created, kept.errors]).toEqual([scopes.length, []]);
        for (const error of refused.errors) expect(error).toBeInstanceOf(ShardError);
        expect(refused.errors.length).toBeGreaterThan(0);
        for (const scope of scopes) expect(await homesOf(databases, scope)).toBe(1);
      }
    },
  );

  it("several processes with the same configuration mark new databases together", async () => {
    for (const run of numbers(sized(15, 300))) {
      const random = new Random(seedOf(seed, "same configuration", run));
      const databases = numbers(3).map(() => memoryStore());
      const layout = numbers(3).map((at) => ({ at }));
      const results = await Promise.all(
        numbers(4).map((at) =>
          createAll(processOn(databases, layout, random), `process ${String(at)}`),
        ),
      );
      for (const { errors } of results) expect(errors).toEqual([]);
    }
  });
});
