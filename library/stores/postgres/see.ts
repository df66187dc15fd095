import type { StoreState } from "../log/poll.js";
import type { Database } from "./database.js";

/** Returns the state of tasks and webhooks for a poll. */
export async function readState(database: Database, ids: readonly string[]): Promise<StoreState> {
  const { schema } = database;
  const result = await database.query(
    `SELECT json_build_object(
       'tasks', (SELECT coalesce(
         json_agg(json_build_object('id', id, 'end', generation || ' ' || nth, 'posts', posts)),
           '[]'
       ) FROM ${schema}.heads WHERE id = ANY ($1)),
       'isDue', EXISTS (SELECT FROM ${schema}.webhooks WHERE due_at <= ${schema}.clock())
     )::text AS result`,
    [ids],
  );
  // The query builds this object.
  return result as StoreState;
}
