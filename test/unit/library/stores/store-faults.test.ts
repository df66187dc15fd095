import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { postgresStore, type PostgresPool } from "../../../../library/stores/postgres.js";
import { completed, working } from "../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../support/kit.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";

const atOnce = { ...message("work"), configuration: { returnImmediately: true } };
let schemas = 0;

/** An agent on a database, whose turns wait until the test opens their gate. */
function agentOn(pool: PostgresPool, options: { schema?: string; now?: () => number } = {}) {
  const { schema = `f${String((schemas += 1))}`, ...rest } = options;
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const store = postgresStore(pool, { schema });
  const agent = kitAgent({
    store,
    leaseMs: 60_000,
    ...rest,
    async *run({ resumed }) {
      if (resumed) return completed("Resumed");
      yield working("One");
      await gate;
      for (const text of ["Two", "Three"]) yield working(text);
      return completed("Done");
    },
  });
  onTestFinished(async () => {
    await agent.close();
    store.close();
  });
  return { agent, go, schema };
}

describe.skipIf(noPostgres !== undefined)(
  `an agent on Postgres${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    const server = new PostgresServer();
    beforeAll(() => server.start());
    afterAll(() => server.stop());

    /** How the engine may be out of order, and how that is mended. */
    const faults = {
      "is down": [() => server.down("crash"), () => server.up()],
      "is full": [
        (schema: string) =>
          server.sql(`CREATE FUNCTION ${schema}.full() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN RAISE 'No space left on device' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${schema}.heads EXECUTE FUNCTION ${schema}.full()`),
        (schema: string) => server.sql(`DROP TRIGGER full_disk ON ${schema}.heads`),
      ],
      "is read-only": [
        () => server.sql(`ALTER ROLE test SET default_transaction_read_only = on; ${endOthers}`),
        () =>
          server.sql(
            `SET default_transaction_read_only = off; ALTER ROLE test RESET ALL; ${endOthers}`,
          ),
      ],
    } as const;
    const endOthers =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'test' AND pid <> pg_backend_pid()";

    it.each(Object.entries(faults))(
      "an agent whose database %s continues after the fault",
      async (_, [fail, mend]) => {
        const { agent, go, schema } = agentOn(server.pool());
        const { id } = await agent.send(atOnce);
        await fail(schema);
        await expect(agent.send("other")).rejects.toThrow();
        go();
        await expect(agent.cancel(id)).rejects.toThrow();
        await mend(schema);
        await vi.waitFor(async () =>
          expect((await agent.get(id)).status.state).toBe("TASK_STATE_COMPLETED"),
        );
        const { history = [], status } = await agent.get(id);
        const said = [...history, status.message].map((each) => each?.parts[0]?.text);
        expect(said).toEqual(["work", "One", "Two", "Three", "Done"]);
        expect((await agent.send("other")).status.state).toBe("TASK_STATE_COMPLETED");
      },
    );

    it("an agent with a slow database responds late", async () => {
      const { agent, schema } = agentOn(server.pool());
      const { id } = await agent.send(atOnce);
      const locking = await server.pool().connect();
      onTestFinished(() => {
        locking.release(true);
      });
      await locking.query(`BEGIN; LOCK TABLE ${schema}.tasks`);
      const [found, sent] = [agent.get(id), agent.send(atOnce)];
      // Periodic work of an agent waits as well.
      await vi.waitFor(async () => {
        const { rows } = await server.sql(
          "SELECT query FROM pg_stat_activity WHERE wait_event = 'relation'",
        );
        const waiting = (rows as { query: string }[]).map(({ query }) => query).join("\n");
        expect(waiting).toContain(`${schema}.stored(`);
        expect(waiting).toContain(`${schema}.create_task(`);
      });
      await locking.query("COMMIT");
      expect((await Promise.all([found, sent])).length).toBe(2);
    });

    it("an agent that starts without its database uses it when it becomes available", async () => {
      await server.down();
      const { agent } = agentOn(server.pool());
      await expect(agent.send(atOnce)).rejects.toMatchObject({
        httpStatus: 503,
        retryAfterSeconds: 5,
      });
      expect(String(agent.errors)).toMatch(/ENOENT|ECONNREFUSED/);
      await server.up();
      const { id } = await agent.send(atOnce);
      expect((await agent.get(id)).id).toBe(id);
    });

    it("the error that is reported names a database that refuses the user", async () => {
      const { agent } = agentOn(server.pool("stranger"));
      await expect(agent.send(atOnce)).rejects.toThrow("The store of the agent is unavailable");
      expect(String(agent.errors)).toContain('role "stranger" does not exist');
    });

    it("an agent works in processes whose clocks are an hour apart", async () => {
      const hour = 3_600_000;
      const [pool, other] = [server.pool(), server.pool()];
      const { agent, go, schema } = agentOn(pool, { now: () => Date.now() - hour });
      const { id } = await agent.send(atOnce);
      const { agent: ahead } = agentOn(other, { schema, now: () => Date.now() + hour });
      const found = await ahead.send(atOnce);
      expect((await ahead.list()).totalSize).toBe(2);
      go();
      await vi.waitFor(async () =>
        expect((await ahead.get(id)).status.state).toBe("TASK_STATE_COMPLETED"),
      );
      expect((await ahead.get(id)).status.message?.parts[0]?.text).toBe("Done");
      expect((await agent.get(found.id)).status.state).not.toBe("TASK_STATE_COMPLETED");
    });
  },
);

it("the error for an old version of Postgres names the version", async () => {
  const pool = {
    query: () => Promise.resolve({ rows: [{ server_version_num: "110022" }] }),
  } as unknown as PostgresPool;
  const read = postgresStore(pool, { listen: false }).read({ tenant: "", owner: "" }, "t");
  await expect(read).rejects.toThrow(
    "The store requires Postgres 12 or later, but the server has version 11",
  );
});
