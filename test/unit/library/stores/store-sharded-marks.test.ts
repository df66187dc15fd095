import { beforeAll, describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import type { TaskStore } from "../../../../library/kit/store.js";
import { ShardError, shardedStore } from "../../../../library/stores/sharded.js";
import { failing, longClaim, replaceable, scopeIn, scopes } from "../../../support/sharding.js";

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
    const down = replaceable();
    const working = memoryStore();
    Reflect.set(down, "mark", failing);
    const store = shardedStore([working, down]);
    expect(await use(store)).toBe(undefined);
    await expect(use(store, 1)).rejects.toThrow("The database is down");
    Reflect.deleteProperty(down, "mark");
  });
});
