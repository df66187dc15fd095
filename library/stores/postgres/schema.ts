import { functionsOf } from "./functions.js";

/** Version of the tables and functions. */
export const schemaVersion = 13;

/**
 * The oldest version of the store that may use tables and functions of this version, so that a
 * release can be rolled back. Increase it if a change breaks calls of earlier versions.
 */
export const oldestVersion = 11;

/**
 * Returns the SQL that creates the tables and functions of a store, so that you can run it
 * yourself. The SQL keeps existing data, upgrades the tables of an earlier version, and may be run
 * by several processes at the same time.
 * @throws A `TypeError` if the name contains characters other than lowercase letters, digits and
 *   underscores, begins with a digit, or has more than 63 characters.
 */
export function postgresSchema(schema = "a2a"): string {
  checkName(schema);
  return lockOf(schema) + changesOf(schema);
}

/** Returns the SQL that adds the table of marks to tables of an earlier release. */
export function marksSql(schema: string): string {
  return lockOf(schema) + marksOf(schema);
}

/** Code of the error by which {@link migrationOf} ends if the tables and functions are current. */
export const currentCode = "A2A00";

/**
 * Returns the SQL that a process runs if the tables and functions are not current. If another
 * process has updated them in the meantime, and may already use them, the SQL ends with an error
 * before it locks a table, because its locks could cause a deadlock.
 */
export function migrationOf(schema: string): string {
  return `${lockOf(schema)}
DO $$
BEGIN
  IF to_regclass('${schema}.version') IS NULL THEN RETURN; END IF;
  IF (SELECT version FROM ${schema}.version LIMIT 1) = ${String(schemaVersion)} THEN
    RAISE EXCEPTION 'The tables are current' USING ERRCODE = '${currentCode}';
  END IF;
END $$;
${changesOf(schema)}`;
}

/** Returns the SQL that creates or upgrades the tables and functions. */
function changesOf(schema: string): string {
  const parts = [tablesOf, marksOf, fromEarlier, compressionOf, indexesOf];
  const tables = parts.map((part) => part(schema)).join("");
  return `${tables}${functionsOf(schema)}
INSERT INTO ${schema}.version SELECT ${String(schemaVersion)}, ${String(oldestVersion)}
  WHERE NOT EXISTS (SELECT FROM ${schema}.version);
`;
}

/**
 * Checks the name of a schema.
 * @throws A `TypeError` if the name contains characters other than lowercase letters, digits and
 *   underscores, begins with a digit, or has more than 63 characters.
 */
export function checkName(schema: string): void {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new TypeError(
      `"${schema}" is not a valid schema name: use lowercase letters, digits and underscores`,
    );
}

/**
 * Returns the SQL that makes concurrent migrations of a schema wait. A query with several
 * statements is one transaction, so the lock lasts until the end of the query. After acquiring the
 * lock, the query reads a catalog table, which makes the results of an earlier migration visible to
 * its transaction.
 */
function lockOf(schema: string): string {
  return `SELECT pg_advisory_xact_lock(hashtext('a2a schema ${schema}'));
SELECT FROM pg_catalog.pg_namespace LIMIT 0;
`;
}

function tablesOf(schema: string): string {
  return `
CREATE SCHEMA IF NOT EXISTS ${schema};
-- The version of the store that has written the tables and functions, and the oldest version of the
-- store that may use them.
CREATE TABLE IF NOT EXISTS ${schema}.version (version int NOT NULL);
ALTER TABLE ${schema}.version ADD COLUMN IF NOT EXISTS oldest int;

-- The time of the last search for expired leases, and the number of searches.
CREATE TABLE IF NOT EXISTS ${schema}.searched (at float8 NOT NULL);
INSERT INTO ${schema}.searched SELECT 0 WHERE NOT EXISTS (SELECT FROM ${schema}.searched);
CREATE SEQUENCE IF NOT EXISTS ${schema}.searches;

-- Times are milliseconds since 1970. JSON is stored as text, because jsonb rejects some strings,
-- and the size of a text is known without reading it. Each task has two rows: a row in this table,
-- with its texts and the columns for lists, and a row in the next table.
CREATE TABLE IF NOT EXISTS ${schema}.tasks (
  id text COLLATE "C" PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  context_id text COLLATE "C",
  state text COLLATE "C" NOT NULL,
  -- The time of the status. If the task is moving, the time may lag: the exact time is in the next
  -- table.
  status_time float8 NOT NULL,
  ended_at float8,
  -- Whether a process works on the task.
  moving boolean NOT NULL DEFAULT false,
  -- The snapshot.
  task text NOT NULL,
  artifacts text,
  turn text NOT NULL,
  checkpoint text,
  -- Whether the entries of the log were deleted.
  trimmed boolean NOT NULL DEFAULT false
);

-- The parts of tasks that change with each event. The rows are small, and an event changes no
-- indexed column, so that Postgres updates them in place.
CREATE TABLE IF NOT EXISTS ${schema}.heads (
  id text COLLATE "C" PRIMARY KEY,
  -- End of the log: a generation, and the number of messages that were taken after it.
  generation int NOT NULL,
  nth int NOT NULL,
  -- Position of the snapshot in the log.
  task_generation int NOT NULL,
  task_nth int NOT NULL,
  -- The lease: its holder, its expiry time, and the number of leases so far. Without a holder, the
  -- time at which the task wakes.
  holder text,
  expires float8,
  epoch bigint NOT NULL,
  -- The call that has claimed the lease.
  claim text COLLATE "C",
  -- Number of items that were posted, and number of items in the inbox.
  posts int NOT NULL DEFAULT 0,
  items int NOT NULL DEFAULT 0,
  state text COLLATE "C" NOT NULL,
  status_time float8 NOT NULL,
  has_ended boolean NOT NULL,
  moving boolean NOT NULL DEFAULT false,
  -- Whether the task may have webhooks.
  hooks boolean NOT NULL,
  -- Size of the snapshot, the entries after it, the inbox, the turn, and the checkpoint.
  bytes bigint NOT NULL DEFAULT 0,
  turn_bytes bigint NOT NULL DEFAULT 0,
  checkpoint_bytes bigint NOT NULL DEFAULT 0,
  -- The status time in the previous table, if the task is moving.
  listed_time float8 NOT NULL DEFAULT 0,
  -- Time until which other processes than the lease holder may watch the task.
  watched_until float8 NOT NULL DEFAULT 0,
  -- Names of these processes; empty if all processes are notified.
  watchers text COLLATE "C" NOT NULL DEFAULT ''
) WITH (fillfactor = 60);

CREATE TABLE IF NOT EXISTS ${schema}.entries (
  task_id text COLLATE "C" NOT NULL,
  generation int NOT NULL,
  nth int NOT NULL,
  -- 0: status, 1: artifact, 2: message
  kind int NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (task_id, generation, nth)
);

CREATE TABLE IF NOT EXISTS ${schema}.inbox (
  number bigint GENERATED ALWAYS AS IDENTITY,
  task_id text COLLATE "C" NOT NULL,
  item_id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (task_id, item_id)
);

-- Posted items, including items that turns have taken.
CREATE TABLE IF NOT EXISTS ${schema}.posted (
  task_id text COLLATE "C" NOT NULL,
  item_id text COLLATE "C" NOT NULL,
  -- Time after which no client repeats the call that posted the item.
  until float8 NOT NULL,
  PRIMARY KEY (task_id, item_id)
);

CREATE TABLE IF NOT EXISTS ${schema}.webhooks (
  task_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  delivered int NOT NULL,
  failures int NOT NULL DEFAULT 0,
  given_up boolean NOT NULL DEFAULT false,
  -- Time at which the webhook is due; absent if it has no undelivered events.
  due_at float8,
  holder text,
  epoch bigint NOT NULL,
  PRIMARY KEY (task_id, id)
);
`;
}

/** Returns the SQL that creates the table of marks. */
function marksOf(schema: string): string {
  return `
-- Marks of the database, if it is part of a store of several databases.
CREATE TABLE IF NOT EXISTS ${schema}.marks (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);
`;
}

/** Returns the SQL that creates the indexes. Lists read moving tasks and other tasks separately. */
function indexesOf(schema: string): string {
  return `
CREATE INDEX IF NOT EXISTS tasks_list ON ${schema}.tasks (tenant, owner, moving, status_time, id);
CREATE INDEX IF NOT EXISTS tasks_context ON ${schema}.tasks (tenant, owner, context_id, moving,
  status_time, id);
CREATE INDEX IF NOT EXISTS tasks_state ON ${schema}.tasks (tenant, owner, state, moving,
  status_time,
  id);
CREATE INDEX IF NOT EXISTS tasks_ended ON ${schema}.tasks (ended_at, id) WHERE ended_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS tasks_logs ON ${schema}.tasks (ended_at)
  WHERE ended_at IS NOT NULL AND NOT trimmed;
CREATE INDEX IF NOT EXISTS heads_leases ON ${schema}.heads (expires) WHERE expires IS NOT NULL;
CREATE INDEX IF NOT EXISTS posted_until ON ${schema}.posted (until);
CREATE INDEX IF NOT EXISTS webhooks_due ON ${schema}.webhooks (due_at) WHERE due_at IS NOT NULL;
`;
}

/** Returns the SQL that upgrades tables of earlier versions. */
function fromEarlier(schema: string): string {
  return `
DO $$
DECLARE
  old record;
  old_version int := (SELECT version FROM ${schema}.version LIMIT 1);
BEGIN
  IF old_version IS NULL OR old_version >= ${String(schemaVersion)} THEN RETURN; END IF;
  -- Functions with other results or names of parameters cannot be replaced. The function
  -- append_event remains, because processes of version 9 may still call it.
  FOR old IN SELECT p.oid::regprocedure AS name FROM pg_catalog.pg_proc p
    WHERE p.pronamespace = '${schema}'::regnamespace AND p.proname IN ('clock', 'stored',
      'create_task',
      'append', 'append_one', 'post',
      'renew', 'expired', 'forget', 'put_webhook', 'due_webhooks', 'delivered', 'usage', 'erase')
  LOOP
    EXECUTE 'DROP FUNCTION ' || old.name;
  END LOOP;
  UPDATE ${schema}.version SET version = ${String(schemaVersion)}, oldest = ${String(oldestVersion)};
  IF old_version = 1 THEN
    ALTER TABLE ${schema}.tasks ALTER COLUMN task TYPE text USING task::text,
      ALTER COLUMN artifacts TYPE text USING artifacts::text,
        ALTER COLUMN turn TYPE text USING turn::text,
      ALTER COLUMN checkpoint TYPE text USING checkpoint::text,
        ADD COLUMN IF NOT EXISTS bytes bigint NOT NULL DEFAULT 0;
    ALTER TABLE ${schema}.entries ALTER COLUMN body TYPE text USING body::text;
    ALTER TABLE ${schema}.inbox ALTER COLUMN body TYPE text USING body::text;
    ALTER TABLE ${schema}.webhooks ALTER COLUMN body TYPE text USING body::text;
    UPDATE ${schema}.tasks t SET bytes = octet_length(t.task) + coalesce(octet_length(t.artifacts),
      0) + octet_length(t.turn) +
      coalesce(octet_length(t.checkpoint), 0) + coalesce((
        SELECT sum(octet_length(e.body)) FROM ${schema}.entries e
        WHERE e.task_id = t.id AND (e.generation, e.nth) > (t.task_generation, t.task_nth)
      ), 0) + coalesce((SELECT sum(octet_length(i.body)) FROM ${schema}.inbox i
        WHERE i.task_id = t.id), 0);
  END IF;
  IF old_version < 4 THEN
    -- Versions 1 to 3 have no table of heads. Version 2 has the same tables as version 3.
    INSERT INTO ${schema}.heads
      SELECT t.id, t.generation, t.nth, t.task_generation, t.task_nth, t.holder, t.expires, t.epoch,
        t.claim, t.posts,
        (SELECT count(*) FROM ${schema}.inbox i WHERE i.task_id = t.id), t.state, t.status_time,
          t.ended_at IS NOT NULL, false,
        EXISTS (SELECT FROM ${schema}.webhooks w WHERE w.task_id = t.id), t.bytes,
          octet_length(t.turn),
        coalesce(octet_length(t.checkpoint), 0)
      FROM ${schema}.tasks t;
    -- Dropping a column also drops its indexes.
    ALTER TABLE ${schema}.tasks ADD COLUMN IF NOT EXISTS moving boolean NOT NULL DEFAULT false,
      DROP COLUMN generation,
      DROP COLUMN nth, DROP COLUMN task_generation, DROP COLUMN task_nth, DROP COLUMN holder,
        DROP COLUMN expires,
      DROP COLUMN epoch, DROP COLUMN claim, DROP COLUMN posts, DROP COLUMN bytes;
  END IF;
  ALTER TABLE ${schema}.heads ADD COLUMN IF NOT EXISTS watched_until float8 NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS watchers text COLLATE "C" NOT NULL DEFAULT '';
  -- Versions 5 to 12 have earlier functions, and 5 and 6 miss the table of posted items, which has
  -- already been created.
  IF old_version >= 5 THEN RETURN; END IF;
  DROP INDEX IF EXISTS ${schema}.tasks_list, ${schema}.tasks_context, ${schema}.tasks_state,
    ${schema}.tasks_moving;
  -- In version 4, only the heads of moving tasks have their status.
  ALTER TABLE ${schema}.heads ADD COLUMN IF NOT EXISTS listed_time float8 NOT NULL DEFAULT 0;
  UPDATE ${schema}.heads SET listed_time = status_time WHERE moving;
  UPDATE ${schema}.tasks t SET state = h.state, status_time = h.status_time FROM ${schema}.heads h
    WHERE h.id = t.id AND h.moving;
END $$;
`;
}

/**
 * Returns the SQL that selects the compression of large strings. For a string of 4 MiB, the default
 * compression of Postgres takes 100 ms of CPU, and LZ4 takes a quarter of this time. Postgres 12
 * and 13, and servers without LZ4, keep the default.
 */
function compressionOf(schema: string): string {
  return `
DO $$
DECLARE
  c record;
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_catalog.pg_settings WHERE name = 'default_toast_compression'
      AND 'lz4' = ANY (enumvals)
  ) THEN
    RETURN;
  END IF;
  -- Changing a column locks its table, so columns are only changed once.
  FOR c IN SELECT a.attrelid::regclass AS of_table, a.attname AS name FROM pg_catalog.pg_attribute a
    WHERE (a.attrelid = '${schema}.tasks'::regclass AND a.attname IN ('task', 'artifacts', 'turn',
      'checkpoint')
      OR a.attrelid IN ('${schema}.entries'::regclass, '${schema}.inbox'::regclass) AND a.attname =
        'body')
      AND a.attcompression = ''
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION lz4', c.of_table, c.name);
  END LOOP;
END $$;
`;
}
