/**
 * Returns the SQL of what concerns webhooks. Where it depends on the end of a log whether a webhook is due, the row of the
 * task is locked, so that an append comes before or after it.
 */
export function webhookFunctionsOf(s: string): string {
  return `
CREATE OR REPLACE FUNCTION ${s}.put_webhook(
  of_tenant text, of_owner text, of_id text, hook_id text, after int, hook json
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${s}.clock();
  last int;
  registered text := ',"after":\\d+}$';
BEGIN
  SELECT generation INTO last FROM ${s}.tasks
    WHERE id = of_id AND tenant = of_tenant AND owner = of_owner FOR UPDATE;
  IF NOT FOUND THEN RETURN json_build_object('found', false); END IF;
  -- A webhook that comes again as it is keeps what it has not delivered. The generation is at the end of its JSON.
  after := least(after, (SELECT w.delivered FROM ${s}.webhooks w WHERE w.task_id = of_id AND w.id = hook_id
    AND regexp_replace(w.body::text, registered, '') = regexp_replace(hook::text, registered, '')));
  -- Epochs begin with the time, so that none comes twice where a webhook is removed and added again.
  INSERT INTO ${s}.webhooks AS w (task_id, id, body, delivered, due_at, epoch)
    VALUES (of_id, hook_id, hook, after, CASE WHEN after < last THEN now_ms END, now_ms)
    ON CONFLICT (task_id, id) DO UPDATE SET body = hook, delivered = excluded.delivered, failures = 0, given_up = false,
      due_at = excluded.due_at, holder = NULL, epoch = greatest(w.epoch + 1, excluded.epoch);
  RETURN json_build_object('found', true, 'isDue', after < last);
END $$;

CREATE OR REPLACE FUNCTION ${s}.due_webhooks(by_holder text, ttl float8, max_count int)
RETURNS json LANGUAGE sql VOLATILE AS $$
  WITH clock AS MATERIALIZED (SELECT ${s}.clock() AS now_ms), found AS (
    SELECT task_id, id FROM ${s}.webhooks WHERE due_at <= (SELECT now_ms FROM clock)
    ORDER BY due_at LIMIT max_count FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE ${s}.webhooks w SET holder = by_holder, due_at = c.now_ms + ttl, epoch = w.epoch + 1
    FROM clock c, found f WHERE w.task_id = f.task_id AND w.id = f.id RETURNING w.*
  ) SELECT json_agg(json_build_object(
      'webhook', h.body, 'tenant', t.tenant, 'owner', t.owner, 'epoch', h.epoch, 'failures', h.failures, 'events', (
        SELECT json_agg(e.body ORDER BY e.generation) FROM (
          SELECT generation, body FROM ${s}.entries
          WHERE task_id = h.task_id AND generation > h.delivered AND kind <> 2 ORDER BY generation LIMIT 100
        ) e
      )
    )) FROM taken h JOIN ${s}.tasks t ON t.id = h.task_id
$$;

CREATE OR REPLACE FUNCTION ${s}.delivered(
  of_id text, hook_id text, by_holder text, by_epoch bigint, up_to int, retry_in float8, is_given_up boolean
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${s}.clock();
  last int;
  is_due boolean;
BEGIN
  SELECT generation INTO last FROM ${s}.tasks WHERE id = of_id FOR UPDATE;
  UPDATE ${s}.webhooks w SET
    holder = NULL, given_up = is_given_up, delivered = greatest(w.delivered, up_to),
    failures = CASE WHEN retry_in IS NULL THEN 0 WHEN up_to > w.delivered THEN 1 ELSE w.failures + 1 END,
    due_at = CASE
      WHEN is_given_up THEN NULL
      WHEN retry_in IS NOT NULL THEN now_ms + retry_in
      WHEN greatest(w.delivered, up_to) < last THEN now_ms
    END
    WHERE w.task_id = of_id AND w.id = hook_id AND w.holder = by_holder AND w.epoch = by_epoch
    RETURNING w.due_at <= now_ms INTO is_due;
  RETURN coalesce(is_due, false);
END $$;
`;
}
