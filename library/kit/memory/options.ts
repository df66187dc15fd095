/** Retention limits of the in-memory store. Open tasks are always kept. */
export interface MemoryStoreOptions {
  /** Maximum number of ended tasks to keep; 10,000 by default. */
  readonly maxCount?: number;
  /** Time to keep ended tasks, in milliseconds; a day by default. */
  readonly maxAgeMs?: number;
  /**
   * Maximum estimated size of all ended tasks in bytes; by default 256 MiB, but at most a quarter
   * of the maximum size of the heap, if the platform provides it.
   */
  readonly maxBytes?: number;
  /**
   * Maximum number of entries of a task to keep for slow watches and webhooks; 10,000 by default. A
   * watch that has fallen further behind continues with the current task, and such a webhook
   * continues with the remaining entries.
   */
  readonly maxLog?: number;
  /** Returns the time in milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
}
