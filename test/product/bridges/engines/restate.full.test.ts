import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { freePort } from "../../../support/free-port.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { describeOrders } from "./describe-orders.js";
import { killed } from "./orders.js";

/** The program of the server of Restate; `undefined` if it is not installed. */
function programOf(): string | undefined {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  try {
    const file = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const program = join(dirname(file), "bin", "restate-server");
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

const program = programOf();
/** A function of Node 22. */
const withResolvers = `Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};`;

const database = new PostgresServer();
let server: ChildProcess | undefined;
let admin = "";

/** Starts the server of Restate without telemetry; resolves to the address for calls. */
async function startRestate(): Promise<string> {
  const addresses = [await freePort(), await freePort(), await freePort()].map(
    (port) => `127.0.0.1:${String(port)}`,
  );
  const [ingress = "", forAdmin = "", node = ""] = addresses;
  admin = `http://${forAdmin}`;
  server = spawn(program ?? "", ["--base-dir", temporaryFolder()], {
    env: {
      ...process.env,
      RESTATE_INGRESS__BIND_ADDRESS: ingress,
      RESTATE_ADMIN__BIND_ADDRESS: forAdmin,
      RESTATE_BIND_ADDRESS: node,
      RESTATE_DISABLE_TELEMETRY: "true",
      DO_NOT_TRACK: "1",
    },
    stdio: "ignore",
  });
  const isUp = (url: string, path: string) =>
    fetch(`${url}${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitUntil(
    async () =>
      (await isUp(admin, "/health")) && (await isUp(`http://${ingress}`, "/restate/health")),
    { timeout: 100_000, interval: 200 },
  );
  return `http://${ingress}`;
}

describeOrders({
  title: "Restate",
  missing: program === undefined ? "@restatedev/restate-server is not installed" : noPostgres,
  page: "docs/restate.md",
  // The SDK requires Node 22, which is not the Node of all test runs.
  programs: { banner: withResolvers },
  agent: "restate-agent.ts",
  worker: { program: "restate-worker.ts", ready: "started listening" },
  async start() {
    const [url] = await Promise.all([startRestate(), database.start()]);
    return {
      DATABASE_URL: database.url,
      RESTATE_URL: url,
      DO_NOT_TRACK: "1",
    };
  },
  async stop() {
    if (server !== undefined) await killed(server);
    await database.stop();
  },
  variablesOf: () => ({}),
  async register({ url }) {
    const response = await fetch(`${admin}/deployments`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ uri: url, force: true }),
    });
    if (!response.ok) throw new Error(await response.text());
  },
  async stateOf(taskId) {
    const query =
      "SELECT completion_result, completion_failure FROM sys_invocation " +
      `WHERE target_service_key = '${taskId}' AND target_handler_name = 'run'`;
    const response = await fetch(`${admin}/query`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ query }),
    });
    const text = await response.text();
    const { rows } = JSON.parse(text) as { rows: Readonly<Record<string, string>>[] };
    const { completion_failure: failure, completion_result: result } = rows[0] ?? {};
    return failure ?? result ?? "running";
  },
  canceled: "[409] Cancelled",
  succeeded: "success",
  failed: "[500] The item is broken",
});
