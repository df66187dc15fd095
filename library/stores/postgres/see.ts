import type { StoreState } from "../log/poll.js";
import { maxListLength } from "../log/watchers.js";
import type { Database } from "./database.js";

/** Tasks that this process watches. */
export interface Marks {
  readonly watched: readonly string[];
  /** Name of this process. */
  readonly watcher: string;
  /** Milliseconds until the marks end. */
  readonly watchedMs: number;
}

/**
 * Returns the state of tasks and webhooks for a poll. Marks the tasks in `watched`, so that
 * processes that append to them notify this process. The mark of a task and its state are from the
 * same moment: earlier changes are part of the state, and later changes are notified.
 */
export async function readState(
  database: Database,
  ids: readonly string[],
  { watched, watcher, watchedMs }: Marks,
): Promise<StoreState> {
  const { schema } = database;
  // All functions that wait for several tasks lock them in the same order. A mark is renewed in the
  // second half of its time, and a task whose mark is not renewed has notified all changes since
  // the snapshot of this query.
  const result = await database.query(
    `WITH clock AS MATERIALIZED (SELECT ${schema}.clock() AS now_ms), locked AS (
       SELECT h.id FROM ${schema}.heads h, clock c
       WHERE h.id = ANY ($2) AND (h.watched_until < c.now_ms + $3::float8 / 2
         OR h.watchers <> '' AND position($4 IN h.watchers) = 0)
       ORDER BY h.id FOR UPDATE OF h
     ), marked AS (
       UPDATE ${schema}.heads h SET
         watched_until = greatest(h.watched_until, c.now_ms + $3::float8), watchers = CASE
         WHEN h.watched_until <= c.now_ms THEN $4
         WHEN h.watchers = '' OR position($4 IN h.watchers) > 0 THEN h.watchers
         WHEN length(h.watchers) > ${String(maxListLength)} THEN ''
         ELSE h.watchers || ' ' || $4 END
       FROM locked l, clock c WHERE h.id = l.id RETURNING h.id, h.generation, h.nth, h.posts
     ), found AS (
       SELECT * FROM marked UNION ALL SELECT h.id, h.generation, h.nth, h.posts
       FROM ${schema}.heads h WHERE h.id = ANY ($1) AND h.id NOT IN (SELECT id FROM marked)
     ) SELECT json_build_object(
       'tasks', (SELECT coalesce(
         json_agg(json_build_object('id', id, 'end', generation || ' ' || nth, 'posts', posts)),
           '[]'
       ) FROM found),
       'isDue', EXISTS (SELECT FROM ${schema}.webhooks WHERE due_at <= ${schema}.clock())
     )::text AS result, set_config('synchronous_commit', 'off', true)`,
    [ids, watched, watchedMs, watcher],
  );
  // The query builds this object.
  return result as StoreState;
}
