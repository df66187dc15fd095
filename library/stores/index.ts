/**
 * The exports of the kit for authors of stores: the interface, its types, and helper functions. Also
 * the store that consists of several stores.
 */
export { applyEntries, withInbox } from "../kit/log/fold.js";
export * from "../kit/store.js";
export {
  ShardError,
  type ShardedStore,
  shardedStore,
  type ShardedStoreOptions,
  type ShardStore,
} from "./sharded.js";
