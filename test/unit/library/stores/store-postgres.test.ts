import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  type PostgresStore,
  type PostgresStoreOptions,
  postgresStore,
} from "../../../../library/stores/postgres.js";
import { schemaVersion } from "../../../../library/stores/postgres/schema.js";
import { TaskState } from "../../../../generated/1.1-draft/models.js";
import {
  Bench,
  statusEntry,
  statusOf,
  working,
  workingUntil,
} from "../../../../library/stores/testing/contract/bench.js";
import { type TaskStore, UnreadableTaskError } from "../../../../library/kit/store.js";
import {
  type DamageTarget,
  storeContract,
} from "../../../../library/stores/testing/store-contract.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { resultsOfAppends } from "../../../support/short-appends.js";
import { encryptionOf, testEncryption } from "../../../support/sealed-store.js";
import { patienceMs } from "../../../support/time-limit.js";
import { twoStores } from "../../../support/two-stores.js";

describe.skipIf(noPostgres !== undefined)(
  `postgresStore${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    const server = new PostgresServer();
    beforeAll(() => server.start());
    afterAll(() => server.stop());

    const opened: PostgresStore[] = [];
    let schemas = 0;
    const newSchema = () => {
      schemas += 1;
      return `s${String(schemas)}`;
    };
    let pools: ReturnType<PostgresServer["pool"]>[] = [];
    beforeAll(() => {
      pools = [server.pool(), server.pool()];
    });
    const open = (options: PostgresStoreOptions, at = 0): PostgresStore => {
      const pool = pools[at];
      if (pool === undefined) throw new Error("no pool");
      const store = postgresStore(pool, options);
      opened.push(store);
      return store;
    };
    const close = () => {
      for (const store of opened.splice(0)) store.close();
    };

    const schemaOf = new WeakMap<TaskStore, string>();
    const damage = async (store: TaskStore, { taskId, webhookId }: DamageTarget, text: string) => {
      const schema = schemaOf.get(store) ?? "";
      const sql =
        webhookId === undefined
          ? `UPDATE ${schema}.tasks SET task = $2 WHERE id = $1`
          : `UPDATE ${schema}.webhooks SET body = $2 WHERE task_id = $1 AND id = $3`;
      await pools[1]?.query(sql, [taskId, text, ...(webhookId === undefined ? [] : [webhookId])]);
    };
    const openNew = (options: PostgresStoreOptions = {}): PostgresStore => {
      const schema = newSchema();
      const store = open({ ...options, schema });
      schemaOf.set(store, schema);
      return store;
    };
    storeContract({ describe, it }, () => openNew(), { close, damage, timeoutMs: patienceMs });

    for (const [how, options] of [
      ["with notifications", { pollMs: 600_000 }],
      ["without", { listen: false, pollMs: 10 }],
    ] as const)
      describe(`in two processes, ${how}`, () => {
        twoStores(() => {
          const schema = newSchema();
          return Promise.resolve({
            one: open({ schema, ...options }),
            other: open({ schema, ...options }, 1),
            close,
          });
        });
      });

    it("a watch continues after the listening connection is lost", async () => {
      const schema = newSchema();
      const bench = new Bench(open({ schema, pollMs: 600_000 }), 20_000, undefined);
      const { id, task, lease } = await bench.open();
      const other = open({ schema, listen: false }, 1);
      const watch = bench.store.watch(bench.scope, id, 1);
      for (let at = 2; at < 6; at += 1) {
        const next = bench.nextOf(watch);
        await bench.eventually("the end of the connection", async () => {
          const { rows } = await server.sql(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN ${schema};%'`,
          );
          return rows.length > 0 ? true : undefined;
        });
        await other.append(lease, [working(task, at)]);
        expect(await next).toEqual([working(task, at)]);
      }
      watch.close();
    });

    it("a watch finds by polling what a process has appended without a notification", async () => {
      const schema = newSchema();
      const bench = new Bench(open({ schema, pollMs: 20 }), 20_000, undefined);
      const { id, task, lease } = await bench.open();
      const [, pool] = pools;
      if (pool === undefined) throw new Error("no pool");
      const silent = postgresStore(
        {
          connect: () => pool.connect(),
          query: (text, values) =>
            text.includes("pg_notify")
              ? Promise.reject(new Error("cut"))
              : pool.query(text, values),
        },
        { schema, listen: false },
      );
      opened.push(silent);
      const watch = bench.store.watch(bench.scope, id, 1);
      const next = bench.nextOf(watch);
      await silent.append(lease, [working(task, 2)]);
      expect(await next).toEqual([working(task, 2)]);
      watch.close();
    });

    it("a watch reads appended entries of another process once, and does not read entries of its own process", async () => {
      const schema = newSchema();
      let reads = 0;
      const pool = server.pool();
      const counting = {
        connect: () => pool.connect(),
        query: (text: string, values?: unknown[]) => {
          if (text.includes(`${schema}.entries`)) reads += 1;
          return pool.query(text, values);
        },
      };
      const store = postgresStore(counting, { schema, pollMs: 600_000 });
      onTestFinished(() => {
        store.close();
      });
      const bench = new Bench(open({ schema, listen: false }, 1), 20_000, undefined);
      const { id, task, lease } = await bench.open();
      const watch = store.watch(bench.scope, id, 1);
      let at = 1;
      // The watch must poll until the connection listens.
      await bench.eventually("a read for each event", async () => {
        const before = reads;
        for (const by of [bench.store, store, bench.store, store, bench.store]) {
          const next = bench.nextOf(watch);
          await by.append(lease, [working(task, (at += 1))]);
          expect(await next).toEqual([working(task, at)]);
        }
        return reads - before === 3 ? true : undefined;
      });
    });

    it("appends notify another process as long as it watches the task, and not before", async () => {
      const schema = newSchema();
      const pool = server.pool();
      // The changes of which processes are notified, except for echoes and the creations of tasks.
      const notified: string[] = [];
      const counting = {
        connect: () => pool.connect(),
        query: (text: string, values?: unknown[]) => {
          const changes = text.includes("pg_notify") ? (values?.[1] as readonly string[]) : [];
          notified.push(...changes.filter((change) => !/^(?:g 1-0|e) /.test(change)));
          return pool.query(text, values);
        },
      };
      const store = postgresStore(counting, { schema, pollMs: 600_000 });
      opened.push(store);
      onTestFinished(close);
      const bench = new Bench(store, 20_000, undefined);
      const claim = { ...bench.claim, onPost: () => undefined };
      const { id, task, lease } = await bench.open({}, { claim });
      const { task: otherTask, lease: otherLease } = await bench.open({}, { claim });
      const own = store.watch(bench.scope, id, 1);
      void own.next();
      let at = 1;
      for (const count of [1, 2, 1]) {
        const entries = workingUntil(task, at + 1, at + count);
        await store.append(lease, entries, { ttlMs: bench.claim.ttlMs });
        at += count;
      }
      expect(notified).toEqual([]);
      const watch = open({ schema, pollMs: 600_000 }, 1).watch(bench.scope, id, at);
      // An append notifies the watch as soon as its process has asked for that.
      await bench.eventually("a notification", async () => {
        const next = bench.nextOf(watch);
        await store.append(lease, [working(task, (at += 1))]);
        expect(await next).toEqual([working(task, at)]);
        return notified.length > 0 ? true : undefined;
      });
      await store.append(otherLease, [working(otherTask, 2)]);
      expect(notified.filter((change) => change.endsWith(otherTask.id))).toEqual([]);
      for (const each of [own, watch]) each.close();
    });

    it("a process of the previous release continues to append after the tables were updated", async () => {
      const schema = newSchema();
      const bench = new Bench(open({ schema }), 20_000, undefined);
      const { id, task, lease } = await bench.open();
      await downgrade(schema, 9);
      await server.sql(`CREATE FUNCTION ${schema}.append_event(
          of_id text, by_holder text, by_epoch bigint, ttl float8, has_seen bigint,
          new_generation int, new_kind int, new_body text, new_state text, new_time float8
        ) RETURNS text LANGUAGE plpgsql AS $$
        BEGIN
          RETURN (SELECT a FROM ${schema}.append(
            ARRAY[of_id], ARRAY[by_holder], ARRAY[by_epoch], '{false}', ARRAY[ttl],
            ARRAY[has_seen], '{NULL}', '{NULL}', ARRAY[new_state], ARRAY[new_time],
            ARRAY[CASE WHEN new_state IS NOT NULL THEN new_generation END], '{false}', '{false}',
            '{1}', '{true}', '{1}', ARRAY[new_generation], '{0}', ARRAY[new_kind], '{NULL}',
            ARRAY[new_body], '{0}', '{}'
          ) a);
        END $$`);
      const updated = open({ schema });
      expect((await updated.read(bench.scope, id))?.task.id).toBe(id);
      const body = JSON.stringify(working(task, 2));
      const { rows } = (await pools[0]?.query(
        `SELECT ${schema}.append_event($1, $2, $3, NULL, NULL, 2, 0, $4, NULL, NULL) AS result`,
        [id, lease.holder, lease.epoch, body],
      )) ?? { rows: [] };
      const [{ result = "" } = {}] = rows as { readonly result?: string }[];
      expect(JSON.parse(result)).toMatchObject({ outcome: "appended", count: 1 });
      await updated.append(lease, [working(task, 3)]);
      expect((await updated.read(bench.scope, id))?.generation).toBe(3);
    });

    it.each(["create_task", "post", "expired"])(
      "a process that loses the response of %s still gets the lease that it acquired",
      async (name) => {
        let isCut = false;
        const [schema, pool] = [newSchema(), server.pool()];
        const query = async (text: string, values?: unknown[]) => {
          const result = await pool.query(text, values);
          if (!isCut || !/^SELECT (?:\* FROM )?\w+\.(\w+)\(/.exec(text)?.includes(name))
            return result;
          isCut = false;
          throw new Error("Connection terminated unexpectedly");
        };
        const store = postgresStore(
          { query, connect: () => pool.connect() },
          { schema, listen: false },
        );
        onTestFinished(() => {
          store.close();
        });
        const bench = new Bench(store, 20_000, undefined);
        const { scope, claim } = bench;
        const task = name === "post" ? await bench.rest() : bench.task();
        if (name === "expired")
          await store.create(task, bench.options({ claim: { ...claim, ttlMs: 1 } }));
        await bench.pass(2);
        isCut = true;
        const calls: Record<string, () => Promise<unknown>> = {
          create_task: () => store.create(task, bench.options({ claim })),
          post: () => store.post(scope, task.id, bench.item("hello"), claim),
          expired: () => store.claimExpired(claim, 10),
        };
        await expect(calls[name]?.()).rejects.toThrow("terminated");
        const other = open({ schema, listen: false }, 1);
        expect((await other.claimExpired({ ...claim, holder: "process-2" }, 10)).rows).toEqual([]);
        const [found] = (await store.claimExpired(claim, 1)).rows;
        expect([found?.lease.id, found?.stored.inbox.length]).toEqual([
          task.id,
          name === "post" ? 1 : 0,
        ]);
        expect((await store.claimExpired(claim, 10)).rows).toEqual([]);
        if (found !== undefined)
          await store.append(found.lease, [working(task, 2)], { release: true });
      },
    );

    it("postgresStore encrypts the content of tasks if it gets an encryption", async () => {
      const schema = newSchema();
      await testEncryption(
        (encryption) => open({ schema, ...(encryption && { encryption }) }),
        async () => {
          const dumps = ["tasks", "heads", "entries", "inbox", "webhooks"].map((table) =>
            server.sql(`SELECT row_to_json(t) FROM ${schema}.${table} t`),
          );
          return JSON.stringify((await Promise.all(dumps)).map(({ rows }): unknown => rows));
        },
      );
    });

    it("postgresStore does not read the encrypted texts of another task, even if its row is copied", async () => {
      const schema = newSchema();
      const bench = new Bench(open({ schema, encryption: encryptionOf("one") }), 10_000, undefined);
      const [victim, own] = [
        await bench.open({ metadata: { secret: "of a user" } }),
        await bench.open(),
      ];
      expect((await bench.store.read(bench.scope, victim.id))?.task.metadata).toEqual({
        secret: "of a user",
      });
      await server.sql(
        `UPDATE ${schema}.tasks SET task = (SELECT task FROM ${schema}.tasks WHERE id = '${victim.id}') WHERE id = '${own.id}'`,
      );
      await expect(bench.store.read(bench.scope, own.id)).rejects.toThrow(UnreadableTaskError);
    });

    it("postgresStore does not read a snapshot whose id is not the id of its row", async () => {
      const schema = newSchema();
      const bench = new Bench(open({ schema }), 10_000, undefined);
      const [victim, own] = [await bench.open(), await bench.open()];
      await server.sql(
        `UPDATE ${schema}.tasks SET task = (SELECT task FROM ${schema}.tasks WHERE id = '${victim.id}') WHERE id = '${own.id}'`,
      );
      await expect(bench.store.read(bench.scope, own.id)).rejects.toThrow(UnreadableTaskError);
    });

    /** Turns the tables of a schema into the tables of an earlier version. */
    const downgrade = async (schema: string, version: number) => {
      const [tasks, heads] = [`${schema}.tasks`, `${schema}.heads`];
      await server.sql(`DROP FUNCTION ${schema}.append_one;
        ALTER TABLE ${heads} DROP COLUMN watched_until`);
      if (version >= 5) {
        await server.sql(`UPDATE ${schema}.version SET version = ${String(version)}`);
        return;
      }
      await server.sql(
        `DROP INDEX ${schema}.tasks_list, ${schema}.tasks_context, ${schema}.tasks_state`,
      );
      if (version === 4) {
        // Only the heads of moving tasks have the status.
        await server.sql(`ALTER TABLE ${heads} DROP COLUMN listed_time;
          UPDATE ${tasks} SET state = 'TASK_STATE_SUBMITTED', status_time = 0 WHERE moving;
          CREATE INDEX tasks_list ON ${tasks} (tenant, owner, status_time, id) WHERE NOT moving;
          CREATE INDEX tasks_moving ON ${tasks} (tenant, owner) WHERE moving;
          UPDATE ${schema}.version SET version = 4`);
        return;
      }
      await server.sql(`ALTER TABLE ${tasks} ADD generation int, ADD nth int, ADD task_generation int, ADD task_nth int,
          ADD holder text, ADD expires float8, ADD epoch bigint, ADD claim text COLLATE "C", ADD posts int, ADD bytes bigint;
        UPDATE ${tasks} t SET generation = h.generation, nth = h.nth, task_generation = h.task_generation,
          task_nth = h.task_nth, holder = h.holder, expires = h.expires, epoch = h.epoch, claim = h.claim,
          posts = h.posts, bytes = h.bytes, state = h.state, status_time = h.status_time FROM ${heads} h WHERE h.id = t.id;
        DROP TABLE ${heads};
        ALTER TABLE ${tasks} DROP COLUMN moving;
        CREATE INDEX tasks_list ON ${tasks} (tenant, owner, status_time, id);
        CREATE INDEX tasks_state ON ${tasks} (tenant, owner, state, status_time, id);
        CREATE INDEX tasks_leases ON ${tasks} (expires) WHERE expires IS NOT NULL;
        DROP FUNCTION ${schema}.stored, ${schema}.append;
        CREATE FUNCTION ${schema}.stored(of_id text, a boolean, b boolean) RETURNS text LANGUAGE sql AS 'SELECT NULL';
        UPDATE ${schema}.version SET version = ${String(version)}`);
      if (version > 1) return;
      const texts = [
        "tasks.task",
        "tasks.artifacts",
        "tasks.turn",
        "tasks.checkpoint",
        "entries.body",
        "inbox.body",
      ];
      for (const text of [...texts, "webhooks.body"]) {
        const [table = "", name = ""] = text.split(".");
        await server.sql(
          `ALTER TABLE ${schema}.${table} ALTER COLUMN ${name} TYPE json USING ${name}::json`,
        );
      }
      await server.sql(`ALTER TABLE ${tasks} DROP COLUMN bytes`);
    };

    it.each([1, 2, 3, 4, 5, 7, 9])(
      "postgresStore continues with the tables of version %d",
      async (version) => {
        const schema = newSchema();
        const bench = new Bench(open({ schema }), 20_000, undefined);
        const { store, scope, claim } = bench;
        const { id, task, lease } = await bench.open({}, { checkpoint: { step: 1 } });
        await store.putWebhook(scope, bench.webhook(id, "hook"));
        await store.append(lease, [working(task, 2)]);
        await store.post(scope, id, bench.item("hello"), claim);
        const { task: ended, lease: last } = await bench.open();
        await store.append(last, [statusEntry(ended, 2, statusOf(TaskState.Completed, 3))], {
          release: true,
        });
        const rest = await bench.rest();
        const all = async (by: TaskStore): Promise<unknown> => [
          await Promise.all([task, ended, rest].map((each) => by.read(scope, each.id))),
          await by.list(scope, { limit: 10 }),
          await by.list(scope, { limit: 1, state: TaskState.Working }),
          await by.usage(scope, true),
        ];
        const before = await all(store);
        await downgrade(schema, version);
        const other = open({ schema });
        expect(await all(other)).toEqual(before);
        expect(
          (await other.append(lease, [working(task, 3)], { release: true })).inbox,
        ).toHaveLength(1);
        expect((await other.claimWebhooks(claim, 5)).rows[0]?.events).toHaveLength(2);
        expect((await other.post(scope, rest.id, bench.item("hello"), claim))?.outcome).toBe(
          "leased",
        );
        expect(await other.deleteExpired({ maxCount: 0 })).toBe(1);
      },
    );

    it("processes that start at the same time create the tables once, and do not block each other", async () => {
      const starting = Array.from({ length: 4 }, () => server.pool());
      for (let round = 0; round < 10; round += 1) {
        const schema = newSchema();
        const work = async (pool: (typeof starting)[number], process: number) => {
          const bench = new Bench(
            postgresStore(pool, { schema, listen: false }),
            20_000,
            undefined,
          );
          const begin = async (count: number) => {
            const id = `task-${String(process)}-${String(count)}`;
            const { task, lease } = await bench.open({ id });
            for (const generation of [2, 3, 4]) {
              const state = generation % 2 === 0 ? TaskState.Working : TaskState.Submitted;
              const entry = statusEntry(task, generation, statusOf(state, generation));
              await bench.store.append(lease, [entry]);
            }
          };
          await Promise.all([0, 1, 2, 3, 4].map(begin));
        };
        await Promise.all(starting.map(work));
      }
    });

    it("an append of one event changes the same rows in Postgres as any other append", async () => {
      const results = (isLong: boolean): Promise<unknown> => {
        const schema = newSchema();
        const tables = ["tasks", "heads", "entries", "inbox", "webhooks"];
        return resultsOfAppends(open({ schema, listen: false }), isLong, async () => {
          const dumps = tables.map((table) =>
            server.sql(`SELECT to_jsonb(t) - '{expires,claim,ended_at,due_at,epoch}'::text[] AS row,
                (to_jsonb(t)->>'due_at') IS NOT NULL AS due,
                (to_jsonb(t)->>'expires')::float8 > (extract(epoch FROM now()) + 1000) * 1000 AS "isLongLease"
              FROM ${schema}.${table} t ORDER BY 1`),
          );
          return (await Promise.all(dumps)).map(({ rows }): unknown => rows);
        });
      };
      expect(await results(false)).toEqual(await results(true));
    });

    it("postgresStore does not wait for the disk if writes need not survive a power loss", async () => {
      for (const survivesPowerLoss of [true, false]) {
        const schema = newSchema();
        const bench = new Bench(open({ schema, survivesPowerLoss }), 20_000, undefined);
        const { id, task, lease } = await bench.open();
        // The trigger runs when the transaction commits.
        await server.sql(`CREATE TABLE ${schema}.seen (setting text);
          CREATE FUNCTION ${schema}.see() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO ${schema}.seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
          CREATE CONSTRAINT TRIGGER commits AFTER UPDATE ON ${schema}.heads DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION ${schema}.see()`);
        await bench.store.append(lease, [working(task, 2)]);
        await bench.store.post(bench.scope, id, bench.item("hello"), bench.claim);
        await bench.store.renew([lease], { ...bench.claim, ttlMs: 0 });
        await bench.store.claimExpired(bench.claim, 1);
        const { rows } = await server.sql(`SELECT setting FROM ${schema}.seen`);
        expect(rows).toEqual(
          Array.from({ length: 4 }, () => ({ setting: survivesPowerLoss ? "on" : "off" })),
        );
      }
    });

    it("postgresStore keeps strings that Postgres cannot store as text", async () => {
      const bench = new Bench(open({ schema: newSchema() }), 20_000, undefined);
      const metadata = { nul: "\u0000", half: "\ud800", big: 1e300, tiny: 5e-324 };
      const { id } = await bench.open({ metadata, contextId: "a\0" });
      expect((await bench.store.read(bench.scope, id))?.task.metadata).toEqual(metadata);
      expect(await bench.store.read(bench.scope, "a\0")).toBe(undefined);
      expect((await bench.store.list(bench.scope, { limit: 1, contextId: "a\0" })).total).toBe(1);
    });

    it("postgresStore compresses large texts with LZ4, if the server supports it", async () => {
      const schema = newSchema();
      await open({ schema }).deleteExpired({});
      const { rows } = await server.sql(
        `SELECT a.attrelid::regclass || '.' || a.attname AS name FROM pg_attribute a
         WHERE a.attrelid IN ('${schema}.tasks'::regclass, '${schema}.entries'::regclass, '${schema}.inbox'::regclass)
           AND to_jsonb(a)->>'attcompression' = 'l' ORDER BY 1`,
      );
      const { rows: supported } = await server.sql(
        "SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)",
      );
      const columns = [
        "entries.body",
        "inbox.body",
        "tasks.artifacts",
        "tasks.checkpoint",
        "tasks.task",
        "tasks.turn",
      ];
      expect(rows.map(({ name }: { name: string }) => name)).toEqual(
        supported.length > 0 ? columns.map((column) => `${schema}.${column}`) : [],
      );
    });

    it("postgresStore uses tables of a later release that allows its version, and leaves them unchanged", async () => {
      const schema = newSchema();
      const before = new Bench(open({ schema }), 20_000, undefined);
      const { id, task, lease } = await before.open();
      const later = schemaVersion + 1;
      const set = (oldest: number) =>
        server.sql(`UPDATE ${schema}.version SET version = ${later}, oldest = ${oldest}`);
      await set(schemaVersion);
      // A process that was already running, and a process that starts again.
      await before.store.append(lease, [working(task, 2)]);
      await open({ schema }).append(lease, [working(task, 3)]);
      expect((await before.store.read(before.scope, id))?.generation).toBe(3);
      const { rows } = await server.sql(`SELECT version, oldest FROM ${schema}.version`);
      expect(rows).toEqual([{ version: later, oldest: schemaVersion }]);
      await set(later);
      await expect(open({ schema }).deleteExpired({})).rejects.toThrow(
        `The schema ${schema} has version ${later}, but this store supports version ${schemaVersion}: update the store`,
      );
    });

    it("postgresStore refuses a schema of a later version and an invalid schema name", async () => {
      const schema = newSchema();
      await open({ schema }).deleteExpired({});
      await server.sql(`UPDATE ${schema}.version SET version = 1000, oldest = NULL`);
      const message = `The schema ${schema} has version 1000, but this store supports version ${schemaVersion}: update the store`;
      await expect(open({ schema }).deleteExpired({})).rejects.toThrow(message);
      expect(() => open({ schema: 'a"; DROP' })).toThrow("is not a valid schema name");
    });
  },
);
