import type { Connection } from "./connection.js";

/** Version of the tables. */
export const schemaVersion = 4;

/** Creates the table of posted items, which also contains items that turns have taken. */
const posted = `
CREATE TABLE IF NOT EXISTS a2a_posted (
  task_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  -- Time after which no client repeats the call that posted the item.
  until INTEGER NOT NULL,
  PRIMARY KEY (task_id, item_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS a2a_posted_until ON a2a_posted (until);
`;

/**
 * Returns the SQL that creates the tables of a store, so that you can run it yourself. The SQL
 * keeps existing tables. Times are milliseconds since 1970. The columns `body` contain JSON.
 */
export function sqliteSchema(): string {
  return `
CREATE TABLE IF NOT EXISTS a2a_version (version INTEGER NOT NULL);

CREATE TABLE IF NOT EXISTS a2a_tasks (
  id TEXT PRIMARY KEY NOT NULL,
  tenant TEXT NOT NULL,
  owner TEXT NOT NULL,
  context_id TEXT,
  state TEXT NOT NULL,
  status_time REAL NOT NULL,
  ended_at INTEGER,
  -- End of the log: a generation, and the number of messages that were taken after it.
  generation INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  -- Position of the snapshot in the log.
  task_generation INTEGER NOT NULL,
  task_nth INTEGER NOT NULL,
  -- The lease: its holder, its expiry time, and the number of leases so far. Without a holder, the
  -- time at which the task wakes.
  holder TEXT,
  expires INTEGER,
  epoch INTEGER NOT NULL,
  -- Whether the entries of the log were deleted.
  trimmed INTEGER NOT NULL DEFAULT 0,
  -- Size of the snapshot, the entries after it, the inbox, the turn, and the checkpoint.
  bytes INTEGER NOT NULL DEFAULT 0,
  turn_bytes INTEGER NOT NULL DEFAULT 0,
  checkpoint_bytes INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS a2a_tasks_list ON a2a_tasks (tenant, owner, status_time, id);
CREATE INDEX IF NOT EXISTS a2a_tasks_context ON a2a_tasks (tenant, owner, context_id, status_time,
  id);
CREATE INDEX IF NOT EXISTS a2a_tasks_state ON a2a_tasks (tenant, owner, state, status_time, id);
CREATE INDEX IF NOT EXISTS a2a_tasks_leases ON a2a_tasks (expires) WHERE expires IS NOT NULL;
CREATE INDEX IF NOT EXISTS a2a_tasks_ended ON a2a_tasks (ended_at, id) WHERE ended_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS a2a_tasks_logs ON a2a_tasks (ended_at)
  WHERE ended_at IS NOT NULL AND trimmed = 0;

-- The texts of a task, except its entries. An update of a row writes the whole row, so texts have
-- separate rows.
CREATE TABLE IF NOT EXISTS a2a_texts (
  task_id TEXT NOT NULL,
  -- 0: the snapshot without artifacts, 1: its artifacts, 2: the item that began the turn, 3: the
  -- checkpoint
  kind INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (task_id, kind)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS a2a_entries (
  task_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  -- 0: status, 1: artifact, 2: message
  kind INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (task_id, generation, nth)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS a2a_inbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  size INTEGER NOT NULL DEFAULT 0,
  body TEXT NOT NULL,
  UNIQUE (task_id, item_id)
);

${posted}
CREATE TABLE IF NOT EXISTS a2a_webhooks (
  task_id TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  delivered INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  given_up INTEGER NOT NULL,
  -- Time at which the webhook is due; absent if it has no undelivered events.
  due_at INTEGER,
  holder TEXT,
  epoch INTEGER NOT NULL,
  PRIMARY KEY (task_id, id)
);
CREATE INDEX IF NOT EXISTS a2a_webhooks_due ON a2a_webhooks (due_at) WHERE due_at IS NOT NULL;

INSERT INTO a2a_version SELECT ${String(schemaVersion)} WHERE NOT EXISTS (SELECT 1
  FROM a2a_version);
`;
}

/** Upgrades tables of version 1 to version 2. */
const fromFirst = `
ALTER TABLE a2a_tasks ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE a2a_inbox ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
UPDATE a2a_inbox SET size = length(body);
UPDATE a2a_tasks SET bytes = length(task) + coalesce(length(artifacts),
  0) + length(turn) + coalesce(length(checkpoint), 0) + coalesce((
    SELECT sum(length(body)) FROM a2a_entries
    WHERE task_id = a2a_tasks.id AND (generation, nth) > (a2a_tasks.task_generation,
      a2a_tasks.task_nth)
  ), 0) + coalesce((SELECT sum(size) FROM a2a_inbox WHERE task_id = a2a_tasks.id), 0);
`;

/** Upgrades tables of version 2 to version 3. */
const fromSecond = `
ALTER TABLE a2a_tasks ADD COLUMN turn_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE a2a_tasks ADD COLUMN checkpoint_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE a2a_tasks SET turn_bytes = length(turn), checkpoint_bytes = coalesce(length(checkpoint), 0);
CREATE TABLE a2a_texts (
  task_id TEXT NOT NULL,
  kind INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (task_id, kind)
) WITHOUT ROWID;
INSERT INTO a2a_texts SELECT id, 0, task FROM a2a_tasks;
INSERT INTO a2a_texts SELECT id, 1, artifacts FROM a2a_tasks WHERE artifacts IS NOT NULL;
INSERT INTO a2a_texts SELECT id, 2, turn FROM a2a_tasks;
INSERT INTO a2a_texts SELECT id, 3, checkpoint FROM a2a_tasks WHERE checkpoint IS NOT NULL;
ALTER TABLE a2a_tasks DROP COLUMN task;
ALTER TABLE a2a_tasks DROP COLUMN artifacts;
ALTER TABLE a2a_tasks DROP COLUMN turn;
ALTER TABLE a2a_tasks DROP COLUMN checkpoint;
`;

/** Upgrades tables of version 3 to this version. */
const fromThird = `${posted}UPDATE a2a_version SET version = ${String(schemaVersion)};
`;

/** Oldest supported version of SQLite. */
const oldest = { major: 3, minor: 35 };

/**
 * Checks the version of SQLite.
 * @throws An `Error` if the version is too old.
 */
export function checkEngine(connection: Connection): void {
  const { version = "" } =
    connection.query<{ version: string }>("SELECT sqlite_version() AS version").get() ?? {};
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < oldest.major || (major === oldest.major && minor < oldest.minor))
    throw new Error(
      `The store requires SQLite ${String(oldest.major)}.${String(oldest.minor)} or later, but ` +
        `the installed version is ${version}`,
    );
}

/**
 * Creates or upgrades the tables of a store.
 * @throws An `Error` if a later version has created the tables.
 */
export function migrate(connection: Connection): void {
  if (versionOf(connection) === schemaVersion) return;
  connection.transaction(() => {
    // Read the version again in the transaction, because another process may have created the
    // tables in the meantime.
    const version = versionOf(connection);
    if (version === 1) connection.exec(fromFirst);
    if (version === 1 || version === 2) connection.exec(fromSecond);
    if (version !== undefined && version < schemaVersion) connection.exec(fromThird);
    if (version === undefined) connection.exec(sqliteSchema());
  });
}

/**
 * Returns the version of the tables, or `undefined` if they do not exist.
 * @throws An `Error` if the tables are of a later version.
 */
function versionOf(connection: Connection): number | undefined {
  const table = connection
    .query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'a2a_version'")
    .get();
  if (table === undefined) return undefined;
  const { version } =
    connection.query<{ readonly version: number }>("SELECT version FROM a2a_version").get() ?? {};
  if (version !== undefined && version > schemaVersion)
    throw new Error(
      `The tables have version ${String(version)}, but this store supports version ` +
        `${String(schemaVersion)}: update the store`,
    );
  return version;
}
