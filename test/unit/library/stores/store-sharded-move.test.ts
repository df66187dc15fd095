import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { completed, working } from "../../../../library/kit/turns/updates.js";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { shardedStore } from "../../../../library/stores/sharded.js";
import { kitAgent, message } from "../../../support/kit.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { atOnce, scopeIn } from "../../../support/sharding.js";

describe.skipIf(noPostgres !== undefined)(
  `a Postgres database that moves to another server${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    const servers = { old: new PostgresServer(), new: new PostgresServer() };
    beforeAll(() => Promise.all([servers.old.start(), servers.new.start()]));
    afterAll(() => Promise.all([servers.old.stop(), servers.new.stop()]));

    it("the tasks of a moved database continue, and a process with the old connection fails", async () => {
      for (const name of ["one", "two"]) await servers.old.sql(`CREATE DATABASE ${name}`);
      const { owner } = scopeIn(1, 2);
      const scope = { tenant: "", owner };
      const turns: string[] = [];
      /** Starts a process of the agent. Its turn waits for the second process. */
      const begin = (second: ReturnType<PostgresServer["pool"]>, waits: boolean) => {
        const one = postgresStore(servers.old.pool("test", "one"));
        const store = shardedStore([
          { name: "one", store: one },
          { name: "two", store: postgresStore(second) },
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
        return { agent, store };
      };
      const before = begin(servers.old.pool("test", "two"), true);
      const { id } = await before.agent.send({ ...message("work"), ...atOnce }, owner);
      await vi.waitFor(async () =>
        expect((await before.store.read(scope, id))?.task.status.state).toBe("TASK_STATE_WORKING"),
      );
      await before.agent.close();
      before.store.close();

      const admin = servers.old.pool();
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'two'",
      );
      await admin.query("ALTER DATABASE two RENAME TO two_moved");
      await servers.new.sql("CREATE DATABASE two");
      const empty = begin(servers.new.pool("test", "two"), false);
      await expect(empty.store.read(scope, id)).rejects.toThrow(
        "The store two is not the database that held the shards 8-15 so far",
      );
      await empty.agent.close();
      empty.store.close();
      const fresh = servers.new.pool("test", "two");
      await fresh.query("DROP SCHEMA a2a CASCADE");
      servers.new.restore("two", servers.old.dump("two_moved"));

      const after = begin(servers.new.pool("test", "two"), false);
      onTestFinished(async () => {
        await after.agent.close();
        after.store.close();
      });
      await vi.waitFor(async () =>
        expect((await after.agent.get(id, owner)).status.state).toBe("TASK_STATE_COMPLETED"),
      );
      expect(turns).toEqual(["before new", "after 7"]);
      const late = begin(servers.old.pool("test", "two"), false);
      await expect(late.store.read(scope, id)).rejects.toThrow('database "two" does not exist');
      await late.agent.close();
      late.store.close();
    });
  },
);
