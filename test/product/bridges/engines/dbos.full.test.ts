import type { Pool } from "pg";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { describeOrders } from "./describe-orders.js";

const server = new PostgresServer();
let pool: Pool | undefined;

describeOrders({
  title: "DBOS",
  missing: noPostgres,
  page: "docs/dbos.md",
  agent: "dbos-orders.ts",
  async start() {
    await server.start();
    return { DATABASE_URL: server.url };
  },
  stop: () => server.stop(),
  variablesOf: (name) => ({ DBOS__VMID: name }),
  async stateOf(taskId) {
    const statement = "SELECT status FROM dbos.workflow_status WHERE workflow_uuid = $1";
    pool ??= server.pool();
    const { rows } = await pool.query<{ status: string }>(statement, [taskId]);
    return rows[0]?.status ?? "missing";
  },
  canceled: "CANCELLED",
  succeeded: "SUCCESS",
  failed: "ERROR",
});
