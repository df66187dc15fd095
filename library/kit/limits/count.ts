import type { Usage } from "../store.js";

/** Resource usage that an account counts. */
export interface Count {
  openTasks: number;
  openBytes: number;
  storedBytes: number;
  webhooks: number;
}

/** Returns a copy of usage numbers; absent numbers are 0. */
export function countOf({
  openTasks = 0,
  openBytes = 0,
  storedBytes = 0,
  webhooks = 0,
}: Partial<Usage> = {}): Count {
  return { openTasks, openBytes, storedBytes, webhooks };
}
