import { describe, expect, it, onTestFinished } from "vitest";
import { type PostgresStore, postgresStore } from "../../../../library/stores/postgres.js";
import { FailoverLoad } from "../../../support/failover-load.js";
import { blockOf } from "../../../support/page-blocks.js";
import { noPgBouncer, PgBouncer, keepsStatements } from "../../../support/pgbouncer.js";
import { noPostgres } from "../../../support/postgres.js";
import { PostgresReplicas } from "../../../support/postgres-replicas.js";

const callers = 40;

/** The settings of the page, as options of the command line. */
const pageSettings = blockOf("docs/postgres-replicas.md", "postgresql.conf").map((line) =>
  line.replace(" = ", "=").replaceAll("'", ""),
);

async function startReplicas(settings: readonly string[]) {
  const replicas = new PostgresReplicas(settings);
  onTestFinished(() => replicas.stop());
  await replicas.start();
  return replicas;
}

function startLoad(store: PostgresStore) {
  const load = new FailoverLoad(store, callers);
  onTestFinished(async () => {
    await load.close();
    store.close();
  });
  return load;
}

describe.skipIf(noPostgres !== undefined)(
  `postgresStore on a primary with standby servers${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    it("a failover with the settings of the page loses no message and no event, even if only one standby server has the last commits", async () => {
      const replicas = await startReplicas(pageSettings);
      const store = postgresStore(replicas.pool());
      const load = startLoad(store);
      await load.furtherTasks(callers);
      await replicas.standbys[0]?.server.signalReceiver("SIGSTOP");
      await load.furtherTasks(callers);
      await replicas.primary.kill();
      await replicas.standbys[0]?.server.signalReceiver("SIGCONT");
      await replicas.failOver();
      await load.furtherTasks(callers);
      const { messages, events, ...lost } = await load.end();
      expect(lost).toEqual({ lostMessages: 0, lostEvents: 0 });
      expect(messages).toBeGreaterThanOrEqual(3 * callers);
      expect(events).toBeGreaterThan(messages);
    });

    it("a failover with default settings loses acknowledged events that no standby server has received", async () => {
      const replicas = await startReplicas([]);
      const store = postgresStore(replicas.pool());
      const load = startLoad(store);
      await load.furtherTasks(callers);
      for (const { server } of replicas.standbys) await server.signalReceiver("SIGSTOP");
      // A stopped receiver does not connect again.
      await replicas.primary.cutOffStandbys();
      await load.furtherTasks(2 * callers);
      await replicas.primary.kill();
      for (const { server } of replicas.standbys) await server.signalReceiver("SIGCONT");
      await replicas.failOver();
      await load.furtherTasks(callers);
      const { lostMessages, lostEvents } = await load.end();
      // Agents continue without a restart, but the losses show that the page is needed.
      expect(lostMessages).toBeGreaterThan(0);
      expect(lostEvents).toBeGreaterThan(0);
    });
  },
);

describe.skipIf(noPgBouncer !== undefined)(
  `postgresStore on standby servers behind PgBouncer${noPgBouncer === undefined ? "" : ` (skipped: ${noPgBouncer})`}`,
  () => {
    it("a failover behind a pooler with the settings of both pages loses no message and no event", async () => {
      const replicas = await startReplicas(pageSettings);
      const section = blockOf("docs/pgbouncer.md", "pgbouncer.ini").slice(1);
      const pooler = new PgBouncer(replicas, section);
      onTestFinished(() => pooler.stop());
      await pooler.start();
      const direct = replicas.pool();
      direct.options.max = 1;
      const store = postgresStore(pooler.pool(), { listen: direct, prepare: keepsStatements });
      const load = startLoad(store);
      await load.furtherTasks(2 * callers);
      await replicas.primary.kill();
      await replicas.failOver();
      await load.furtherTasks(callers);
      const { messages, events, ...lost } = await load.end();
      expect(lost).toEqual({ lostMessages: 0, lostEvents: 0 });
      expect(messages).toBeGreaterThanOrEqual(3 * callers);
      expect(events).toBeGreaterThan(messages);
    });
  },
);
