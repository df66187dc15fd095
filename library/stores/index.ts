/** The exports of the kit for authors of stores: the interface, its types, and helper functions. */
export { applyEntries, withInbox } from "../kit/log/fold.js";
export * from "../kit/store.js";
