import { largeBytes } from "../log/compaction.js";

/** Returns the SQL that deletes expired tasks, and tasks of an owner or a tenant. */
export function retentionFunctionsOf(schema: string): string {
  return `${forget(schema)}${erase(schema)}`;
}

/** Returns the statements that delete the tasks with the ids in `gone`. */
function deletion(schema: string): string {
  const tables = ["entries", "inbox", "posted", "webhooks"];
  return [
    ...tables.map((table) => `  DELETE FROM ${schema}.${table} WHERE task_id = ANY (gone);\n`),
    ...["heads", "tasks"].map(
      (table) => `  DELETE FROM ${schema}.${table} WHERE id = ANY (gone);\n`,
    ),
  ].join("");
}

function forget(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.forget(max_age float8, max_count float8, max_log_age float8,
  step int)
RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8 := ${schema}.clock();
  excess float8 := (SELECT count(*) FROM ${schema}.tasks WHERE ended_at IS NOT NULL) - max_count;
  gone text[];
  logs int := 0;
  unfolded json;
BEGIN
  SELECT array_agg(o.id) INTO gone FROM (
    SELECT id, ended_at, row_number() OVER (ORDER BY ended_at, id) AS place FROM ${schema}.tasks
    WHERE ended_at IS NOT NULL ORDER BY ended_at, id LIMIT step
  ) o WHERE o.place <= excess OR now_ms - o.ended_at > max_age;
  -- If another transaction has locked a task, the next cleanup deletes it.
  SELECT array_agg(l.id) INTO gone FROM (
    SELECT h.id FROM ${schema}.heads h WHERE h.id = ANY (gone) FOR UPDATE SKIP LOCKED
  ) l;
${deletion(schema)}  -- If the snapshot is not up to date, the entries are still needed. The log of a large task
  -- contains most of its data, so it is kept.
  WITH found AS (
    SELECT t.id, h.bytes > ${String(largeBytes)} AS is_large,
      h.task_generation = h.generation AND h.task_nth = h.nth AS is_folded
    FROM ${schema}.tasks t JOIN ${schema}.heads h ON h.id = t.id
    WHERE ended_at IS NOT NULL AND NOT trimmed AND ended_at <= now_ms - max_log_age
      AND NOT EXISTS (SELECT FROM ${schema}.webhooks w WHERE w.task_id = t.id AND w.due_at IS NOT
        NULL)
    ORDER BY ended_at LIMIT step FOR UPDATE OF h SKIP LOCKED
  ), dropped AS (
    DELETE FROM ${schema}.entries e USING found f WHERE e.task_id = f.id AND f.is_folded
  ), marked AS (
    UPDATE ${schema}.tasks t SET trimmed = true FROM found f WHERE t.id = f.id AND (f.is_folded
      OR f.is_large)
    RETURNING f.is_folded
  ) SELECT (SELECT count(*) FILTER (WHERE is_folded) FROM marked),
      (SELECT json_agg(id) FROM found WHERE NOT is_folded AND NOT is_large) INTO logs, unfolded;
  RETURN json_build_object('count', coalesce(cardinality(gone), 0) + logs, 'unfolded',
    coalesce(unfolded, '[]'));
END $$;
`;
}

function erase(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.erase(of_tenant text, of_owner text, of_id text, step int)
RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  gone text[] := ARRAY(
    SELECT id FROM ${schema}.tasks WHERE tenant = of_tenant AND (of_owner IS NULL OR owner =
      of_owner)
      AND (of_id IS NULL OR id = of_id)
    LIMIT step
  );
BEGIN
  -- Another process may have deleted some of these tasks in the meantime.
  gone := ARRAY(SELECT h.id FROM ${schema}.heads h WHERE h.id = ANY (gone) ORDER BY h.id FOR UPDATE);
${deletion(schema)}  RETURN to_json(cardinality(gone));
END $$;
`;
}
