/** Current resource usage of one owner's tasks. */
export interface Usage {
  readonly openTasks: number;
  /** Bytes of the open tasks, as `Stored.bytes` counts them. */
  readonly openBytes: number;
  /** Webhooks of the open tasks. */
  readonly webhooks: number;
  /** Bytes of all tasks, including ended tasks; present if requested. */
  readonly storedBytes?: number;
}

/** Tasks to delete: all tasks of a tenant, all tasks of one of its owners, or a single task. */
export interface ErasureTarget {
  readonly tenant: string;
  readonly owner?: string;
  /** Requires `owner`. */
  readonly taskId?: string;
}

/** Rules for how long ended tasks are kept. */
export interface Retention {
  readonly maxAgeMs?: number;
  /**
   * Maximum number of ended tasks. A store that consists of several databases may apply an equal
   * part of this number to each database.
   */
  readonly maxCount?: number;
  /**
   * How long the entries of an ended task are kept, in milliseconds. Webhooks that still require
   * entries, and the store itself, can extend this time. A watch that starts after the entries were
   * deleted gets the current task instead.
   */
  readonly maxLogAgeMs?: number;
  /** Maximum number of tasks and logs to delete. */
  readonly step?: number;
}
