import { listLagMs } from "./append-function.js";

/**
 * Returns the SQL of the function that appends one event to the log of one task. If only the end of
 * the log, the size and the time of the task change, the function runs one update and one insert.
 * Otherwise, it calls the function for all appends. A single append waits for no other append, so
 * the time of its function is a large part of its latency.
 */
export function appendEventFunctionOf(schema: string): string {
  return `
-- The state and the time are NULL if the event is not a status. Returns the size of the task, the
-- number of events after its snapshot, and 1 and the watchers if another process may watch it, or
-- else 0. If append was called, returns its verdict instead.
CREATE OR REPLACE FUNCTION ${schema}.append_one(
  of_id text, by_holder text, by_epoch bigint, ttl float8, has_seen bigint, new_generation int,
    new_kind int,
  new_body text, new_state text, new_time float8
) RETURNS text LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
  AS $$
DECLARE
  now_ms float8 := ${schema}.clock();
  reply text;
BEGIN
  -- The row of the task in the other table stays the same: its state, and its time, which may lag.
  UPDATE ${schema}.heads x SET generation = new_generation, bytes = x.bytes +
    octet_length(new_body),
    status_time = coalesce(new_time, x.status_time),
    expires = CASE WHEN x.expires < now_ms + ttl * 2 / 3 THEN now_ms + ttl ELSE x.expires END
    WHERE x.id = of_id AND x.generation = new_generation - 1 AND x.nth = 0 AND x.epoch = by_epoch
      AND x.holder = by_holder AND x.expires > now_ms AND x.items = 0 AND NOT x.hooks
        AND NOT x.has_ended
      AND (new_state IS NULL OR (x.moving AND x.state = new_state AND new_time >= x.listed_time
        AND new_time < x.listed_time + ${String(listLagMs)}))
    RETURNING concat(x.bytes, ' ', new_generation - x.task_generation, ' ',
      CASE WHEN x.watched_until > now_ms THEN concat('1 ', x.watchers) ELSE '0' END) INTO reply;
  IF NOT FOUND THEN
    RETURN (SELECT a FROM ${schema}.append(
      ARRAY[of_id], ARRAY[by_holder], ARRAY[by_epoch], '{false}', ARRAY[ttl], ARRAY[has_seen],
        '{NULL}', '{NULL}',
      ARRAY[new_state], ARRAY[new_time], ARRAY[CASE WHEN new_state IS NOT NULL
        THEN new_generation END], '{false}',
      '{false}', '{1}', '{true}', '{1}', ARRAY[new_generation], '{0}', ARRAY[new_kind], '{NULL}',
      ARRAY[new_body], '{0}',
      '{}'
    ) a);
  END IF;
  INSERT INTO ${schema}.entries VALUES (of_id, new_generation, 0, new_kind, new_body);
  RETURN reply;
END $$;
`;
}
