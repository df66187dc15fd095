// Generates the output, compiles the examples with it, and runs them over every transport:
// `npm run demo`, for another version `npm run demo -- --spec 0.3.0`.
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * The versions with examples: the folder of the output that the examples import, and the folders of
 * the examples.
 */
const editions = new Map([
  ["1.0", { generated: "1.0", agent: "echo-agent", client: "client" }],
  ["0.3.0", { generated: "0.3.0", agent: "echo-agent-0.3", client: "client-0.3" }],
]);

/** An invalid command line. */
class UsageError extends Error {}

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort()).once("SIGTERM", () => interrupted.abort());

try {
  const spec = chosenVersion();
  process.exitCode = (await withScratch((scratch) => demo(scratch, spec, editions.get(spec))))
    ? 0
    : 1;
} catch (error) {
  if (!interrupted.signal.aborted)
    console.error(`\n✗ ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = interrupted.signal.aborted ? 130 : error instanceof UsageError ? 2 : 1;
}

/**
 * Returns the version that the command line selects. Throws a `UsageError` for invalid arguments.
 */
function chosenVersion() {
  const known =
    `The versions are ${[...editions.keys()].join(" and ")}: npm run demo -- ` + "--spec 0.3.0";
  let spec;
  try {
    ({ spec } = parseArgs({ options: { spec: { type: "string", default: "1.0" } } }).values);
  } catch (error) {
    throw new UsageError(`${error.message}\n  ${known}`);
  }
  if (!editions.has(spec))
    throw new UsageError(`No examples exist for A2A ${JSON.stringify(spec)}.\n  ${known}`);
  return spec;
}

/**
 * Runs `use` with a new folder below the repository, so that imports of packages resolve, and
 * removes the folder afterwards.
 */
async function withScratch(use) {
  const base = join(root, ".demo");
  await mkdir(base, { recursive: true });
  const scratch = await mkdtemp(join(base, "run-"));
  try {
    return await use(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns whether all calls had the expected results. */
async function demo(scratch, spec, edition) {
  const started = performance.now();
  console.log(`A2A ${spec} from its specification to three transports\n`);
  await timed("generated", () => generate(scratch, spec, edition));
  await timed("type-checked and compiled", () => compile(scratch, edition));
  const results = await talk(scratch, edition);
  const failed = results.filter(({ ok }) => !ok).length;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const verdict = failed === 0 ? "all as expected" : `${failed} not as expected`;
  console.log(`\n${mark(failed === 0)} ${results.length} checks, ${verdict}, in ${seconds} s`);
  return failed === 0;
}

async function generate(scratch, spec, { generated }) {
  const out = join(scratch, "generated", generated);
  await run(join(root, "dist", "generator", "cli", "main.cjs"), [
    "generate",
    "--spec",
    spec,
    "--out",
    out,
  ]);
}

/**
 * Copies the examples next to the output, as in the repository with `generated/`, and compiles
 * everything.
 */
async function compile(scratch, { agent, client }) {
  const copies = ["shared", agent, client].map((name) =>
    cp(join(root, "examples", name), join(scratch, "examples", name), { recursive: true }),
  );
  const config = {
    extends: join(root, "tsconfig.base.json").replaceAll("\\", "/"),
    // The types of packages are already checked by their authors.
    compilerOptions: { rootDir: ".", outDir: "dist", skipLibCheck: true },
    include: ["generated", "examples"],
  };
  await Promise.all([...copies, writeFile(join(scratch, "tsconfig.json"), JSON.stringify(config))]);
  const typescript = createRequire(import.meta.url).resolve("typescript-7/package.json");
  await run(join(dirname(typescript), "bin", "tsc"), ["-p", scratch]);
}

/**
 * Starts the agent and runs the transcript over each transport. Returns the results of the calls.
 */
async function talk(scratch, edition) {
  const load = (...path) => import(pathToFileURL(join(scratch, "dist", ...path)).href);
  const { startEchoAgent } = await load("examples", edition.agent, "server.js");
  const { transcript } = await load("examples", edition.client, "transcript.js");
  const { connect, jsonRpc, rest } = await load("generated", edition.generated, "index.js");
  const { grpc } = await load("generated", edition.generated, "client", "grpc.js");
  const { operations } = await load("generated", edition.generated, "operations.js");

  const webhook = await startWebhook();
  const agent = await startEchoAgent({ push: { allowPrivateAddresses: true } });
  try {
    console.log(`${mark(true)} agent listens on ${agent.url} and, for gRPC, on ${agent.grpcUrl}`);
    const results = [];
    for (const factory of [jsonRpc(), rest(), grpc()]) {
      const client = await connect(agent.url, { transports: [factory], timeoutMs: 5000 });
      results.push(...(await play(factory.binding, transcript(client, webhook.url), operations)));
      client.close();
    }
    // On each transport, a message with a webhook causes three notifications: working, one
    // artifact, completed.
    const posts = await webhook.received(9);
    console.log(`\n${mark(posts === 9)} ${posts} of 9 updates posted to the webhook`);
    return [...results, { ok: posts === 9 }];
  } finally {
    await agent.close();
    await webhook.close();
  }
}

/** Prints a line for each call, and whether every operation was called. */
async function play(binding, lines, operations) {
  console.log();
  const results = [];
  const missing = new Set(operations.map(({ name }) => name));
  for await (const { operation, expected, outcome, ms } of lines) {
    interrupted.signal.throwIfAborted();
    const ok = outcome === expected;
    missing.delete(operation);
    results.push({ ok });
    const told = ok ? outcome : `${outcome} (expected: ${expected})`;
    console.log(
      `${mark(ok)} ${binding.padEnd(9)} ${operation.padEnd(32)} ` +
        `${`${ms.toFixed(0)} ms`.padStart(7)}  ${told}`,
    );
  }
  if (missing.size > 0)
    console.log(`${mark(false)} ${binding.padEnd(9)} never called: ${[...missing].join(", ")}`);
  return [...results, { ok: missing.size === 0 }];
}

/** Starts a server that counts the notifications it receives. */
async function startWebhook() {
  let count = 0;
  const server = createServer((request, response) => {
    if (request.method === "POST" && request.headers["x-a2a-notification-token"] === "t-1")
      count += 1;
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/updates`,
    /** Waits a limited time for a number of notifications, and returns how many have arrived. */
    async received(wanted) {
      for (let tries = 0; tries < 40 && count < wanted; tries += 1)
        await new Promise((go) => setTimeout(go, 50));
      return count;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function timed(what, action) {
  const started = performance.now();
  await action();
  console.log(`${mark(true)} ${what} in ${(performance.now() - started).toFixed(0)} ms`);
}

/** Runs a Node script without printing its output. Rejects with the output if the script fails. */
function run(script, args) {
  return new Promise((resolve, reject) => {
    const { signal } = interrupted;
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      signal,
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(output.trim() || `${script} failed`)),
    );
  });
}

function mark(ok) {
  return ok ? "✓" : "✗";
}
