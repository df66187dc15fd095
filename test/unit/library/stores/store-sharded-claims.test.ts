import { describe, expect, it, vi } from "vitest";
import { TaskState } from "../../../../generated/1.1-draft/models.js";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import type { Scope, TaskStore } from "../../../../library/kit/store.js";
import { shardedStore } from "../../../../library/stores/sharded.js";
import {
  Bench,
  statusEntry,
  statusOf,
  working as workingEntry,
} from "../../../../library/stores/testing/contract/bench.js";
import {
  longClaim,
  numbers,
  replaceable,
  scopeIn,
  scopes,
  stop,
} from "../../../support/sharding.js";

describe("the claims of a shardedStore", () => {
  /** Time that has passed for the stores, in addition to the time on the clock. */
  let passedMs = 0;
  const now = () => Date.now() + passedMs;
  const short = { holder: "process-2", ttlMs: 3_000 };

  it("rows of a store that responds late are returned by the next claim, with the start of their leases", async () => {
    const slow = replaceable(now);
    const store = shardedStore([memoryStore({ now }), slow]);
    await leave(store, scopeIn(1, 2));
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
      const later = await store.claimExpired(longClaim, 10);
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
    const { rows } = await store.claimWebhooks(longClaim, 10);
    expect(rows.map(({ webhook }) => webhook.taskId)).toEqual([id]);
  });

  it("each store gets a part of the limit, and the rows of all stores are claimed", async () => {
    const store = shardedStore(numbers(16).map(() => memoryStore({ now })));
    for (const scope of scopes) await leave(store, scope);
    passedMs += 2;
    const found: string[] = [];
    for (const limit of [1, 7, 100]) {
      const { rows, hasMore } = await store.claimExpired(longClaim, limit);
      expect([rows.length, hasMore]).toEqual([Math.min(limit, 64 - found.length), limit < 100]);
      for (const { lease } of rows) found.push(lease.scope.owner);
    }
    expect(new Set(found).size).toBe(64);
  });

  it("a store with many rows does not delay the rows of other stores", async () => {
    const store = shardedStore(numbers(2).map(() => memoryStore({ now })));
    const bench = new Bench(store, 1_000, undefined);
    for (let count = 0; count < 50; count += 1)
      await bench.open({}, { scope: scopeIn(0, 2), claim: { holder: "gone", ttlMs: 1 } });
    await leave(store, scopeIn(1, 2));
    passedMs += 2;
    const { rows } = await store.claimExpired(longClaim, 10);
    expect(rows).toHaveLength(10);
    expect(rows.filter(({ lease }) => lease.scope.owner === scopeIn(1, 2).owner)).toHaveLength(1);
  });

  it("a claim rejects if all stores fail", async () => {
    const stores = [replaceable(now), replaceable(now)];
    for (const store of stores) stop(store);
    await expect(shardedStore(stores).claimExpired(longClaim, 1)).rejects.toThrow(
      "failed: The database is down",
    );
  });

  it("the leases of a store that fails are unknown, and other leases are renewed", async () => {
    const down = replaceable(now);
    const store = shardedStore([memoryStore({ now }), down]);
    const [one, two] = [await leaseIn(store, 0), await leaseIn(store, 1)];
    stop(down);
    const { held, unknown, errors } = await store.renew([one, two], longClaim);
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

describe("a store that responds late", () => {
  const shortClaim = { holder: "process-1", ttlMs: 600 };
  const never = () => new Promise<never>(() => undefined);

  /** Makes a method of a store wait. Returns a function that lets all calls continue. */
  function hold(store: TaskStore, name: "renew" | "claimExpired") {
    const waiting: (() => void)[] = [];
    const own = Reflect.get(store, name) as (...given: unknown[]) => Promise<unknown>;
    Reflect.set(store, name, async (...given: unknown[]) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return own(...given);
    });
    return () => {
      Reflect.deleteProperty(store, name);
      for (const resolve of waiting) resolve();
    };
  }

  it("a call does not wait for a store that owes a response to a call of another kind", async () => {
    const slow = replaceable();
    const store = shardedStore([memoryStore(), slow]);
    await leave(store, scopeIn(0, 2));
    const lease = await leaseIn(store, 1);
    for (const name of ["renew", "claimExpired", "claimWebhooks"] as const)
      Reflect.set(slow, name, never);
    expect((await store.renew([lease], shortClaim)).unknown).toEqual([lease]);
    // A sixth of these leases is longer than a test may take.
    const veryLong = { holder: "process-1", ttlMs: 6_000_000 };
    const { rows } = await vi.waitFor(async () => {
      const claimed = await store.claimExpired(veryLong, 10);
      expect(claimed.rows).toHaveLength(1);
      return claimed;
    });
    expect(rows[0]?.lease.scope).toEqual(scopeIn(0, 2));
    expect((await store.claimWebhooks(veryLong, 10)).rows).toEqual([]);
  });

  /** Lets calls of a method take longer than a timer of 0 ms, as with any database. */
  function takeTime(store: TaskStore, name: "renew" | "claimExpired") {
    const own = Reflect.get(store, name) as (...given: unknown[]) => Promise<unknown>;
    Reflect.set(store, name, async (...given: unknown[]) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return own(...given);
    });
  }

  it("renewals wait again for a store that was slow and now responds in time", async () => {
    const slow = replaceable();
    const store = shardedStore([memoryStore(), slow]);
    const lease = await leaseIn(store, 1);
    const release = hold(slow, "renew");
    expect((await store.renew([lease], shortClaim)).unknown).toEqual([lease]);
    release();
    takeTime(slow, "renew");
    await vi.waitFor(async () =>
      expect(await store.renew([lease], longClaim)).toEqual({ held: [lease] }),
    );
  });

  it("claims wait again for a store that was slow and now responds in time", async () => {
    const slow = replaceable();
    const store = shardedStore([memoryStore(), slow]);
    const release = hold(slow, "claimExpired");
    const { errors = [] } = await store.claimExpired(shortClaim, 10);
    expect(errors).toHaveLength(1);
    release();
    takeTime(slow, "claimExpired");
    let count = 0;
    await vi.waitFor(async () => {
      const id = `task ${String((count += 1))}`;
      await leave(slow, scopeIn(1, 2), id);
      const { rows } = await store.claimExpired(longClaim, 10);
      const found = rows.find(({ lease }) => lease.id === id);
      expect(found).toBeDefined();
      expect(found?.since).toBe(undefined);
    });
  });

  it("a renewal with a late response extends the leases from its start", async () => {
    const slow = replaceable();
    const store = shardedStore([memoryStore(), slow]);
    const lease = await leaseIn(store, 1);
    const release = hold(slow, "renew");
    const before = performance.now();
    const late = await store.renew([lease], shortClaim);
    const after = performance.now();
    expect([late.held, late.unknown]).toEqual([[], [lease]]);
    release();
    const releaseNext = hold(slow, "renew");
    const { held, unknown } = await vi.waitFor(async () => {
      const renewed = await store.renew([lease], shortClaim);
      expect(renewed.held).toHaveLength(1);
      return renewed;
    });
    releaseNext();
    const { since = NaN, ...rest } = held[0] ?? { since: NaN };
    expect([rest, unknown]).toEqual([lease, [lease]]);
    expect(since).toBeGreaterThanOrEqual(before);
    expect(since).toBeLessThan(after);
  });
});

/** Creates a task whose process has ended. */
async function leave(store: TaskStore, scope: Scope, id = `task of ${scope.owner}`) {
  const bench = new Bench(store, 1_000, undefined);
  const claimed = { holder: "gone", ttlMs: 1 };
  return bench.open({ id }, { scope, claim: claimed });
}

async function leaseIn(store: TaskStore, at: number) {
  const bench = new Bench(store, 1_000, undefined);
  return (await bench.open({ id: `task in ${String(at)}` }, { scope: scopeIn(at, 2) })).lease;
}
