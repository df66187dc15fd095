import { describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import { LeaseLostError, type TaskStore } from "../../../../library/kit/store.js";
import { completed, working } from "../../../../library/kit/turns/updates.js";
import { shardedStore } from "../../../../library/stores/sharded.js";
import { assign, rangesOf, shardOf } from "../../../../library/stores/sharded/shards.js";
import { Bench } from "../../../../library/stores/testing/contract/bench.js";
import { gists, kitAgent, message } from "../../../support/kit.js";
import { Random, seedOf } from "../../../support/random/random.js";
import { seed } from "../../../support/seed.js";
import {
  atOnce,
  failing,
  numbers,
  replaceable,
  scopeIn,
  scopes,
  stop,
} from "../../../support/sharding.js";

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
    // The first call sets up the databases, which must not contain tasks yet.
    await agent.list({}, one);
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
