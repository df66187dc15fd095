import type { UnreadableTaskError } from "../store-errors.js";
import type { Stored } from "./tasks.js";

/** A task in a list. */
export type ListedTask = Pick<Stored, "task" | "generation">;

/** Filters and limits for listing tasks. */
export interface TaskQuery {
  readonly contextId?: string | undefined;
  readonly state?: string | undefined;
  /**
   * Time in milliseconds since 1970. Only tasks whose status is from this time or later are
   * returned.
   */
  readonly since?: number | undefined;
  /** The `next` of the previous page. */
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** Whether the tasks must include their artifacts. */
  readonly artifacts?: boolean | undefined;
}

/** A page of a list of tasks. */
export interface TaskPage {
  /**
   * Tasks of the page. Artifacts are absent if the query does not request them and the store can
   * skip reading them.
   */
  readonly tasks: readonly ListedTask[];
  /** One error for each unreadable task of the page. */
  readonly unreadable?: readonly UnreadableTaskError[];
  /** Cursor of the next page; absent on the last page. */
  readonly next?: string;
  /** Number of tasks on all pages. A store may stop counting at a maximum. */
  readonly total: number;
  /**
   * Approximate number of bytes that the store read for the page. If it is absent, the caller
   * measures the tasks.
   */
  readonly bytes?: number;
}
