import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { packageFolder } from "../../support/package-folder.js";
import { followTask } from "../../generated/1.0/kit/client/index.js";
import { textOf } from "../../generated/1.0/kit/index.js";
import { connect, type Message } from "../../generated/1.0/index.js";
import { engines } from "../cluster/engines/engines.js";
import { library } from "../tools/library.mjs";
import { gist } from "../support/kit.js";
import { freePort } from "../support/free-port.js";
import { Random } from "../support/random/random.js";
import { aMessage } from "../support/messages.js";

/**
 * The line that has the agent keep its tasks, and what it needs. Leases are short, so that the test
 * is.
 */
const stores = {
  sqlite: [
    `import { sqliteLibrary } from "../../test/support/sqlite.js";\nimport { sqliteStore } from "../../library/stores/sqlite.js";`,
    `store: sqliteStore(sqliteLibrary.open(process.env.STORE)), leaseMs: 1_000,`,
  ],
  postgres: [
    `import pg from "pg";\nimport { postgresStore } from "../../library/stores/postgres.js";`,
    `store: postgresStore(new pg.Pool({ connectionString: process.env.STORE })), leaseMs: 1_000,`,
  ],
} as const;

const folder = join(packageFolder, "test", ".out", String(process.pid), "research");
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Makes a program of the example with a store. */
async function programWith(name: keyof typeof stores) {
  const [imports, option] = stores[name];
  const example = readFileSync(
    join(packageFolder, "examples", "research-agent", "main.ts"),
    "utf8",
  );
  const marker = "taskService<string, { topic: string }>({";
  expect(example).toContain(marker);
  const outfile = join(folder, `${name}.mjs`);
  mkdirSync(folder, { recursive: true });
  await build({
    stdin: {
      contents: `${imports}\n${example.replace(marker, `${marker}\n  ${option}`)}`,
      resolveDir: join(packageFolder, "examples", "research-agent"),
      loader: "ts",
    },
    outfile,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    plugins: [library()],
    logLevel: "warning",
  });
  return outfile;
}

/** Starts a process of the agent; resolves when it listens. */
async function start(program: string, port: number, address: string): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port), STORE: address };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

const say = (text: string, taskId?: string): Message =>
  aMessage(text, { ...(taskId !== undefined && { taskId }) });

for (const name of ["sqlite", "postgres"] as const) {
  const kind = engines[name];
  describe.skipIf(kind?.missing !== undefined)(
    `the research agent with a store (${kind?.missing ?? name})`,
    () => {
      it("the agent is killed while it works, and the next process resumes its task", async () => {
        const engine = await kind?.start(new Random(1));
        if (engine === undefined) throw new Error("no engine");
        onTestFinished(() => engine.stop());
        const [program, port] = [await programWith(name), await freePort()];
        const address =
          name === "postgres" ? `postgres://test@${engine.address}/postgres` : engine.address;
        const first = await start(program, port, address);
        const client = await connect(`http://127.0.0.1:${String(port)}`, {
          headers: { authorization: "Bearer secret" },
        });
        onTestFinished(() => {
          client.close();
        });
        const { task } = await client.sendMessage({ message: say("tea") });
        const seen: string[] = [];
        const events = followTask(
          client,
          { message: say("Ada", task?.id ?? "") },
          { delayMs: () => 50 },
        );
        for await (const { event } of events) {
          seen.push(gist(event));
          if (seen.at(-1) !== "working Searching the web" || first.killed) continue;
          first.kill("SIGKILL");
          await once(first, "exit");
          await start(program, port, address);
        }
        expect(seen.at(-1)).toBe("completed Here is the report");
        const { artifacts, history } = await client.getTask({ id: task?.id ?? "" });
        expect(artifacts?.map(textOf)).toEqual([
          "# tea, for Ada\nWhat the web says about tea.What the news says about tea.",
        ]);
        expect(history?.filter(({ role }) => role === "ROLE_USER").map(textOf)).toEqual([
          "tea",
          "Ada",
        ]);
      });
    },
  );
}
