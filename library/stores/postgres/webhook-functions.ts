import { hookBytes, pageBytes } from "../../kit/limits/size.js";
import { kinds } from "../log/rows.js";

/**
 * Returns the SQL of the functions for webhooks. If a function uses the end of a log to determine
 * whether a webhook is due, it locks the head of the task, so that a concurrent append runs either
 * before or after the function.
 */
export function webhookFunctionsOf(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.put_webhook(
  of_tenant text, of_owner text, of_id text, hook_id text, after int, hook text, max_hooks float8
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${schema}.clock();
  last int;
  registered text := ',"after":\\d+}$';
BEGIN
  SELECT h.generation INTO last FROM ${schema}.heads h JOIN ${schema}.tasks t ON t.id = h.id
    WHERE h.id = of_id AND t.tenant = of_tenant AND t.owner = of_owner FOR UPDATE OF h;
  IF NOT FOUND THEN RETURN json_build_object('found', false); END IF;
  -- The head of the task is locked, so no other webhook is added between this count and the insert.
  IF (SELECT count(*) FROM ${schema}.webhooks WHERE task_id = of_id AND id <> hook_id) >= max_hooks
    THEN
    RETURN json_build_object('found', true, 'isFull', true);
  END IF;
  UPDATE ${schema}.heads SET hooks = true WHERE id = of_id AND NOT hooks;
  -- If a webhook is registered again unchanged, it keeps its undelivered events. Its JSON ends with
  -- the generation.
  after := least(after, (SELECT w.delivered FROM ${schema}.webhooks w
    WHERE w.task_id = of_id AND w.id = hook_id
    AND regexp_replace(w.body::text, registered, '') = regexp_replace(hook::text, registered, '')));
  -- Epochs begin at the current time, so that no epoch is reused if a webhook is removed and added
  -- again.
  INSERT INTO ${schema}.webhooks AS w (task_id, id, body, delivered, due_at, epoch)
    VALUES (of_id, hook_id, hook, after, CASE WHEN after < last THEN now_ms END, now_ms)
    ON CONFLICT (task_id, id) DO UPDATE SET body = hook, delivered = excluded.delivered,
      failures = 0, given_up = false,
      due_at = excluded.due_at, holder = NULL, epoch = greatest(w.epoch + 1, excluded.epoch);
  RETURN json_build_object('found', true, 'isDue', after < last);
END $$;

-- Returns a row for each webhook. The number of bytes limits the claim and the events of each
-- webhook.
CREATE OR REPLACE FUNCTION ${schema}.due_webhooks(by_holder text, ttl float8, max_count int)
RETURNS TABLE (task_id text, hook_id text, tenant text, owner text, body text, epoch bigint,
  failures int, events text)
LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${schema}.clock();
  total bigint := 0;
  size bigint;
  h ${schema}.webhooks;
BEGIN
  FOR h IN SELECT * FROM ${schema}.webhooks w WHERE w.due_at <= now_ms
    ORDER BY w.due_at LIMIT max_count FOR UPDATE SKIP LOCKED
  LOOP
    SELECT t.tenant, t.owner INTO tenant, owner FROM ${schema}.tasks t WHERE t.id = h.task_id;
    CONTINUE WHEN NOT FOUND;
    UPDATE ${schema}.webhooks w SET holder = by_holder, due_at = now_ms + ttl, epoch = h.epoch + 1
      WHERE w.task_id = h.task_id AND w.id = h.id;
    SELECT string_agg(e.body, ',' ORDER BY e.generation), max(e.total_bytes) INTO events, size FROM
      (
      SELECT n.generation, n.body, row_number() OVER log AS nth,
        sum(octet_length(n.body)) OVER log AS total_bytes FROM (
        SELECT l.generation, l.body FROM ${schema}.entries l
        WHERE l.task_id = h.task_id AND l.generation > h.delivered AND l.kind <>
          ${String(kinds.message)}
          ORDER BY l.generation LIMIT 100
      ) n WINDOW log AS (ORDER BY n.generation)
    ) e WHERE e.nth = 1 OR e.total_bytes <= ${String(hookBytes)};
    task_id := h.task_id;
    hook_id := h.id;
    body := h.body;
    epoch := h.epoch + 1;
    failures := h.failures;
    RETURN NEXT;
    total := total + coalesce(size, 0);
    EXIT WHEN total >= ${String(pageBytes)};
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.delivered(
  of_id text, hook_id text, by_holder text, by_epoch bigint, up_to int, retry_in float8,
    is_given_up boolean
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${schema}.clock();
  last int;
  is_due boolean;
BEGIN
  SELECT generation INTO last FROM ${schema}.heads WHERE id = of_id FOR UPDATE;
  UPDATE ${schema}.webhooks w SET
    holder = NULL, given_up = is_given_up, delivered = greatest(w.delivered, up_to),
    failures = CASE WHEN retry_in IS NULL THEN 0 WHEN up_to > w.delivered THEN 1
      ELSE w.failures + 1 END,
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
