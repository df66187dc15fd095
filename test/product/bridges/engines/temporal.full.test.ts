import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { vi } from "vitest";
import { freePort } from "../../../support/free-port.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { temporalPackages } from "../../../support/temporal.js";
import { describeOrders } from "./describe-orders.js";
import { killed } from "./orders.js";

/** As much of `@temporalio/client` as the test uses, which may not be installed. */
interface TemporalClient {
  readonly Connection: {
    connect(options: { readonly address: string }): Promise<{ close(): Promise<void> }>;
  };
  readonly Client: new (options: { readonly connection: unknown }) => {
    readonly workflow: { getHandle(id: string): WorkflowHandle };
  };
}

interface WorkflowHandle {
  describe(): Promise<{
    readonly status: { readonly name: string };
    readonly raw: {
      readonly pendingActivities?: readonly {
        readonly lastHeartbeatTime?: { readonly seconds?: unknown; readonly nanos?: number } | null;
      }[];
    };
  }>;
  terminate(): Promise<unknown>;
}

const hasServer = spawnSync("temporal", ["--version"]).status === 0;
const database = new PostgresServer();
let server: ChildProcess | undefined;
let connection: { close(): Promise<void> } | undefined;

function missing(): string | undefined {
  if (!hasServer) return "the program temporal is not installed";
  if (temporalPackages === undefined) return "the packages of @temporalio are not installed";
  return noPostgres;
}

function clientPackage(): TemporalClient {
  return createRequire(import.meta.url)("@temporalio/client") as TemporalClient;
}

function handleOf(taskId: string): WorkflowHandle {
  const { Client } = clientPackage();
  return new Client({ connection }).workflow.getHandle(taskId);
}

/** Starts a server that keeps its data in memory; resolves to its address. */
async function startTemporal(): Promise<string> {
  const port = String(await freePort());
  const options = ["--headless", "--ip", "127.0.0.1", "--port", port, "--log-level", "never"];
  server = spawn("temporal", ["server", "start-dev", ...options], { stdio: "ignore" });
  const address = `127.0.0.1:${port}`;
  const { Connection } = clientPackage();
  await vi.waitUntil(
    async () => {
      connection = await Connection.connect({ address }).catch(() => undefined);
      return connection !== undefined;
    },
    { timeout: 100_000, interval: 200 },
  );
  return address;
}

describeOrders({
  title: "Temporal",
  missing: missing(),
  page: "docs/temporal.md",
  programs: { scopes: temporalPackages === undefined ? [] : [temporalPackages] },
  agent: "temporal-agent.ts",
  worker: { program: "temporal-worker.ts", ready: "RUNNING" },
  async start() {
    const [address] = await Promise.all([startTemporal(), database.start()]);
    return {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: address,
    };
  },
  async stop() {
    await connection?.close();
    if (server !== undefined) await killed(server);
    await database.stop();
  },
  variablesOf: () => ({}),
  async stateOf(taskId) {
    const { status } = await handleOf(taskId).describe();
    return status.name;
  },
  async heartbeatOf(taskId) {
    const { raw } = await handleOf(taskId).describe();
    const time = raw.pendingActivities?.[0]?.lastHeartbeatTime ?? undefined;
    return time && Number(time.seconds) + (time.nanos ?? 0) / 1e9;
  },
  async terminate(taskId) {
    await handleOf(taskId).terminate();
  },
  canceled: "CANCELLED",
  succeeded: "COMPLETED",
  failed: "FAILED",
});
