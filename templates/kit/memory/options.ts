/** How much a store in memory keeps. Tasks that have not ended stay in any case. */
export interface MemoryStoreOptions {
  /** How many tasks are kept that have ended; 10,000 by default. */
  readonly maxCount?: number;
  /** How long tasks are kept that have ended; a day by default. */
  readonly maxAgeMs?: number;
  /** How many bytes the tasks take that have ended, as far as the store can tell; 256 MiB by default. */
  readonly maxBytes?: number;
  /**
   * How many entries of a task are kept for watches and webhooks that are behind; 10,000 by default. A watch that is
   * further behind goes on with the task as it is, and a webhook with the entries that are left.
   */
  readonly maxLog?: number;
  /** Returns the time, in milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
}
