import { pageBytes } from "../../kit/limits/size.js";
import { repeatWithinMs } from "../../kit/store.js";
import { readableBytes } from "../log/decode.js";
import { kinds } from "../log/rows.js";
import { appendEventFunctionOf } from "./append-event-function.js";
import { appendFunctionOf } from "./append-function.js";
import { retentionFunctionsOf } from "./retention-functions.js";
import { webhookFunctionsOf } from "./webhook-functions.js";

/**
 * Returns the SQL of the functions of a store. Each function is one round trip, and one
 * transaction.
 */
export function functionsOf(schema: string): string {
  return [
    readFunctionsOf,
    createFunctionOf,
    appendFunctionOf,
    appendEventFunctionOf,
    postFunctionOf,
    leaseFunctionsOf,
    retentionFunctionsOf,
    webhookFunctionsOf,
  ]
    .map((part) => part(schema))
    .join("");
}

/** Returns the SQL of the functions that return the time, a task, and whether it is unreadable. */
function readFunctionsOf(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.clock() RETURNS float8 LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp())::float8 * 1000)
$$;

-- A task as JSON, or NULL if it is too large to be read. The parts are already JSON and are not
-- parsed here. The process that reads a damaged part reports it. An item that a process has just
-- posted is not returned to the process. concat skips members that are NULL, and || with NULL
-- returns NULL.
CREATE OR REPLACE FUNCTION ${schema}.stored(
  of_id text, with_artifacts boolean, with_turn boolean, but_item text DEFAULT NULL
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN h.bytes <= ${String(readableBytes)} THEN concat(
    '{"task":', t.task,
    CASE WHEN with_artifacts AND t.artifacts IS NOT NULL THEN ',"artifacts":' || t.artifacts END,
    ',"entries":[', (
      SELECT string_agg(e.body, ',' ORDER BY e.generation, e.nth) FROM ${schema}.entries e
      WHERE e.task_id = t.id AND (e.generation, e.nth) > (h.task_generation, h.task_nth)
        AND (with_artifacts OR e.kind <> ${String(kinds.artifact)})
    ), ']', i.items,
    CASE WHEN with_turn THEN concat(',"turn":', t.turn, ',"checkpoint":' || t.checkpoint) END,
    ',"generation":', h.generation, ',"nth":', h.nth, ',"bytes":', h.bytes, ',"logBytes":',
    h.bytes - i.bytes - h.turn_bytes - h.checkpoint_bytes,
    ',"folded":{"generation":', h.task_generation, ',"nth":', h.task_nth, '}}'
  ) END FROM ${schema}.heads h JOIN ${schema}.tasks t ON t.id = h.id, LATERAL (
    SELECT ',"inbox":[' || string_agg(n.body, ',' ORDER BY n.number)
        FILTER (WHERE n.item_id IS DISTINCT FROM but_item) || ']' AS items,
      coalesce(sum(octet_length(n.body)), 0) AS bytes
    FROM ${schema}.inbox n WHERE n.task_id = t.id
  ) i WHERE h.id = of_id
$$;

-- Whether a task is unreadable, so that no claim returns it. The lease of such a task never ends
-- and has no holder.
CREATE OR REPLACE FUNCTION ${schema}.is_parked(expires float8) RETURNS boolean LANGUAGE sql
  IMMUTABLE
  AS $$
  SELECT coalesce(expires = 'infinity', false)
$$;
`;
}

function createFunctionOf(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.create_task(
  new_id text, new_tenant text, new_owner text, new_context text, new_state text, new_time float8,
    has_ended boolean,
  is_at_rest boolean, new_generation int, new_nth int, new_task text, new_artifacts text,
    new_turn text, new_checkpoint text,
  new_holder text, ttl float8, new_claim text, generations int[], nths int[], kinds int[],
    bodies json,
  hook_ids text[], hook_afters int[], hooks json, at_generation int, at_nth int,
    wake_in float8 DEFAULT NULL
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${schema}.clock();
  kept_turn text := CASE WHEN has_ended THEN '{"id":""}' ELSE new_turn END;
BEGIN
  INSERT INTO ${schema}.tasks (
    id, tenant, owner, context_id, state, status_time, ended_at, task, artifacts, turn, checkpoint,
      moving
  ) VALUES (
    new_id, new_tenant, new_owner, new_context, new_state, new_time, CASE WHEN has_ended
      THEN now_ms END,
    new_task, new_artifacts, kept_turn, new_checkpoint, new_holder IS NOT NULL AND NOT is_at_rest
  ) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN json_build_object('outcome', 'exists'); END IF;
  INSERT INTO ${schema}.heads (
    id, generation, nth, task_generation, task_nth, holder, expires, epoch, claim, state,
      status_time, has_ended, moving,
    hooks, bytes, turn_bytes, checkpoint_bytes, listed_time
  ) VALUES (
    new_id, new_generation, new_nth, at_generation, at_nth, new_holder,
      now_ms + CASE WHEN new_holder IS NULL THEN wake_in ELSE ttl END,
    CASE WHEN new_holder IS NULL THEN 0 ELSE 1 END, new_claim, new_state, new_time, has_ended,
    new_holder IS NOT NULL AND NOT is_at_rest, cardinality(hook_ids) > 0,
    octet_length(new_task) + coalesce(octet_length(new_artifacts), 0) +
      CASE WHEN (at_generation, at_nth) = (new_generation, new_nth) THEN 0
        ELSE octet_length(bodies::text) END +
      octet_length(kept_turn) + coalesce(octet_length(new_checkpoint), 0),
    octet_length(kept_turn), coalesce(octet_length(new_checkpoint), 0), new_time
  );
  INSERT INTO ${schema}.entries
    SELECT new_id, r.generation, r.nth, r.kind, r.body::text
    FROM ROWS FROM (unnest(generations), unnest(nths), unnest(kinds), json_array_elements(bodies))
      r (generation, nth, kind, body);
  INSERT INTO ${schema}.webhooks (task_id, id, body, delivered, due_at, epoch)
    SELECT new_id, r.id, r.body::text, r.after, CASE WHEN r.after < new_generation
      THEN now_ms END, now_ms
    FROM ROWS FROM (unnest(hook_ids), unnest(hook_afters), json_array_elements(hooks)) r (id, after,
      body);
  RETURN json_build_object('outcome', 'created');
END $$;
`;
}

function postFunctionOf(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.post(
  of_tenant text, of_owner text, of_id text, new_item text, new_body text, is_cancel boolean,
    by_holder text, ttl float8,
  new_claim text, wanted_generation int, wanted_context text, max_inbox float8,
    max_inbox_bytes float8, max_bytes float8
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${schema}.clock();
  context text;
  h ${schema}.heads;
  inbox_bytes bigint;
  size int := octet_length(new_body);
  added text;
  found_outcome text;
BEGIN
  SELECT t.context_id INTO context FROM ${schema}.tasks t WHERE t.id = of_id AND t.tenant =
    of_tenant
    AND t.owner = of_owner;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT * INTO h FROM ${schema}.heads WHERE id = of_id FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF ${schema}.is_parked(h.expires) OR h.bytes > ${String(readableBytes)}
    THEN RETURN '{"outcome":"unreadable"}'; END IF;
  IF h.items > 0 AND EXISTS (SELECT FROM ${schema}.inbox i WHERE i.task_id = of_id
    AND i.item_id = new_item) THEN
    size := 0;
  -- A client may repeat a call whose response was lost. The item may have been taken, and the task
  -- may have ended since. All cancel requests have the same id, so a cancel request may be new
  -- although its id was posted before.
  ELSIF NOT (is_cancel AND h.has_ended) AND EXISTS (
    SELECT FROM ${schema}.posted p WHERE p.task_id = of_id AND p.item_id = new_item AND p.until >
      now_ms
  ) THEN
    RETURN concat('{"outcome":"posted","isTaken":true,"count":', h.posts,
      ',"stored":', coalesce(${schema}.stored(of_id, true, false), 'null'), '}');
  ELSE
    inbox_bytes := CASE WHEN h.items = 0 THEN 0 ELSE (
      SELECT sum(octet_length(i.body)) FROM ${schema}.inbox i WHERE i.task_id = of_id
    ) END;
    found_outcome := CASE
      WHEN h.has_ended THEN 'ended'
      WHEN wanted_context IS NOT NULL AND wanted_context IS DISTINCT
        FROM context THEN 'otherContext'
      WHEN wanted_generation <> h.generation THEN 'otherGeneration'
      WHEN is_cancel THEN NULL
      WHEN h.items >= max_inbox OR inbox_bytes + size > max_inbox_bytes THEN 'full'
      WHEN h.bytes + size > max_bytes THEN 'tooLarge'
    END;
    IF found_outcome IS NOT NULL THEN
      RETURN json_build_object('outcome', found_outcome, 'state', h.state, 'generation',
        h.generation);
    END IF;
    INSERT INTO ${schema}.inbox (task_id, item_id, body) VALUES (of_id, new_item, new_body);
    -- Each post deletes more ids than it adds, so the table only keeps recent ids.
    DELETE FROM ${schema}.posted WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${schema}.posted WHERE until <= now_ms
        ORDER BY until LIMIT 4 FOR UPDATE SKIP LOCKED
    ));
    INSERT INTO ${schema}.posted VALUES (of_id, new_item, now_ms + ${String(repeatWithinMs)})
      ON CONFLICT (task_id, item_id) DO UPDATE SET until = excluded.until;
    added := new_item;
  END IF;
  IF h.holder IS NOT NULL AND h.expires > now_ms THEN
    UPDATE ${schema}.heads SET posts = h.posts + 1, bytes = h.bytes + size,
      items = CASE WHEN added IS NULL THEN h.items ELSE h.items + 1 END WHERE id = of_id;
    RETURN concat('{"outcome":"posted","count":', h.posts + 1,
      ',"stored":', coalesce(${schema}.stored(of_id, true, false, added), 'null'), '}');
  END IF;
  UPDATE ${schema}.heads SET
    holder = by_holder, expires = now_ms + ttl, epoch = h.epoch + 1, claim = new_claim,
      bytes = h.bytes + size,
    items = CASE WHEN added IS NULL THEN h.items ELSE h.items + 1 END
    WHERE id = of_id;
  RETURN concat('{"outcome":"leased","isNew":', CASE WHEN added IS NULL THEN 'false' ELSE 'true' END,
    ',"count":', h.epoch + 1, ',"stored":', coalesce(${schema}.stored(of_id, true, true, added), 'null'), '}');
END $$;
`;
}

function leaseFunctionsOf(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.renew(ids text[], epochs bigint[], holders text[], ttl float8)
RETURNS json LANGUAGE sql VOLATILE SET enable_seqscan = off AS $$
  -- All functions that wait for several tasks lock them in the same order.
  WITH clock AS (SELECT ${schema}.clock() AS now_ms), locked AS (
    SELECT h.id, h.epoch FROM ${schema}.heads h JOIN unnest(ids, epochs, holders) r (id, epoch,
      holder)
      ON h.id = r.id AND h.epoch = r.epoch AND h.holder = r.holder
    ORDER BY h.id FOR UPDATE OF h
  ), held AS (
    UPDATE ${schema}.heads h SET expires = c.now_ms + ttl FROM clock c, locked l
    WHERE h.id = l.id AND h.epoch = l.epoch AND h.expires > c.now_ms
    RETURNING h.id, h.epoch
  ) SELECT json_agg(json_build_array(id, epoch)) FROM held
$$;

-- Returns a row for each task. The number of bytes limits the claim, as the process holds all tasks
-- in memory.
CREATE OR REPLACE FUNCTION ${schema}.expired(by_holder text, ttl float8, max_count int, new_claim
  text,
  lost text[])
RETURNS TABLE (id text, tenant text, owner text, epoch bigint, stored text,
  found bigint) LANGUAGE sql VOLATILE
SET enable_seqscan = off AS $$
  WITH clock AS MATERIALIZED (SELECT ${schema}.clock() AS now_ms), mine AS (
    -- Tasks that were claimed by calls whose responses were lost.
    SELECT h.id, h.bytes FROM ${schema}.heads h WHERE cardinality(lost) > 0
      AND h.expires > (SELECT now_ms FROM clock)
      AND h.holder = by_holder AND h.claim = ANY (lost)
    LIMIT max_count FOR UPDATE SKIP LOCKED
  ), late AS (
    SELECT h.id, h.bytes FROM ${schema}.heads h WHERE h.expires <= (SELECT now_ms FROM clock)
    ORDER BY h.expires LIMIT max_count - (SELECT count(*) FROM mine) FOR UPDATE SKIP LOCKED
  ), listed AS (
    SELECT l.id, count(*) OVER () AS found, row_number() OVER by_id AS nth, sum(least(l.bytes,
      ${String(readableBytes)})) OVER by_id AS total_bytes
    FROM (SELECT * FROM mine UNION ALL SELECT * FROM late) l WINDOW by_id AS (ORDER BY l.id)
  ), taken AS (
    UPDATE ${schema}.heads h SET holder = by_holder, expires = c.now_ms + ttl, epoch = h.epoch + 1,
      claim = new_claim
    FROM clock c, listed l WHERE h.id = l.id AND (l.nth = 1 OR l.total_bytes <=
      ${String(pageBytes)})
    RETURNING h.id, h.epoch, l.found
  ) SELECT t.id, t.tenant, t.owner, l.epoch, ${schema}.stored(t.id, true, true), l.found
    FROM taken l JOIN ${schema}.tasks t ON t.id = l.id
$$;

-- Claims like expired, unless any process has searched within a time. Then, and if no lease has
-- expired, returns one row, with the number of searches by all processes.
CREATE OR REPLACE FUNCTION ${schema}.search(by_holder text, ttl float8, max_count int, new_claim
  text,
  lost text[], within float8)
RETURNS TABLE (id text, tenant text, owner text, epoch bigint, stored text, found bigint,
  searches bigint) LANGUAGE plpgsql AS $$
DECLARE
  search_count bigint := nextval('${schema}.searches');
  now_ms float8 := ${schema}.clock();
  affected int := 0;
BEGIN
  -- The clock may have been set back.
  IF cardinality(lost) > 0 OR NOT EXISTS (
    SELECT FROM ${schema}.searched s WHERE s.at BETWEEN now_ms - within AND now_ms
  ) THEN
    -- If the row is locked, another process is searching.
    PERFORM FROM ${schema}.searched FOR UPDATE SKIP LOCKED;
    GET DIAGNOSTICS affected = ROW_COUNT;
    IF affected > 0 OR cardinality(lost) > 0 THEN
      UPDATE ${schema}.searched SET at = now_ms;
      RETURN QUERY SELECT e.*, search_count
        FROM ${schema}.expired(by_holder, ttl, max_count, new_claim, lost) e;
      GET DIAGNOSTICS affected = ROW_COUNT;
      -- Other leases may have expired, so the next process searches as well.
      IF affected > 0 THEN UPDATE ${schema}.searched SET at = 0; END IF;
    END IF;
  END IF;
  IF affected = 0 THEN
    RETURN QUERY SELECT NULL::text, NULL::text, NULL::text, 0::bigint, NULL::text, 0::bigint,
      search_count;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.usage(of_tenant text, of_owner text, open_states text[],
  with_stored boolean)
-- The compilation of the query would take longer than the query.
RETURNS json LANGUAGE sql STABLE SET jit = off AS $$
  SELECT json_build_object('openTasks', count(*), 'openBytes', coalesce(sum(h.bytes), 0),
    'webhooks', coalesce(sum(CASE WHEN h.hooks THEN (
      SELECT count(*) FROM ${schema}.webhooks w WHERE w.task_id = h.id
    ) ELSE 0 END), 0),
    'storedBytes', CASE WHEN with_stored THEN (
      SELECT coalesce(sum(b.bytes), 0) FROM ${schema}.tasks a JOIN ${schema}.heads b ON b.id = a.id
      WHERE a.tenant = of_tenant AND a.owner = of_owner
    ) END
  ) FROM ${schema}.tasks t JOIN ${schema}.heads h ON h.id = t.id
    WHERE t.tenant = of_tenant AND t.owner = of_owner AND t.state = ANY (open_states)
$$;
`;
}
