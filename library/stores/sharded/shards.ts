import type { Scope, TaskStore } from "../../kit/store.js";

/** A store that is part of a sharded store. */
export interface ShardStore {
  readonly store: TaskStore;
  /**
   * Name of the store in errors; by default its position in the list, such as `stores[0]`. Use a
   * name of the database, because the position may change.
   */
  readonly name?: string;
  /**
   * Numbers of the shards that the store holds. If it is absent for all stores, the shards are
   * divided evenly in the order of the list.
   */
  readonly shards?: readonly number[];
}

/** A store with its name and its shards, in ascending order. */
export interface Assigned {
  readonly store: TaskStore;
  readonly name: string;
  readonly shards: readonly number[];
}

/**
 * Assigns each shard to a store.
 * @throws A `TypeError` or a `RangeError` if a shard has no store or several stores, a store has no
 *   shards, two stores have the same name, or only some stores list their shards.
 */
export function assign(
  stores: readonly (TaskStore | ShardStore)[],
  count: number,
): readonly Assigned[] {
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError("`shards` of shardedStore must be an integer of at least 1");
  if (stores.length === 0 || stores.length > count)
    throw new RangeError(
      `shardedStore requires 1 to ${String(count)} stores, because it has ${String(count)} shards`,
    );
  const listed = stores.map(listedOf);
  const withList = listed.filter(({ shards }) => shards !== undefined).length;
  if (withList !== 0 && withList !== listed.length)
    throw new TypeError("Either all stores of shardedStore list their `shards`, or no store does");
  const assigned = listed.map(({ store, name, shards }, at) => ({
    store,
    name: name ?? `stores[${String(at)}]`,
    shards: shards === undefined ? evenly(at, stores.length, count) : ascending(shards),
  }));
  check(assigned, count);
  return assigned;
}

function listedOf(given: TaskStore | ShardStore): ShardStore {
  return isShard(given) ? given : { store: given };
}

function isShard(given: TaskStore | ShardStore): given is ShardStore {
  return (given as Partial<ShardStore>).store !== undefined;
}

function ascending(shards: readonly number[]): number[] {
  return [...shards].sort((one, other) => one - other);
}

/** Returns the shards of the store at a position if all stores hold about the same number. */
function evenly(at: number, stores: number, count: number): number[] {
  const start = Math.ceil((at * count) / stores);
  const end = Math.ceil(((at + 1) * count) / stores);
  return Array.from({ length: end - start }, (_, index) => start + index);
}

function check(assigned: readonly Assigned[], count: number): void {
  const names = new Set<string>();
  const owners = new Map<number, string>();
  for (const { name, shards } of assigned) {
    if (names.has(name))
      throw new TypeError(`Two stores of shardedStore have the name ${JSON.stringify(name)}`);
    names.add(name);
    if (shards.length === 0)
      throw new RangeError(`The store ${name} has no shards: remove it, or assign shards to it`);
    for (const shard of shards) {
      if (!Number.isInteger(shard) || shard < 0 || shard >= count)
        throw new RangeError(
          `The store ${name} has the shard ${String(shard)}, but shards are numbered from 0 to ` +
            String(count - 1),
        );
      const other = owners.get(shard);
      if (other !== undefined)
        throw new TypeError(
          `The shard ${String(shard)} is assigned to the stores ${other} and ${name}`,
        );
      owners.set(shard, name);
    }
  }
  for (let shard = 0; shard < count; shard += 1)
    if (!owners.has(shard)) throw new TypeError(`The shard ${String(shard)} is in no store`);
}

/** Returns the default key of a scope. */
export function keyOf({ tenant, owner }: Scope): string {
  return `${tenant}\n${owner}`;
}

/**
 * Returns the shard of a key. The result for a key must never change, because tasks would no longer
 * be found. The hash is FNV-1a over UTF-16 code units, with the last step of MurmurHash3, which
 * spreads similar keys. It works on all platforms without `node:crypto`.
 */
export function shardOf(key: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1)
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % count;
}

/** Returns shards as text, such as "0-7, 9". */
export function rangesOf(shards: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const shard of shards) {
    const range = ranges.at(-1);
    if (range?.last === shard - 1) range.last = shard;
    else ranges.push({ first: shard, last: shard });
  }
  return ranges
    .map(({ first, last }) => (first === last ? String(first) : `${String(first)}-${String(last)}`))
    .join(", ");
}
