import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import { LeaseLostError, type Scope, type TaskStore } from "../../../../library/kit/store.js";
import { completed, working } from "../../../../library/kit/turns/updates.js";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { redisStore } from "../../../../library/stores/redis.js";
import { ShardError, type ShardedStore, shardedStore } from "../../../../library/stores/sharded.js";
import { assign, rangesOf, shardOf } from "../../../../library/stores/sharded/shards.js";
import { sqliteStore } from "../../../../library/stores/sqlite.js";
import { TaskState } from "../../../../generated/1.1-draft/models.js";
import {
  Bench,
  statusEntry,
  statusOf,
  working as workingEntry,
} from "../../../../library/stores/testing/contract/bench.js";
import { storeContract } from "../../../../library/stores/testing/store-contract.js";
import { gists, kitAgent, message } from "../../../support/kit.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { Random, seedOf } from "../../../support/random/random.js";
import { noRedis, RedisServer } from "../../../support/redis.js";
import { seed } from "../../../support/seed.js";
import { Databases, sqliteLibraries } from "../../../support/sqlite.js";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const scopes: readonly Scope[] = numbers(64).map((at) => ({ tenant: "", owner: `owner-${at}` }));
const claim = { holder: "process-1", ttlMs: 600_000 };

function close(store: TaskStore) {
  // The contract returns the stores that it was given.
  (store as ShardedStore).close();
}

/** Returns a memory store whose methods can be replaced. */
function replaceable(now?: () => number): TaskStore {
  const store = memoryStore(now && { now });
  return new Proxy(store, {
    get(_, name) {
      const own: unknown = Reflect.get(store, name);
      return typeof own === "function" && !Object.hasOwn(store, name)
        ? (own.bind(store) as unknown)
        : own;
    },
  });
}

function failing(): Promise<never> {
  return Promise.reject(new Error("The database is down"));
}

/** Makes all calls to a store fail, except its marks. */
function stop(store: TaskStore) {
  const names = ["create", "read", "post", "append", "list", "renew", "claimExpired"] as const;
  const more = ["claimWebhooks", "deleteExpired", "usage", "erase"] as const;
  for (const name of [...names, ...more]) Reflect.set(store, name, failing);
}

/** Returns a scope whose tasks are in a store of a sharded store with 16 shards. */
function scopeIn(at: number, stores: number): Scope {
  const { shards = [] } =
    assign(
      numbers(stores).map(() => memoryStore()),
      16,
    )[at] ?? {};
  const found = scopes.find(({ tenant, owner }) =>
    shards.includes(shardOf(`${tenant}\n${owner}`, 16)),
  );
  if (found === undefined) throw new Error("no scope");
  return found;
}

for (const count of [1, 3, 16])
  describe(`shardedStore on ${String(count)} memory stores`, () => {
    let now = 1_000;
    const advance = (ms: number): void => void (now += ms);
    storeContract(
      { describe, it },
      () => shardedStore(numbers(count).map(() => memoryStore({ now: () => now }))),
      { advance, databases: count },
    );
  });

for (const library of sqliteLibraries.slice(0, 1)) {
  const { name, missing } = library;
  const words = missing === undefined ? name : `${name} (skipped: ${missing})`;
  describe.skipIf(missing !== undefined)(`shardedStore on SQLite stores of ${words}`, () => {
    const databases = new Databases(library);
    afterAll(() => {
      databases.remove();
    });
    for (const count of [1, 3, 16])
      describe(`on ${String(count)} databases`, () => {
        storeContract(
          { describe, it },
          () => {
            const open = () =>
              sqliteStore(databases.open(databases.path()), { durable: false, pollMs: 2 });
            return shardedStore(numbers(count).map(open));
          },
          {
            databases: count,
            close,
          },
        );
      });
  });
}

describe.skipIf(noPostgres !== undefined)(
  `shardedStore on three Postgres databases${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    const server = new PostgresServer();
    const pools: ReturnType<PostgresServer["pool"]>[] = [];
    beforeAll(async () => {
      await server.start();
      for (const database of ["one", "two", "three"]) {
        await server.sql(`CREATE DATABASE ${database}`);
        pools.push(server.pool("test", database));
      }
    });
    afterAll(() => server.stop());
    let schemas = 0;
    storeContract(
      { describe, it },
      () => {
        schemas += 1;
        const schema = `s${String(schemas)}`;
        return shardedStore(pools.map((pool) => postgresStore(pool, { schema })));
      },
      {
        databases: 3,
        timeoutMs: 20_000,
        close,
      },
    );
  },
);

describe.skipIf(noPostgres !== undefined)(
  `a Postgres database that moves to another server${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    const servers = { old: new PostgresServer(), new: new PostgresServer() };
    beforeAll(() => Promise.all([servers.old.start(), servers.new.start()]));
    afterAll(() => Promise.all([servers.old.stop(), servers.new.stop()]));

    it("the tasks of a moved database continue, and a process with the old connection fails", async () => {
      for (const name of ["one", "two"]) await servers.old.sql(`CREATE DATABASE ${name}`);
      const { owner } = scopeIn(1, 2);
      const scope = { tenant: "", owner };
      const turns: string[] = [];
      /** Starts a process of the agent. Its turn waits for the second process. */
      const begin = (second: ReturnType<PostgresServer["pool"]>, waits: boolean) => {
        const one = postgresStore(servers.old.pool("test", "one"));
        const store = shardedStore([
          { name: "one", store: one },
          { name: "two", store: postgresStore(second) },
        ]);
        const agent = kitAgent<number>({
          store,
          owner: (user) => user,
          async *run(turn) {
            turns.push(`${waits ? "before" : "after"} ${String(turn.state ?? "new")}`);
            await turn.checkpoint(7);
            yield working();
            if (waits) await new Promise(() => undefined);
            return completed("Done");
          },
        });
        return { agent, store };
      };
      const before = begin(servers.old.pool("test", "two"), true);
      const { id } = await before.agent.send({ ...message("work"), ...atOnce }, owner);
      await vi.waitFor(async () =>
        expect((await before.store.read(scope, id))?.task.status.state).toBe("TASK_STATE_WORKING"),
      );
      await before.agent.close();
      before.store.close();

      const admin = servers.old.pool();
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'two'",
      );
      await admin.query("ALTER DATABASE two RENAME TO two_moved");
      await servers.new.sql("CREATE DATABASE two");
      const empty = begin(servers.new.pool("test", "two"), false);
      await expect(empty.store.read(scope, id)).rejects.toThrow(
        "The store two is not the database that held the shards 8-15 so far",
      );
      await empty.agent.close();
      empty.store.close();
      const fresh = servers.new.pool("test", "two");
      await fresh.query("DROP SCHEMA a2a CASCADE");
      servers.new.restore("two", servers.old.dump("two_moved"));

      const after = begin(servers.new.pool("test", "two"), false);
      onTestFinished(async () => {
        await after.agent.close();
        after.store.close();
      });
      await vi.waitFor(async () =>
        expect((await after.agent.get(id, owner)).status.state).toBe("TASK_STATE_COMPLETED"),
      );
      expect(turns).toEqual(["before new", "after 7"]);
      const late = begin(servers.old.pool("test", "two"), false);
      await expect(late.store.read(scope, id)).rejects.toThrow('database "two" does not exist');
      await late.agent.close();
      late.store.close();
    });
  },
);

describe.skipIf(noRedis !== undefined)(
  `shardedStore on three prefixes of Redis${noRedis === undefined ? "" : ` (skipped: ${noRedis})`}`,
  () => {
    const server = new RedisServer();
    let client: ReturnType<RedisServer["io"]>;
    beforeAll(async () => {
      await server.start();
      client = server.io();
    });
    afterAll(() => server.stop());
    let prefixes = 0;
    storeContract(
      { describe, it },
      () => {
        prefixes += 1;
        return shardedStore(
          numbers(3).map((at) =>
            redisStore(client, { prefix: `p${String(prefixes)}-${String(at)}` }),
          ),
        );
      },
      {
        databases: 3,
        timeoutMs: 20_000,
        close,
      },
    );
  },
);

describe("the shards of shardedStore", () => {
  it("the shard of a key is the same in every release", () => {
    const keys = ["", "\n", "\nalice", "tenant\nowner", "ä 漢字 😀"];
    expect(keys.map((key) => shardOf(key, 16))).toEqual([11, 13, 4, 2, 3]);
  });

  it("similar owners are spread evenly over the shards", () => {
    const random = new Random(seedOf(seed, "shards", 0));
    for (const count of [2, 3, 16, 64]) {
      const prefix = `owner-${String(random.below(1_000))}-`;
      const perShard = numbers(count).map(() => 0);
      for (const at of numbers(count * 1_000)) {
        const shard = shardOf(`\n${prefix}${String(at)}`, count);
        perShard[shard] = (perShard[shard] ?? 0) + 1;
      }
      // Six standard deviations of a random number of owners.
      expect(Math.min(...perShard)).toBeGreaterThan(800);
      expect(Math.max(...perShard)).toBeLessThan(1_200);
    }
  });

  it("each shard is in exactly one store, and stores hold about the same number", () => {
    for (const shards of [1, 2, 7, 16, 100])
      for (const count of numbers(shards).map((at) => at + 1)) {
        const assigned = assign(
          numbers(count).map(() => memoryStore()),
          shards,
        );
        expect(assigned.flatMap((store) => store.shards)).toEqual(numbers(shards));
        const sizes = assigned.map((store) => store.shards.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }
  });

  it("ranges of shards are short texts", () => {
    expect(rangesOf([0, 1, 2, 5, 7, 8])).toBe("0-2, 5, 7-8");
  });

  it.each([
    [[], {}, "shardedStore requires 1 to 16 stores, because it has 16 shards"],
    [[{}, {}], { shards: 1 }, "shardedStore requires 1 to 1 stores, because it has 1 shards"],
    [[{}], { shards: 0 }, "`shards` of shardedStore must be an integer of at least 1"],
    [[{ shards: [0] }, {}], { shards: 2 }, "Either all stores of shardedStore list their"],
    [[{ shards: [0] }, { shards: [] }], { shards: 1 + 1 }, "The store stores[1] has no shards"],
    [[{ shards: [0, 2] }], { shards: 2 }, "The store stores[0] has the shard 2, but shards are"],
    [[{ shards: [0] }], { shards: 2 }, "The shard 1 is in no store"],
    [
      [
        { name: "a", shards: [0, 1] },
        { name: "b", shards: [1] },
      ],
      { shards: 2 },
      "The shard 1 is assigned to the stores a and b",
    ],
    [[{ name: "a" }, { name: "a" }], {}, 'Two stores of shardedStore have the name "a"'],
  ])("shardedStore rejects the stores %j with the options %j", (stores, options, text) => {
    const given = stores.map((store) => ({ store: memoryStore(), ...store }));
    expect(() => shardedStore(given, options)).toThrow(text);
  });

  it("shardedStore rejects a store without marks", () => {
    const store = replaceable();
    Reflect.set(store, "mark", undefined);
    expect(() => shardedStore([store])).toThrow("The store stores[0] must have a method `mark`");
  });

  it("all tasks of an owner are in the store that holds its shard", async () => {
    const stores = numbers(3).map(() => memoryStore());
    const sharded = shardedStore(stores);
    const bench = new Bench(sharded, 1_000, undefined);
    for (const scope of scopes) await bench.open({}, { scope });
    const assigned = assign(stores, 16);
    for (const scope of scopes)
      for (const { store, shards } of assigned) {
        const isHere = shards.includes(shardOf(`${scope.tenant}\n${scope.owner}`, 16));
        expect((await store.list(scope, { limit: 10 })).total).toBe(isHere ? 1 : 0);
      }
    expect(await sharded.erase({ tenant: "" }, 1_000)).toBe(scopes.length);
  });

  it("owners with the same key are in the same store", async () => {
    const stores = numbers(2).map(() => memoryStore());
    const bench = new Bench(
      shardedStore(stores, { key: ({ tenant }) => tenant }),
      1_000,
      undefined,
    );
    for (const { owner } of scopes) await bench.open({}, { scope: { tenant: "one", owner } });
    const found = await Promise.all(stores.map((store) => store.erase({ tenant: "one" }, 1_000)));
    expect(found.toSorted((one, other) => one - other)).toEqual([0, scopes.length]);
  });
});

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
      text: "assigns the shard 7 to two: restore the earlier configuration",
    },
    {
      title: "a new store takes over shards",
      stores: [{ name: "one", store: one }, { name: "two", store: two }, three],
      text: "but the configuration assigns the shard",
    },
    {
      title: "the stores are in another order",
      stores: [two, one],
      text: "The store stores[0] holds the shards 8-15 of 16, but the configuration assigns",
    },
  ])("all calls are rejected if $title", async ({ stores, text }) => {
    const changed = shardedStore(stores);
    await vi.waitFor(() => expect(use(changed)).rejects.toThrow(text));
    await vi.waitFor(() => expect(changed.claimExpired(claim, 1)).rejects.toThrow(ShardError));
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
    const down = replaceable();
    const working = memoryStore();
    Reflect.set(down, "mark", failing);
    const store = shardedStore([working, down]);
    expect(await use(store)).toBe(undefined);
    await expect(use(store, 1)).rejects.toThrow("The database is down");
    Reflect.deleteProperty(down, "mark");
  });
});

/** An agent on a sharded store of two stores, and an owner of each store. */
function agentOnTwo(change: { readonly second?: Partial<TaskStore> } = {}) {
  const [first, second] = [replaceable(), replaceable()];
  Object.assign(second, change.second);
  const store = shardedStore([
    { name: "first", store: first },
    { name: "second", store: second },
  ]);
  const held = new Map<string, () => void>();
  const agent = kitAgent({
    store,
    leaseMs: 600,
    owner: (user) => user,
    async *run({ message: { messageId } }) {
      yield working();
      if (messageId.startsWith("m-wait"))
        await new Promise<void>((resolve) => held.set(messageId, resolve));
      return completed("Done");
    },
  });
  onTestFinished(() => agent.close());
  const { owner: one } = scopeIn(0, 2);
  const { owner: two } = scopeIn(1, 2);
  return { agent, store, first, second, one, two, held };
}

const atOnce = { configuration: { returnImmediately: true } };

describe("an agent on a shardedStore", () => {
  it("the turns of other stores continue while a store is down, and the error names the store", async () => {
    const { agent, second, one, two, held } = agentOnTwo();
    const waiting = await agent.send({ ...message("wait-one"), ...atOnce }, one);
    await vi.waitFor(() => expect(held.size).toBe(1));
    const errorsOfStore = () =>
      agent.errors.filter((error) => String(error).includes("The store second failed"));
    stop(second);
    await expect(agent.send("other", two)).rejects.toThrow("The store of the agent is unavailable");
    // The error is reported once per lifetime of a lease, so two errors prove that the lease of the
    // other store was renewed in the meantime.
    await vi.waitFor(() => expect(errorsOfStore().length).toBeGreaterThan(1));
    expect((await agent.send("more", one)).status.state).toBe("TASK_STATE_COMPLETED");
    held.get("m-wait-one")?.();
    await vi.waitFor(async () =>
      expect((await agent.get(waiting.id, one)).status.state).toBe("TASK_STATE_COMPLETED"),
    );
  });

  it("a turn continues if its store fails for less than the lifetime of a lease", async () => {
    const { agent, second, two, held } = agentOnTwo();
    const { id } = await agent.send({ ...message("wait-two"), ...atOnce }, two);
    await vi.waitFor(() => expect(held.size).toBe(1));
    let failures = 0;
    const failed = new Promise<void>((resolve) => {
      Reflect.set(second, "renew", () => {
        failures += 1;
        Reflect.deleteProperty(second, "renew");
        resolve();
        return failing();
      });
    });
    await failed;
    held.get("m-wait-two")?.();
    await vi.waitFor(async () =>
      expect((await agent.get(id, two)).status.state).toBe("TASK_STATE_COMPLETED"),
    );
    expect([failures, agent.errors.filter((error) => error instanceof LeaseLostError)]).toEqual([
      1,
      [],
    ]);
  });

  it("the tasks of a stopped process are claimed while another store never responds", async () => {
    const never = () => new Promise<never>(() => undefined);
    const { agent, first, one } = agentOnTwo({ second: { claimExpired: never, renew: never } });
    const bench = new Bench(first, 1_000, undefined);
    const options = { scope: { tenant: "", owner: one }, claim: { holder: "gone", ttlMs: 1 } };
    const { id } = await bench.open({}, options);
    await vi.waitFor(async () =>
      expect((await agent.get(id, one)).status.state).toBe("TASK_STATE_COMPLETED"),
    );
    await vi.waitFor(() =>
      expect(agent.errors.map(String)).toContain(
        "Error: The store second has not responded in time",
      ),
    );
  });
});

describe("the claims of a shardedStore", () => {
  /** Time that has passed for the stores, in addition to the time on the clock. */
  let passedMs = 0;
  const now = () => Date.now() + passedMs;
  const short = { holder: "process-2", ttlMs: 3_000 };

  /** Creates a task whose process has ended. */
  async function leave(store: TaskStore, scope: Scope) {
    const bench = new Bench(store, 1_000, undefined);
    const claimed = { holder: "gone", ttlMs: 1 };
    return bench.open({ id: `task of ${scope.owner}` }, { scope, claim: claimed });
  }

  it("rows of a store that responds late are returned by the next claim, with the start of their leases", async () => {
    const slow = replaceable(now);
    const store = shardedStore([memoryStore({ now }), slow]);
    await leave(slow, scopeIn(1, 2));
    passedMs += 2;
    const claimNow = slow.claimExpired.bind(slow);
    let answer: () => void = () => undefined;
    Reflect.set(slow, "claimExpired", async (...given: Parameters<TaskStore["claimExpired"]>) => {
      const claimed = await claimNow(...given);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return claimed;
    });
    const before = performance.now();
    const { rows, errors } = await store.claimExpired(short, 10);
    expect([rows, String(errors?.[0])]).toEqual([
      [],
      "Error: The store stores[1] has not responded in time",
    ]);
    const after = performance.now();
    Reflect.deleteProperty(slow, "claimExpired");
    answer();
    const found = await vi.waitFor(async () => {
      const later = await store.claimExpired(claim, 10);
      expect(later.rows).toHaveLength(1);
      return later.rows[0];
    });
    expect(found?.since).toBeGreaterThanOrEqual(before);
    expect(found?.since).toBeLessThan(after);
  });

  it("listeners are called if a store responds late with due webhooks", async () => {
    const slow = replaceable(now);
    const store = shardedStore([memoryStore({ now }), slow]);
    const bench = new Bench(store, 1_000, undefined);
    const scope = scopeIn(1, 2);
    const { id, task, lease } = await bench.open({}, { scope });
    await store.putWebhook(scope, bench.webhook(id, "hook"));
    await store.append(lease, [workingEntry(task, 2)]);
    const claimNow = slow.claimWebhooks.bind(slow);
    let answer: () => void = () => undefined;
    Reflect.set(slow, "claimWebhooks", async (...given: Parameters<TaskStore["claimWebhooks"]>) => {
      const claimed = await claimNow(...given);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return claimed;
    });
    let calls = 0;
    const called = new Promise<void>((resolve) => {
      store.onDue?.(() => {
        calls += 1;
        resolve();
        return true;
      });
    });
    expect((await store.claimWebhooks(short, 10)).rows).toEqual([]);
    expect(calls).toBe(0);
    Reflect.deleteProperty(slow, "claimWebhooks");
    answer();
    await called;
    const { rows } = await store.claimWebhooks(claim, 10);
    expect(rows.map(({ webhook }) => webhook.taskId)).toEqual([id]);
  });

  it("each store gets a part of the limit, and the rows of all stores are claimed", async () => {
    const store = shardedStore(numbers(16).map(() => memoryStore({ now })));
    for (const scope of scopes) await leave(store, scope);
    passedMs += 2;
    const found: string[] = [];
    for (const limit of [1, 7, 100]) {
      const { rows, hasMore } = await store.claimExpired(claim, limit);
      expect([rows.length, hasMore]).toEqual([Math.min(limit, 64 - found.length), limit < 100]);
      for (const { lease } of rows) found.push(lease.scope.owner);
    }
    expect(new Set(found).size).toBe(64);
  });

  it("a store with many rows does not delay the rows of other stores", async () => {
    const stores = numbers(2).map(() => memoryStore({ now }));
    const store = shardedStore(stores);
    const [full] = stores;
    if (full === undefined) throw new Error("no store");
    const bench = new Bench(full, 1_000, undefined);
    for (let count = 0; count < 50; count += 1)
      await bench.open({}, { scope: scopeIn(0, 2), claim: { holder: "gone", ttlMs: 1 } });
    await leave(store, scopeIn(1, 2));
    passedMs += 2;
    const { rows } = await store.claimExpired(claim, 10);
    expect(rows).toHaveLength(10);
    expect(rows.filter(({ lease }) => lease.scope.owner === scopeIn(1, 2).owner)).toHaveLength(1);
  });

  it("a claim rejects if all stores fail", async () => {
    const stores = [replaceable(now), replaceable(now)];
    for (const store of stores) stop(store);
    await expect(shardedStore(stores).claimExpired(claim, 1)).rejects.toThrow(
      "failed: The database is down",
    );
  });

  it("the leases of a store that fails are unknown, and other leases are renewed", async () => {
    const down = replaceable(now);
    const store = shardedStore([memoryStore({ now }), down]);
    const [one, two] = [await leaseIn(store, 0), await leaseIn(store, 1)];
    stop(down);
    const { held, unknown, errors } = await store.renew([one, two], claim);
    expect([held, unknown, errors?.map(String)]).toEqual([
      [one],
      [two],
      ["Error: The store stores[1] failed: The database is down"],
    ]);
  });

  it("expired tasks of other stores are deleted before the error of a store is returned", async () => {
    const down = replaceable(now);
    const store = shardedStore([memoryStore({ now }), down]);
    const { lease, task } = await new Bench(store, 1_000, undefined).open(
      {},
      { scope: scopeIn(0, 2) },
    );
    await store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Completed, 1))], {
      release: true,
    });
    stop(down);
    expect(await store.deleteExpired({ maxCount: 0 })).toBe(1);
    await expect(store.deleteExpired({ maxCount: 0 })).rejects.toThrow("The database is down");
    await expect(store.erase({ tenant: "" }, 10)).rejects.toThrow("The database is down");
  });
});

async function leaseIn(store: TaskStore, at: number) {
  const bench = new Bench(store, 1_000, undefined);
  return (await bench.open({ id: `task in ${String(at)}` }, { scope: scopeIn(at, 2) })).lease;
}

describe("the same id in two shards", () => {
  it("tasks with the same id in two stores have separate turns, events and messages", async () => {
    const store = shardedStore([memoryStore(), memoryStore()]);
    const turns = new Map<string, (text: string) => void>();
    const agent = kitAgent({
      store,
      newId: () => "same",
      owner: (user) => user,
      async *run({ message: { messageId } }) {
        yield working();
        const text = await new Promise<string>((resolve) => turns.set(messageId, resolve));
        return completed(text);
      },
    });
    onTestFinished(() => agent.close());
    const [{ owner: one }, { owner: two }] = [scopeIn(0, 2), scopeIn(1, 2)];
    const first = gists(await agent.stream(message("one"), one));
    const second = gists(await agent.stream(message("two"), two));
    await vi.waitFor(() => expect(turns.size).toBe(2));
    const followed = gists(await agent.subscribe("same", one));
    turns.get("m-two")?.("for two");
    expect((await second).at(-1)).toBe("completed for two");
    turns.get("m-one")?.("for one");
    expect((await first).at(-1)).toBe("completed for one");
    expect((await followed).at(-1)).toBe("completed for one");
    expect(JSON.stringify([await first, await followed])).not.toContain("two");
    expect((await agent.get("same", two)).status.message?.parts).toEqual([{ text: "for two" }]);
    expect(agent.errors).toEqual([]);
  });
});
