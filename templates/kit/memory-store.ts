import type { TaskStore } from "./store.js";
export function memoryStore(_: { now?: () => number }): TaskStore {
  throw new Error("stub");
}
