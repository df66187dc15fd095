import { execFile } from "node:child_process";
import { copyFileSync, existsSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { TaskStore } from "../../../../library/kit/store.js";
import { completed, working } from "../../../../library/kit/turns/updates.js";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { redisStore } from "../../../../library/stores/redis.js";
import { shardedStore } from "../../../../library/stores/sharded.js";
import { sqliteStore } from "../../../../library/stores/sqlite.js";
import { kitAgent, message } from "../../../support/kit.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { noRedis } from "../../../support/redis.js";
import { RedisCluster, slotOf } from "../../../support/redis-cluster.js";
import { atOnce, scopeIn } from "../../../support/sharding.js";
import { Databases, sqliteLibrary } from "../../../support/sqlite.js";

/** An owner whose tasks are in the second of two stores, which moves. */
const { owner } = scopeIn(1, 2);
const scope = { tenant: "", owner };

/** Processes of an agent before and after a move, with the turns that they have begun. */
class Processes {
  readonly turns: string[] = [];

  /**
   * Starts a process on two stores. Its turns set a checkpoint.
   * @param waits Whether its turns wait until the process ends.
   */
  start(one: TaskStore, two: TaskStore, waits = false) {
    const { turns } = this;
    const store = shardedStore([
      { name: "one", store: one },
      { name: "two", store: two },
    ]);
    const agent = kitAgent<number>({
      store,
      owner: (user) => user,
      async *run(turn) {
        turns.push(`${waits ? "before" : "after"} ${String(turn.state ?? "new")}`);
        await turn.checkpoint(7);
        yield working();
        if (waits) await new Promise(() => undefined);
        return completed("Done");
      },
    });
    const stop = async () => {
      await agent.close();
      store.close();
    };
    return { agent, store, stop };
  }

  /** Starts a process, whose turn is interrupted by its end. Returns the id of the task. */
  async interrupt(one: TaskStore, two: TaskStore): Promise<string> {
    const { agent, store, stop } = this.start(one, two, true);
    const { id } = await agent.send({ ...message("work"), ...atOnce }, owner);
    await vi.waitFor(async () =>
      expect((await store.read(scope, id))?.task.status.state).toBe("TASK_STATE_WORKING"),
    );
    await stop();
    return id;
  }

  /** Starts a process, which must complete an interrupted task from its checkpoint. */
  async complete(id: string, one: TaskStore, two: TaskStore): Promise<void> {
    const { agent, stop } = this.start(one, two);
    onTestFinished(stop);
    await vi.waitFor(async () =>
      expect((await agent.get(id, owner)).status.state).toBe("TASK_STATE_COMPLETED"),
    );
    expect(this.turns).toEqual(["before new", "after 7"]);
  }

  /** Starts a process, whose calls must be rejected with a text in the error. */
  async refuse(text: string, one: TaskStore, two: TaskStore): Promise<void> {
    const { store, stop } = this.start(one, two);
    await expect(store.read(scope, "a")).rejects.toThrow(text);
    await stop();
  }
}

/** Part of the error if the second database is not the database that was moved. */
const notMoved = "The store two is not the database that held the shards 8-15 so far";

describe.skipIf(noPostgres !== undefined)(
  `a Postgres database that moves to another server${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    const servers = { old: new PostgresServer(), new: new PostgresServer() };
    beforeAll(() => Promise.all([servers.old.start(), servers.new.start()]));
    afterAll(() => Promise.all([servers.old.stop(), servers.new.stop()]));

    it("the tasks of a moved database continue, and a process with the old connection fails", async () => {
      for (const name of ["one", "two"]) await servers.old.sql(`CREATE DATABASE ${name}`);
      const one = () => postgresStore(servers.old.pool("test", "one"));
      const two = (server: PostgresServer) => postgresStore(server.pool("test", "two"));
      const processes = new Processes();
      const id = await processes.interrupt(one(), two(servers.old));

      const admin = servers.old.pool();
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'two'",
      );
      await admin.query("ALTER DATABASE two RENAME TO two_moved");
      await servers.new.sql("CREATE DATABASE two");
      await processes.refuse(notMoved, one(), two(servers.new));
      const fresh = servers.new.pool("test", "two");
      await fresh.query("DROP SCHEMA a2a CASCADE");
      servers.new.restore("two", servers.old.dump("two_moved"));

      await processes.complete(id, one(), two(servers.new));
      await processes.refuse('database "two" does not exist', one(), two(servers.old));
    });

    it("the tasks of a database continue on a standby server that was promoted", async () => {
      const primary = new PostgresServer();
      const standby = new PostgresServer();
      onTestFinished(async () => {
        await standby.stop();
        await primary.stop();
      });
      await primary.start();
      for (const name of ["one", "two"]) await primary.sql(`CREATE DATABASE ${name}`);
      const one = () => postgresStore(primary.pool("test", "one"));
      const two = (server: PostgresServer) => postgresStore(server.pool("test", "two"));
      await standby.startAsStandby(primary, "new");
      const processes = new Processes();
      const id = await processes.interrupt(one(), two(primary));

      await vi.waitFor(async () => {
        const { rows } = await primary.sql(
          "SELECT replay_lsn = pg_current_wal_lsn() AS is_complete FROM pg_stat_replication",
        );
        expect(rows).toEqual([{ is_complete: true }]);
      });
      await standby.promote();
      const admin = primary.pool();
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'two'",
      );
      await admin.query("ALTER DATABASE two RENAME TO two_moved");
      await processes.refuse('database "two" does not exist', one(), two(primary));
      await processes.complete(id, one(), two(standby));
    });
  },
);

describe.skipIf(noRedis !== undefined)(
  `a prefix that moves to another primary of a Redis Cluster${noRedis === undefined ? "" : ` (skipped: ${noRedis})`}`,
  () => {
    it("the tasks of a prefix continue after redis-cli has moved its slot, with the same configuration", async () => {
      const cluster = new RedisCluster();
      onTestFinished(() => cluster.stop());
      await cluster.start();
      const client = cluster.io();
      const [one, two] = [
        () => redisStore(client, { prefix: "a2a42" }),
        () => redisStore(client, { prefix: "a2a1" }),
      ];
      const processes = new Processes();
      const id = await processes.interrupt(one(), two());

      const slot = String(slotOf("a2a1"));
      const from = cluster.servers[cluster.serverOf("a2a1")];
      const to = cluster.servers[cluster.serverOf("a2a41")];
      if (from === undefined || to === undefined) throw new Error("no server");
      const ids = await Promise.all(
        [from, to].map(async (server) => String(await server.io().call("CLUSTER", "MYID"))),
      );
      const [fromId = "", toId = ""] = ids;
      const keysBefore = await from.io().dbsize();
      expect(keysBefore).toBeGreaterThan(0);
      const cli = (...given: readonly string[]) => promisify(execFile)("redis-cli", given);
      await cli("-p", String(to.port), "CLUSTER", "SETSLOT", slot, "IMPORTING", fromId);
      await cli("-p", String(from.port), "CLUSTER", "SETSLOT", slot, "MIGRATING", toId);
      await cli("--cluster", "fix", `127.0.0.1:${String(to.port)}`);
      expect([await from.io().dbsize(), await to.io().dbsize()]).toEqual([0, keysBefore]);

      await processes.complete(id, one(), two());
    });
  },
);

const { missing } = sqliteLibrary;

describe.skipIf(missing !== undefined)(
  `a SQLite database that moves to another path${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    const databases = new Databases();
    afterAll(() => {
      databases.remove();
    });
    const open = (path: string) => sqliteStore(databases.open(path));

    it("the tasks of a copied file continue, and a copy without the WAL file is refused", async () => {
      const [one, two, moved, incomplete] = [1, 2, 3, 4].map(() => databases.path());
      if (!one || !two || !moved || !incomplete) throw new Error("no paths");
      const processes = new Processes();
      // The connection stays open, so that the file is not complete without its WAL file, as after
      // a crash.
      const id = await processes.interrupt(open(one), open(two));
      expect(existsSync(`${two}-wal`)).toBe(true);

      copyFileSync(two, incomplete);
      await processes.refuse(notMoved, open(one), open(incomplete));
      copyFileSync(two, moved);
      copyFileSync(`${two}-wal`, `${moved}-wal`);
      await processes.complete(id, open(one), open(moved));
    });
  },
);
