import { pageBytes } from "../../limits/size.js";
import { readableBytes } from "../log/decode.js";
import { retentionFunctionsOf } from "./retention-functions.js";
import { webhookFunctionsOf } from "./webhook-functions.js";

/** Returns the SQL of the functions of a store. Each function is one round trip, and one transaction. */
export function functionsOf(s: string): string {
  return [common, create, append, post, leases, retentionFunctionsOf, webhookFunctionsOf]
    .map((part) => part(s))
    .join("");
}

/** Returns the SQL of the function for the current time, and of the function that reads a task. */
function common(s: string): string {
  return `
CREATE OR REPLACE FUNCTION ${s}.clock() RETURNS float8 LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp())::float8 * 1000)
$$;

-- A task as JSON, or NULL if it is too large to be read. The parts are JSON already, and are not parsed here: the
-- process that reads a damaged part finds it. An item that the process has just posted is not returned to it.
CREATE OR REPLACE FUNCTION ${s}.stored(
  of_id text, with_artifacts boolean, with_turn boolean, but_item text DEFAULT NULL
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN t.bytes <= ${String(readableBytes)} THEN concat(
    '{"task":', t.task,
    CASE WHEN with_artifacts AND t.artifacts IS NOT NULL THEN ',"artifacts":' || t.artifacts END,
    ',"entries":[', (
      SELECT string_agg(e.body, ',' ORDER BY e.generation, e.nth) FROM ${s}.entries e
      WHERE e.task_id = t.id AND (e.generation, e.nth) > (t.task_generation, t.task_nth)
        AND (with_artifacts OR e.kind <> 1)
    ), ']', i.items,
    CASE WHEN with_turn THEN concat(',"turn":', t.turn, ',"checkpoint":' || t.checkpoint) END,
    ',"generation":', t.generation, ',"nth":', t.nth, ',"bytes":', t.bytes, ',"logBytes":',
    t.bytes - i.bytes - octet_length(t.turn) - coalesce(octet_length(t.checkpoint), 0),
    ',"folded":{"generation":', t.task_generation, ',"nth":', t.task_nth, '}}'
  ) END FROM ${s}.tasks t, LATERAL (
    SELECT ',"inbox":[' || string_agg(n.body, ',' ORDER BY n.number)
        FILTER (WHERE n.item_id IS DISTINCT FROM but_item) || ']' AS items,
      coalesce(sum(octet_length(n.body)), 0) AS bytes
    FROM ${s}.inbox n WHERE n.task_id = t.id
  ) i WHERE t.id = of_id
$$;

-- Whether a task cannot be read, and no claim returns it: its lease never ends, and has no holder.
CREATE OR REPLACE FUNCTION ${s}.is_parked(expires float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(expires = 'infinity', false)
$$;
`;
}

function create(s: string): string {
  return `
CREATE OR REPLACE FUNCTION ${s}.create_task(
  new_id text, new_tenant text, new_owner text, new_context text, new_state text, new_time float8, has_ended boolean,
  new_generation int, new_nth int, new_task text, new_artifacts text, new_turn text, new_checkpoint text,
  new_holder text, ttl float8, new_claim text, generations int[], nths int[], kinds int[], bodies json,
  hook_ids text[], hook_afters int[], hooks json, at_generation int, at_nth int
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${s}.clock();
BEGIN
  INSERT INTO ${s}.tasks (
    id, tenant, owner, context_id, state, status_time, ended_at, generation, nth, task, artifacts, task_generation,
    task_nth, turn, checkpoint, holder, expires, epoch, claim, bytes
  ) VALUES (
    new_id, new_tenant, new_owner, new_context, new_state, new_time, CASE WHEN has_ended THEN now_ms END,
    new_generation, new_nth, new_task, new_artifacts, at_generation, at_nth,
    CASE WHEN has_ended THEN '{"id":""}' ELSE new_turn END, CASE WHEN NOT has_ended THEN new_checkpoint END,
    new_holder, now_ms + ttl, CASE WHEN new_holder IS NULL THEN 0 ELSE 1 END, new_claim,
    octet_length(new_task) + coalesce(octet_length(new_artifacts), 0) +
      CASE WHEN (at_generation, at_nth) = (new_generation, new_nth) THEN 0 ELSE octet_length(bodies::text) END +
      CASE WHEN has_ended THEN octet_length('{"id":""}')
      ELSE octet_length(new_turn) + coalesce(octet_length(new_checkpoint), 0) END
  ) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN json_build_object('outcome', 'exists'); END IF;
  INSERT INTO ${s}.entries
    SELECT new_id, r.generation, r.nth, r.kind, r.body::text
    FROM ROWS FROM (unnest(generations), unnest(nths), unnest(kinds), json_array_elements(bodies))
      r (generation, nth, kind, body);
  INSERT INTO ${s}.webhooks (task_id, id, body, delivered, due_at, epoch)
    SELECT new_id, r.id, r.body::text, r.after, CASE WHEN r.after < new_generation THEN now_ms END, now_ms
    FROM ROWS FROM (unnest(hook_ids), unnest(hook_afters), json_array_elements(hooks)) r (id, after, body);
  RETURN json_build_object('outcome', 'created');
END $$;
`;
}

function append(s: string): string {
  return `
-- Appends to the logs of different tasks, each with as many entries and taken items as it has. Returns a row for each
-- append, in the same order.
CREATE OR REPLACE FUNCTION ${s}.append_all(
  ids text[], holders text[], epochs bigint[], releases boolean[], ttls float8[], seens bigint[],
  turns text[], checkpoints text[], states text[], times float8[], status_generations int[], ends boolean[],
  counts int[], generations int[], nths int[], kinds int[], items text[], bodies text[], taken_counts int[], taken text[]
) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  first int := 1;
  first_taken int := 1;
BEGIN
  FOR n IN 1 .. cardinality(ids) LOOP
    RETURN NEXT ${s}.append(
      ids[n], holders[n], epochs[n], generations[first:first + counts[n] - 1], nths[first:first + counts[n] - 1],
      kinds[first:first + counts[n] - 1], items[first:first + counts[n] - 1], bodies[first:first + counts[n] - 1],
      states[n], times[n], status_generations[n], ends[n], taken[first_taken:first_taken + taken_counts[n] - 1],
      turns[n], checkpoints[n], releases[n], ttls[n], seens[n], cardinality(ids) = 1
    );
    first := first + counts[n];
    first_taken := first_taken + taken_counts[n];
  END LOOP;
END $$;

-- Appends to a log. If it must not wait for another transaction that has locked the task, returns that it has not
-- appended, so that other appends do not wait either.
CREATE OR REPLACE FUNCTION ${s}.append(
  of_id text, by_holder text, by_epoch bigint, generations int[], nths int[], kinds int[], items text[], bodies text[],
  new_state text, new_time float8, status_generation int, has_ended boolean,
  taken text[], new_turn text, new_checkpoint text, release boolean, ttl float8, seen bigint, may_wait boolean
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${s}.clock();
  t ${s}.tasks;
  extended float8;
  added bigint[];
  is_wrong boolean;
  is_status boolean;
  is_due boolean := false;
  released boolean;
  is_end boolean;
  rest text;
  rest_count bigint;
  last_number bigint;
  added_bytes bigint := 0;
  taken_bytes bigint := 0;
  new_bytes bigint;
  last_generation int;
  last_nth int;
BEGIN
  IF may_wait THEN
    SELECT * INTO t FROM ${s}.tasks WHERE id = of_id FOR UPDATE;
  ELSE
    SELECT * INTO t FROM ${s}.tasks WHERE id = of_id FOR UPDATE SKIP LOCKED;
    IF NOT FOUND AND EXISTS (SELECT FROM ${s}.tasks WHERE id = of_id) THEN RETURN '{"outcome":"locked"}'; END IF;
  END IF;
  IF t.id IS NULL THEN RETURN '{"outcome":"forgotten"}'; END IF;
  IF NOT 2 = ANY (kinds) AND generations[1] = t.generation + 1
    AND generations[cardinality(generations)] = t.generation + cardinality(generations) THEN
    -- As nearly always: events that follow, all of which are new.
    added := generations;
    is_wrong := false;
  ELSE
    SELECT coalesce(array_agg(g.ord), '{}'), coalesce(bool_or(g.generation <> t.generation + g.events), false)
      INTO added, is_wrong
      FROM (
        SELECT r.ord, r.generation, count(*) FILTER (WHERE r.kind <> 2) OVER (ORDER BY r.ord) AS events
        FROM unnest(generations, kinds, items) WITH ORDINALITY r (generation, kind, item, ord)
        WHERE CASE WHEN r.kind <> 2 THEN r.generation > t.generation
          ELSE EXISTS (SELECT FROM ${s}.inbox i WHERE i.task_id = of_id AND i.item_id = r.item) END
      ) g;
  END IF;
  IF t.holder IS NULL AND t.epoch = by_epoch AND cardinality(added) = 0 THEN
    RETURN json_build_object('outcome', 'appended', 'released', true, 'bytes', t.bytes,
      'end', json_build_object('generation', t.generation, 'nth', t.nth));
  END IF;
  IF t.epoch <> by_epoch OR t.holder IS DISTINCT FROM by_holder OR t.expires <= now_ms THEN
    RETURN '{"outcome":"lost"}';
  END IF;
  IF is_wrong THEN RETURN '{"outcome":"disorder"}'; END IF;
  -- An update that leaves indexed columns as they are is cheaper, and renewals come with each third.
  IF t.expires < now_ms + ttl * 2 / 3 THEN extended := now_ms + ttl; END IF;
  WITH inserted AS (
    INSERT INTO ${s}.entries
      SELECT of_id, r.generation, r.nth + CASE WHEN r.generation = t.generation THEN t.nth + 1 ELSE 0 END, r.kind,
        r.body
      FROM unnest(generations, nths, kinds, bodies)
        WITH ORDINALITY r (generation, nth, kind, body, ord)
      WHERE cardinality(added) = cardinality(generations) OR r.ord = ANY (added)
      RETURNING entries.generation, entries.nth, octet_length(entries.body) AS size
  ) SELECT i.generation, i.nth, sum(i.size) OVER () INTO last_generation, last_nth, added_bytes
    FROM inserted i ORDER BY 1 DESC, 2 DESC LIMIT 1;
  IF cardinality(taken) > 0 OR 2 = ANY (kinds) THEN
    WITH gone AS (
      DELETE FROM ${s}.inbox i WHERE i.task_id = of_id AND (i.item_id = ANY (taken) OR i.item_id = ANY (items))
      RETURNING octet_length(i.body) AS size
    ) SELECT coalesce(sum(size), 0) INTO taken_bytes FROM gone;
  END IF;
  -- The holder has the items up to a number already: these are counted, and not read.
  SELECT count(*), max(i.number),
      string_agg(CASE WHEN i.number > coalesce(seen, 0) THEN i.body END, ',' ORDER BY i.number)
    INTO rest_count, last_number, rest FROM ${s}.inbox i WHERE i.task_id = of_id;
  released := release AND rest_count = 0;
  is_status := coalesce(status_generation > t.generation, false);
  is_end := is_status AND has_ended OR t.ended_at IS NOT NULL;
  new_bytes := t.bytes + coalesce(added_bytes, 0) - taken_bytes + CASE
    WHEN is_end THEN octet_length('{"id":""}') - octet_length(t.turn) - coalesce(octet_length(t.checkpoint), 0)
    ELSE coalesce(octet_length(new_turn) - octet_length(t.turn), 0) +
      coalesce(octet_length(new_checkpoint) - coalesce(octet_length(t.checkpoint), 0), 0) END;
  UPDATE ${s}.tasks SET
    generation = coalesce(last_generation, t.generation), nth = coalesce(last_nth, t.nth),
    state = CASE WHEN is_status THEN new_state ELSE t.state END,
    status_time = CASE WHEN is_status THEN new_time ELSE t.status_time END,
    ended_at = CASE WHEN is_status AND has_ended THEN coalesce(t.ended_at, now_ms) ELSE t.ended_at END,
    -- No turn follows the end, so what is known of the caller of the last one goes.
    turn = CASE WHEN is_end THEN '{"id":""}' ELSE coalesce(new_turn, t.turn) END,
    checkpoint = CASE WHEN NOT is_end THEN coalesce(new_checkpoint, t.checkpoint) END,
    bytes = new_bytes,
    holder = CASE WHEN released THEN NULL ELSE t.holder END,
    expires = CASE WHEN released THEN NULL ELSE greatest(t.expires, extended) END
    WHERE id = of_id;
  IF last_generation > t.generation THEN
    UPDATE ${s}.webhooks w SET due_at = now_ms
      WHERE w.task_id = of_id AND w.due_at IS NULL AND NOT w.given_up AND w.delivered < last_generation;
    is_due := FOUND;
  END IF;
  RETURN concat('{"outcome":"appended","inbox":[', rest, '],"released":', to_json(released), ',"isDue":', to_json(is_due),
    ',"count":', cardinality(added), ',"grown":', coalesce(last_generation, t.generation) - t.task_generation,
    ',"seen":', greatest(last_number, seen, 0), ',"bytes":', new_bytes,
    ',"before":{"generation":', t.generation, ',"nth":', t.nth,
    '},"end":{"generation":', coalesce(last_generation, t.generation), ',"nth":', coalesce(last_nth, t.nth), '}}');
END $$;
`;
}

function post(s: string): string {
  return `
CREATE OR REPLACE FUNCTION ${s}.post(
  of_tenant text, of_owner text, of_id text, new_item text, new_body text, is_cancel boolean, by_holder text, ttl float8,
  new_claim text, wanted_generation int, wanted_context text, max_inbox float8, max_inbox_bytes float8, max_bytes float8
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${s}.clock();
  t ${s}.tasks;
  n record;
  size int := octet_length(new_body);
  added text;
  found_outcome text;
BEGIN
  SELECT * INTO t FROM ${s}.tasks WHERE id = of_id AND tenant = of_tenant AND owner = of_owner FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF ${s}.is_parked(t.expires) OR t.bytes > ${String(readableBytes)} THEN RETURN '{"outcome":"unreadable"}'; END IF;
  IF EXISTS (SELECT FROM ${s}.inbox i WHERE i.task_id = of_id AND i.item_id = new_item) THEN
    size := 0;
  ELSE
    SELECT count(*) AS items, coalesce(sum(octet_length(i.body)), 0) AS bytes INTO n
      FROM ${s}.inbox i WHERE i.task_id = of_id;
    found_outcome := CASE
      WHEN t.ended_at IS NOT NULL THEN 'ended'
      WHEN wanted_context IS NOT NULL AND wanted_context IS DISTINCT FROM t.context_id THEN 'otherContext'
      WHEN wanted_generation <> t.generation THEN 'otherGeneration'
      WHEN is_cancel THEN NULL
      WHEN n.items >= max_inbox OR n.bytes + size > max_inbox_bytes THEN 'full'
      WHEN t.bytes + size > max_bytes THEN 'tooLarge'
    END;
    IF found_outcome IS NOT NULL THEN
      RETURN json_build_object('outcome', found_outcome, 'state', t.state, 'generation', t.generation);
    END IF;
    INSERT INTO ${s}.inbox (task_id, item_id, body) VALUES (of_id, new_item, new_body);
    added := new_item;
  END IF;
  IF t.expires > now_ms THEN
    UPDATE ${s}.tasks SET posts = t.posts + 1, bytes = t.bytes + size WHERE id = of_id;
    RETURN concat('{"outcome":"posted","count":', t.posts + 1,
      ',"stored":', coalesce(${s}.stored(of_id, true, false, added), 'null'), '}');
  END IF;
  UPDATE ${s}.tasks SET
    holder = by_holder, expires = now_ms + ttl, epoch = t.epoch + 1, claim = new_claim, bytes = t.bytes + size
    WHERE id = of_id;
  RETURN concat('{"outcome":"leased","count":', t.epoch + 1,
    ',"stored":', coalesce(${s}.stored(of_id, true, true, added), 'null'), '}');
END $$;
`;
}

function leases(s: string): string {
  return `
CREATE OR REPLACE FUNCTION ${s}.renew(ids text[], epochs bigint[], holders text[], ttl float8)
RETURNS json LANGUAGE sql VOLATILE AS $$
  WITH clock AS (SELECT ${s}.clock() AS now_ms), held AS (
    UPDATE ${s}.tasks t SET expires = c.now_ms + ttl
    FROM clock c, unnest(ids, epochs, holders) r (id, epoch, holder)
    WHERE t.id = r.id AND t.epoch = r.epoch AND t.holder = r.holder AND t.expires > c.now_ms
    RETURNING t.id, t.epoch
  ) SELECT json_agg(json_build_array(id, epoch)) FROM held
$$;

-- Each task is a row. The claim stops by bytes, too: the process has to have room for all that it returns.
CREATE OR REPLACE FUNCTION ${s}.expired(by_holder text, ttl float8, max_count int, new_claim text, lost text[])
RETURNS TABLE (id text, tenant text, owner text, epoch bigint, stored text, found bigint) LANGUAGE sql VOLATILE AS $$
  WITH clock AS MATERIALIZED (SELECT ${s}.clock() AS now_ms), mine AS (
    -- Tasks that were claimed by calls whose responses were lost.
    SELECT t.id, t.bytes FROM ${s}.tasks t WHERE cardinality(lost) > 0 AND t.expires > (SELECT now_ms FROM clock)
      AND t.holder = by_holder AND t.claim = ANY (lost)
    LIMIT max_count FOR UPDATE SKIP LOCKED
  ), late AS (
    SELECT t.id, t.bytes FROM ${s}.tasks t WHERE t.expires <= (SELECT now_ms FROM clock)
    ORDER BY t.expires LIMIT max_count - (SELECT count(*) FROM mine) FOR UPDATE SKIP LOCKED
  ), listed AS (
    SELECT l.id, count(*) OVER () AS found, row_number() OVER place AS at, sum(least(l.bytes, ${String(readableBytes)})) OVER place AS upto
    FROM (SELECT * FROM mine UNION ALL SELECT * FROM late) l WINDOW place AS (ORDER BY l.id)
  ), taken AS (
    UPDATE ${s}.tasks t SET holder = by_holder, expires = c.now_ms + ttl, epoch = t.epoch + 1, claim = new_claim
    FROM clock c, listed l WHERE t.id = l.id AND (l.at = 1 OR l.upto <= ${String(pageBytes)})
    RETURNING t.id, t.tenant, t.owner, t.epoch, l.found
  ) SELECT t.id, t.tenant, t.owner, t.epoch, ${s}.stored(t.id, true, true), t.found FROM taken t
$$;

CREATE OR REPLACE FUNCTION ${s}.usage(of_tenant text, of_owner text, open_states text[], with_stored boolean)
RETURNS json LANGUAGE sql STABLE AS $$
  -- The index of the states has the open tasks: no index is kept for this alone.
  SELECT json_build_object('openTasks', count(*), 'openBytes', coalesce(sum(t.bytes), 0),
    'webhooks', coalesce(sum((SELECT count(*) FROM ${s}.webhooks w WHERE w.task_id = t.id)), 0),
    'storedBytes', CASE WHEN with_stored THEN (
      SELECT coalesce(sum(a.bytes), 0) FROM ${s}.tasks a WHERE a.tenant = of_tenant AND a.owner = of_owner
    ) END
  ) FROM ${s}.tasks t WHERE t.tenant = of_tenant AND t.owner = of_owner AND t.state = ANY (open_states)
$$;
`;
}
