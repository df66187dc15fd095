import type { Usage } from "../store.js";

/** Numbers that an account counts. */
export interface Count {
  openTasks: number;
  openBytes: number;
  storedBytes: number;
  webhooks: number;
}

/** Returns a copy of numbers, with 0 for those that are missing. */
export function countOf({ openTasks = 0, openBytes = 0, storedBytes = 0, webhooks = 0 }: Partial<Usage> = {}): Count {
  return { openTasks, openBytes, storedBytes, webhooks };
}
