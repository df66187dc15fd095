import { kinds } from "../log/rows.js";

/**
 * Maximum time in milliseconds by which the status time of a moving task in `tasks` lags behind the
 * exact time in `heads`. Each status updates `heads`. It updates `tasks`, which has the indexes for
 * lists, only if the state changes or the lag would exceed this maximum. To find the newest tasks,
 * a list therefore only reads the heads of tasks whose indexed time is within this time of the
 * page. The maximum is part of the schema: to reduce it, update the status times of moving tasks in
 * a new version.
 */
export const listLagMs = 2_000;

/**
 * Returns the SQL of the function that appends to the logs of different tasks. For an append that
 * only contains events, the function reads and updates the head of the task, and only accesses
 * other tables if the head shows that this is necessary.
 */
export function appendFunctionOf(schema: string): string {
  return `
-- Each append has as many entries and taken items as it has counts. Returns a row for each append,
-- in the same order. If another transaction has locked a task, its append is skipped and executed
-- separately later.
CREATE OR REPLACE FUNCTION ${schema}.append(
  ids text[], holders text[], epochs bigint[], releases boolean[], ttls float8[], seens bigint[],
  turns text[], checkpoints text[], states text[], times float8[], status_generations int[],
    ends boolean[],
  rests boolean[], counts int[], follow boolean[], appends int[], generations int[], nths int[],
    kinds int[],
  items text[], bodies text[], taken_counts int[], taken text[], wakes float8[] DEFAULT '{}'
) RETURNS SETOF text LANGUAGE plpgsql
-- Postgres keeps one plan with index scans, which is suitable for tables of any size and any number
-- of appends.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  now_ms float8 := ${schema}.clock();
  is_alone boolean := cardinality(ids) = 1;
  verdicts text[] := '{}';
  -- The head of the task after and before the append.
  h ${schema}.heads;
  before ${schema}.heads;
  heads ${schema}.heads[] := '{}';
  last_generations int[] := '{}';
  last_nths int[] := '{}';
  skipped int[] := '{}';
  first int;
  next int := 1;
  first_taken int;
  next_taken int := 1;
  added int;
  taken_bytes bigint;
  taken_items int;
  rest text;
  last_number bigint;
  is_wrong boolean;
  is_status boolean;
  is_listed boolean;
  has_ended boolean;
  is_end boolean;
  is_due boolean;
  released boolean;
  new_turn text;
  new_checkpoint text;
BEGIN
  FOR n IN 1 .. cardinality(ids) LOOP
    first := next;
    next := first + counts[n];
    first_taken := next_taken;
    next_taken := first_taken + taken_counts[n];
    IF is_alone THEN
      SELECT * INTO h FROM ${schema}.heads x WHERE x.id = ids[n] FOR UPDATE;
    ELSE
      SELECT * INTO h FROM ${schema}.heads x WHERE x.id = ids[n] FOR UPDATE SKIP LOCKED;
    END IF;
    IF h.id IS NULL THEN
      verdicts[n] := CASE WHEN NOT is_alone AND EXISTS (SELECT FROM ${schema}.heads x
        WHERE x.id = ids[n])
        THEN '{"outcome":"locked"}' ELSE '{"outcome":"forgotten"}' END;
      CONTINUE;
    END IF;
    before := h;

    is_wrong := false;
    added := counts[n];
    -- In almost all cases, all entries are consecutive events. Otherwise, skip entries that a
    -- repeated append has already added: an event is new after the end of the log, a message while
    -- its item is in the inbox.
    IF added > 0 AND (NOT follow[n] OR generations[first] <> h.generation + 1) THEN
      SELECT skipped || coalesce(array_agg(first + g.ord::int - 1) FILTER (WHERE NOT g.is_new),
        '{}'),
          count(*) FILTER (WHERE g.is_new),
          coalesce(bool_or(g.is_new AND g.generation <> h.generation + g.events), false)
        INTO skipped, added, is_wrong
        FROM (
          SELECT r.*, count(*) FILTER (WHERE r.is_new AND r.kind <> ${String(kinds.message)}) OVER
            (ORDER BY r.ord) AS
            events FROM (
            SELECT e.*, CASE WHEN e.kind <> ${String(kinds.message)} THEN e.generation >
              h.generation ELSE h.items > 0
              AND EXISTS (
              SELECT FROM ${schema}.inbox i WHERE i.task_id = h.id AND i.item_id = e.item
            ) END AS is_new
            FROM unnest(generations[first:next - 1], kinds[first:next - 1], items[first:next - 1])
              WITH ORDINALITY e (generation, kind, item, ord)
          ) r
        ) g;
    END IF;
    IF h.holder IS NULL AND h.epoch = epochs[n] AND added = 0 THEN
      verdicts[n] := concat('{"outcome":"appended","released":true,"bytes":', h.bytes,
        ',"end":{"generation":', h.generation, ',"nth":', h.nth, '}}');
      CONTINUE;
    END IF;
    IF h.epoch <> epochs[n] OR h.holder IS DISTINCT FROM holders[n] OR h.expires <= now_ms THEN
      verdicts[n] := '{"outcome":"lost"}';
      CONTINUE;
    END IF;
    IF is_wrong THEN
      verdicts[n] := '{"outcome":"disorder"}';
      CONTINUE;
    END IF;

    IF added > 0 THEN
      last_generations[n] := h.generation;
      last_nths[n] := h.nth;
      FOR e IN first .. next - 1 LOOP
        CONTINUE WHEN added < counts[n] AND e = ANY (skipped);
        h.nth := nths[e] + CASE WHEN generations[e] = before.generation THEN before.nth + 1
          ELSE 0 END;
        h.generation := generations[e];
        h.bytes := h.bytes + octet_length(bodies[e]);
      END LOOP;
    END IF;
    IF h.items > 0 AND (next_taken > first_taken OR NOT follow[n]) THEN
      WITH gone AS (
        DELETE FROM ${schema}.inbox i WHERE i.task_id = h.id AND (
          i.item_id = ANY (taken[first_taken:next_taken - 1])
            OR i.item_id = ANY (items[first:next - 1])
        ) RETURNING octet_length(i.body) AS size
      ) SELECT count(*), coalesce(sum(size), 0) INTO taken_items, taken_bytes FROM gone;
      h.items := h.items - taken_items;
      h.bytes := h.bytes - taken_bytes;
    END IF;
    rest := NULL;
    last_number := NULL;
    IF h.items > 0 THEN
      -- The lease holder already has the items up to a number, so they are not read.
      SELECT max(i.number), string_agg(CASE WHEN i.number > coalesce(seens[n], 0)
        THEN i.body END, ',' ORDER BY i.number)
        INTO last_number, rest FROM ${schema}.inbox i WHERE i.task_id = h.id;
    END IF;

    is_status := coalesce(status_generations[n] > before.generation, false);
    IF is_status THEN
      h.state := states[n];
      h.status_time := times[n];
      h.has_ended := h.has_ended OR ends[n];
      h.moving := NOT rests[n];
    END IF;
    -- A posted item begins the next turn, so the lease is kept while the inbox has items.
    released := releases[n] AND h.items = 0;
    IF released THEN
      h.holder := NULL;
      h.expires := now_ms + wakes[n];
      h.moving := false;
    ELSIF h.expires < now_ms + ttls[n] * 2 / 3 THEN
      -- An update is cheaper if the index of leases does not change, so renew a lease only after a
      -- third of its time.
      h.expires := now_ms + ttls[n];
    END IF;
    has_ended := h.has_ended;
    is_end := has_ended AND NOT before.has_ended;
    -- No turn follows the end of a task, so remove the facts about the last caller, and only keep
    -- the checkpoint of the end.
    new_turn := CASE WHEN has_ended THEN '{"id":""}' ELSE turns[n] END;
    new_checkpoint := CASE WHEN NOT before.has_ended THEN checkpoints[n] END;
    IF new_turn IS NOT NULL THEN
      h.bytes := h.bytes + octet_length(new_turn) - h.turn_bytes;
      h.turn_bytes := octet_length(new_turn);
    END IF;
    IF new_checkpoint IS NOT NULL OR is_end THEN
      h.bytes := h.bytes + coalesce(octet_length(new_checkpoint), 0) - h.checkpoint_bytes;
      h.checkpoint_bytes := coalesce(octet_length(new_checkpoint), 0);
    END IF;
    -- For lists, the state is exact, and so is the time of a task at rest. The time of a moving
    -- task may lag.
    is_listed := h.moving <> before.moving OR is_status AND (NOT h.moving OR h.state <> before.state
      OR h.status_time < h.listed_time OR h.status_time >= h.listed_time + ${String(listLagMs)});
    IF is_listed THEN
      h.listed_time := h.status_time;
    END IF;
    IF new_turn IS NOT NULL OR new_checkpoint IS NOT NULL OR is_listed THEN
      UPDATE ${schema}.tasks x SET state = h.state, moving = h.moving,
        status_time = CASE WHEN is_listed THEN h.status_time ELSE x.status_time END,
        ended_at = CASE WHEN has_ended THEN coalesce(x.ended_at, now_ms) END,
        turn = coalesce(new_turn, x.turn),
        checkpoint = CASE WHEN is_end THEN new_checkpoint
          ELSE coalesce(new_checkpoint, x.checkpoint) END
        WHERE x.id = h.id;
    END IF;
    is_due := false;
    IF h.hooks AND h.generation > before.generation THEN
      UPDATE ${schema}.webhooks w SET due_at = now_ms
        WHERE w.task_id = h.id AND w.due_at IS NULL AND NOT w.given_up
          AND w.delivered < h.generation;
      is_due := FOUND;
    END IF;
    heads[n] := h;
    verdicts[n] := concat('{"outcome":"appended","inbox":[', rest, '],"released":',
      to_json(released), ',"isDue":',
      to_json(is_due), ',"count":', added, ',"grown":', h.generation - h.task_generation,
      ',"isWatched":', to_json(h.watched_until > now_ms), ',"watchers":"', h.watchers, '","seen":', greatest(last_number, seens[n], 0), ',"bytes":', h.bytes,
      ',"before":{"generation":', before.generation, ',"nth":', before.nth,
      '},"end":{"generation":', h.generation, ',"nth":', h.nth, '}}');
  END LOOP;

  INSERT INTO ${schema}.entries
    SELECT ids[r.append], r.generation,
      r.nth + CASE WHEN r.generation = last_generations[r.append] THEN last_nths[r.append] + 1
        ELSE 0 END, r.kind, r.body
    FROM unnest(appends, generations, nths, kinds, bodies) WITH ORDINALITY r (append, generation,
      nth, kind, body, ord)
    WHERE last_generations[r.append] IS NOT NULL AND r.ord <> ALL (skipped);
  UPDATE ${schema}.heads x SET
    generation = c.generation, nth = c.nth, holder = c.holder, expires = c.expires, items = c.items,
      state = c.state,
    status_time = c.status_time, listed_time = c.listed_time, has_ended = c.has_ended,
      moving = c.moving, bytes = c.bytes,
    turn_bytes = c.turn_bytes, checkpoint_bytes = c.checkpoint_bytes
    FROM unnest(heads) c WHERE x.id = c.id;
  RETURN QUERY SELECT unnest(verdicts);
END $$;
`;
}
