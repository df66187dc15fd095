import { memoryStore } from "../../library/kit/memory/store.js";
import type { Claim, Scope, TaskStore } from "../../library/kit/store.js";
import type { ShardedStore } from "../../library/stores/sharded.js";
import { assign, keyOf, shardOf } from "../../library/stores/sharded/shards.js";

/** Default number of shards. */
export const shardCount = 16;

/** Returns the numbers from 0 to `count - 1`. */
export function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at);
}

/** Scopes that are spread over all shards. */
export const scopes: readonly Scope[] = numbers(64).map((at) => ({
  tenant: "",
  owner: `owner-${at}`,
}));

/** A claim whose leases do not expire during a test. */
export const longClaim: Claim = { holder: "process-1", ttlMs: 600_000 };

/** The part of a request that makes `send` return before the task ends. */
export const atOnce = { configuration: { returnImmediately: true } };

/** Closes a sharded store that the contract was given. */
export function closeSharded(store: TaskStore): void {
  // The contract returns the stores that it was given.
  (store as ShardedStore).close();
}

/**
 * Returns a memory store whose methods can be replaced.
 * @param now Returns the time of the store in milliseconds; `Date.now` by default.
 */
export function replaceable(now?: () => number): TaskStore {
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

/** A call to a database that is down. Always rejects. */
export function failing(): Promise<never> {
  return Promise.reject(new Error("The database is down"));
}

/** The methods of a store that read or write tasks. */
export const methods = [
  "create",
  "read",
  "post",
  "append",
  "list",
  "renew",
  "claimExpired",
  "claimWebhooks",
  "deleteExpired",
  "usage",
  "erase",
] as const;

/** Makes all calls to a store from {@link replaceable} fail, except its marks. */
export function stop(store: TaskStore): void {
  for (const name of methods) Reflect.set(store, name, failing);
}

/**
 * Returns a scope whose tasks are in a store of a sharded store with 16 shards.
 * @param at Position of the store.
 * @param stores Number of stores.
 * @throws An `Error` if no scope is in the store.
 */
export function scopeIn(at: number, stores: number): Scope {
  const all = numbers(stores).map(() => memoryStore());
  const { shards = [] } = assign(all, shardCount)[at] ?? {};
  const found = scopes.find((scope) => shards.includes(shardOf(keyOf(scope), shardCount)));
  if (found === undefined) throw new Error("no scope");
  return found;
}
