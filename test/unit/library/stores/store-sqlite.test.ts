import { afterAll, describe, expect, it, vi } from "vitest";
import { type SqliteStore, sqliteStore } from "../../../../library/stores/sqlite.js";
import {
  Bench,
  chunkEntry,
  statusEntry,
  statusOf,
  working,
} from "../../../../library/stores/testing/contract/bench.js";
import type { TaskStore } from "../../../../library/kit/store.js";
import {
  type DamageTarget,
  storeContract,
} from "../../../../library/stores/testing/store-contract.js";
import { applyEntries } from "../../../../library/kit/log/fold.js";
import { TaskState } from "../../../../generated/1.1-draft/models.js";
import { Databases, type SqliteLibrary, sqliteLibraries } from "../../../support/sqlite.js";
import { encryptionOf, testEncryption } from "../../../support/sealed-store.js";
import { patienceMs } from "../../../support/time-limit.js";
import { twoStores } from "../../../support/two-stores.js";

for (const library of sqliteLibraries) {
  const { name, missing } = library;
  const words = missing === undefined ? name : `${name} (skipped: ${missing})`;
  describe.skipIf(missing !== undefined)(`sqliteStore on ${words}`, () => {
    storeTests(library);
  });
}

function storeTests(library: SqliteLibrary) {
  const databases = new Databases(library);
  afterAll(() => {
    databases.remove();
  });
  // These tests do not cover power failures, and syncs would take most of the time.
  const open = (path = databases.path()): SqliteStore =>
    sqliteStore(databases.open(path), { durable: false, pollMs: 2 });

  const opened: SqliteStore[] = [];
  const close = () => {
    for (const store of opened.splice(0)) store.close();
  };
  const kept = (store: SqliteStore) => {
    opened.push(store);
    return store;
  };
  const pathOf = new WeakMap<TaskStore, string>();
  const damage = (store: TaskStore, { taskId, webhookId = "" }: DamageTarget, text: string) => {
    const database = databases.open(pathOf.get(store) ?? "");
    if (webhookId === "")
      database
        .prepare("UPDATE a2a_texts SET body = ? WHERE kind = 0 AND task_id = ?")
        .run(text, taskId);
    else
      database
        .prepare("UPDATE a2a_webhooks SET body = ? WHERE task_id = ? AND id = ?")
        .run(text, taskId, webhookId);
  };
  const openNew = () => {
    const path = databases.path();
    const store = kept(open(path));
    pathOf.set(store, path);
    return store;
  };
  storeContract({ describe, it }, openNew, { close, damage, timeoutMs: patienceMs });

  describe("in two processes", () => {
    twoStores(() => {
      const path = databases.path();
      return Promise.resolve({ one: kept(open(path)), other: kept(open(path)), close });
    });
  });

  it("sqliteStore encrypts the content of tasks if it gets an encryption", async () => {
    const path = databases.path();
    await testEncryption(
      (encryption) =>
        kept(
          sqliteStore(databases.open(path), { durable: false, ...(encryption && { encryption }) }),
        ),
      () => {
        const database = databases.open(path);
        const tables = ["a2a_tasks", "a2a_texts", "a2a_entries", "a2a_inbox", "a2a_webhooks"];
        return JSON.stringify(
          tables.map((table) => database.prepare(`SELECT * FROM ${table}`).all()),
        );
      },
    );
    close();
  });

  it("sqliteStore does not read the encrypted texts of another task, even if their rows are copied", async () => {
    const path = databases.path();
    const bench = new Bench(
      kept(sqliteStore(databases.open(path), { durable: false, encryption: encryptionOf("one") })),
      10_000,
      undefined,
    );
    const [victim, own] = [
      await bench.open({ metadata: { secret: "of a user" } }),
      await bench.open(),
    ];
    expect((await bench.store.read(bench.scope, victim.id))?.task.metadata).toEqual({
      secret: "of a user",
    });
    const copy =
      "UPDATE a2a_texts SET body = (SELECT body FROM a2a_texts WHERE kind = 0 AND task_id = ?) WHERE kind = 0 AND task_id = ?";
    databases.open(path).prepare(copy).run(victim.id, own.id);
    await expect(bench.store.read(bench.scope, own.id)).rejects.toThrow("cannot be read");
    close();
  });

  it.each([1, 2])("sqliteStore upgrades tables of version %d", async (version) => {
    const path = databases.path();
    const bench = new Bench(open(path), 10_000, undefined);
    const artifacts = [{ artifactId: "a", parts: [{ text: "b" }] }];
    const { id, task, lease } = await bench.open({ artifacts }, { checkpoint: { kept: true } });
    await bench.store.post(bench.scope, id, bench.item("hello"), bench.claim);
    await bench.store.append(lease, [working(task, 2)]);
    const before = await bench.store.read(bench.scope, id);
    const database = databases.open(path);
    const columns = ["task", "artifacts", "turn", "checkpoint"];
    for (const [kind, column] of columns.entries())
      database.exec(`ALTER TABLE a2a_tasks ADD COLUMN ${column} TEXT;
        UPDATE a2a_tasks SET ${column} = (SELECT body FROM a2a_texts WHERE task_id = id AND kind = ${String(kind)})`);
    database.exec(`ALTER TABLE a2a_tasks DROP COLUMN turn_bytes; ALTER TABLE a2a_tasks DROP COLUMN checkpoint_bytes;
      DROP TABLE a2a_texts; UPDATE a2a_version SET version = ${String(version)}`);
    if (version === 1)
      database.exec(
        "ALTER TABLE a2a_tasks DROP COLUMN bytes; ALTER TABLE a2a_inbox DROP COLUMN size",
      );
    const other = open(path);
    expect(await other.read(bench.scope, id)).toEqual(before);
    await other.append(lease, [working(task, 3)]);
  });

  it("sqliteStore keeps tasks in the file", async () => {
    const path = databases.path();
    const bench = new Bench(open(path), 10_000, undefined);
    const { id, task, lease } = await bench.open();
    const entries = Array.from({ length: 600 }, (_, at) =>
      chunkEntry(task, at + 2, { artifactId: "a", parts: [{ text: String(at) }] }, at > 0),
    );
    await bench.store.append(lease, entries);
    // The first of these brings the snapshot up to date.
    for (let reads = 0; reads < 3; reads += 1)
      expect((await open(path).read(bench.scope, id))?.task).toEqual(applyEntries(task, entries));
    await bench.store.append(lease, [statusEntry(task, 602, statusOf(TaskState.Completed))]);
    const stored = await open(path).read(bench.scope, id);
    expect([stored?.task.status.state, stored?.task.artifacts]).toEqual([
      "TASK_STATE_COMPLETED",
      [...(applyEntries(task, entries).artifacts ?? [])],
    ]);
  });

  it("sqliteStore rolls back a failed write and continues with the other writes of its transaction", async () => {
    const bench = new Bench(open(), 10_000, undefined);
    const { task } = await bench.open();
    const others = [bench.task(), bench.task()];
    const outcomes = await Promise.allSettled(
      [others[0] ?? task, task, others[1] ?? task].map((each) =>
        bench.store.create(each, bench.options()),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await bench.store.list(bench.scope, { limit: 10 })).total).toBe(3);
  });

  it("sqliteStore waits for a transaction of another process without blocking its own process", async () => {
    const path = databases.path();
    const bench = new Bench(open(path), 10_000, undefined);
    const other = databases.open(path);
    other.exec("BEGIN IMMEDIATE");
    let isCreated = false;
    const created = bench.open().then(() => (isCreated = true));
    // Timers come while the other process writes, and reads are answered.
    for (let turns = 0; turns < 3; turns += 1)
      await new Promise((resolve) => setTimeout(resolve, 0));
    expect(await bench.store.read(bench.scope, "nobody")).toBe(undefined);
    expect(isCreated).toBe(false);
    other.exec("COMMIT");
    await created;
  });

  it("sqliteStore rejects a write if another process locks the database for longer than the write may wait", async () => {
    const path = databases.path();
    const bench = new Bench(
      kept(sqliteStore(databases.open(path), { busyMs: 10 })),
      10_000,
      undefined,
    );
    const other = databases.open(path);
    other.exec("BEGIN IMMEDIATE");
    await expect(bench.open()).rejects.toThrow(/locked/);
    other.exec("ROLLBACK");
    await bench.open();
  });

  it("sqliteStore ends a long transaction and does the other writes in later transactions", async () => {
    const database = databases.open();
    const statements: string[] = [];
    const watched = {
      exec: (sql: string) => {
        statements.push(sql);
        database.exec(sql);
      },
      prepare: (sql: string) => database.prepare(sql),
    };
    const bench = new Bench(kept(sqliteStore(watched, { durable: false })), 10_000, undefined);
    await bench.open();
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 15));
    statements.length = 0;
    await Promise.all(Array.from({ length: 6 }, () => bench.open()));
    clock.mockRestore();
    expect(statements.filter((sql) => sql === "COMMIT")).toHaveLength(3);
  });

  it("sqliteStore refuses tables of a later version", () => {
    const path = databases.path();
    open(path);
    databases.open(path).exec("UPDATE a2a_version SET version = 1000");
    expect(() => open(path)).toThrow(
      /The tables have version 1000, but this store supports version 4: update the store/,
    );
  });

  it("sqliteStore rejects with the error of the database if it cannot be used", async () => {
    const database = databases.open();
    const bench = new Bench(sqliteStore(database), 10_000, undefined);
    const watch = bench.store.watch(bench.scope, "nobody", 1);
    database.exec("DROP TABLE a2a_entries; DROP TABLE a2a_tasks");
    await expect(bench.rest()).rejects.toThrow(/no such table/);
    await expect(bench.store.read(bench.scope, "nobody")).rejects.toThrow(/no such table/);
    await expect(watch.next()).rejects.toThrow(/no such table/);
    watch.close();
  });
}
