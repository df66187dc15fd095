import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { packageFolder } from "../../support/package-folder.js";
import { Cluster } from "../../test/cluster/cluster.js";
import { History } from "../../test/cluster/history.js";
import { latency, throughput, updates } from "../../test/cluster/measure.js";
import { noPostgres, PostgresServer } from "../../test/support/postgres.js";
import { Random } from "../../test/support/random/random.js";
import { noRedis, RedisServer } from "../../test/support/redis.js";
import { median, type Effort } from "../clock.js";
import { outFolder } from "../folders.js";
import type { Point } from "../point.js";

/**
 * An engine that the stores of all processes use. Every write is on the disk when its call
 * resolves.
 */
interface Engine {
  readonly name: string;
  /** Name of the engine in the cluster's processes. */
  readonly key: string;
  readonly missing: string | undefined;
  start(): Promise<{ readonly address: string; readonly stop: () => Promise<void> }>;
}

const engines: readonly Engine[] = [
  { name: "Postgres", key: "postgres", missing: noPostgres, start: postgres },
  { name: "Redis", key: "redis", missing: noRedis, start: redis },
];

const most = 4;

/** Longer than any measurement, so that no lease expires. */
const leaseMs = 30_000;

/**
 * Measures an agent with several processes on one store: its throughput, the CPU time of the
 * processes and of the engine, and the time from an update to a subscriber of another process.
 * Callers run on a core of their own if the machine has more than one core. Engines that are not
 * installed are skipped.
 */
export async function* measure({ quick }: Effort): AsyncGenerator<Point> {
  await buildAgent();
  for (const engine of engines) {
    if (engine.missing !== undefined) {
      console.error(`  without ${engine.name}: ${engine.missing}`);
      continue;
    }
    for (let x = 1; x <= (quick ? 1 : most); x += 1) yield* ofCount(engine, x, quick);
  }
}

async function* ofCount(engine: Engine, x: number, quick: boolean): AsyncGenerator<Point> {
  const last = cpus().length - 1;
  const series = engine.name;
  // Processes inherit the cores of the process that starts them.
  runOn(`0-${Math.max(0, last - 1)}`);
  const { address, stop } = await engine.start();
  const cluster = new Cluster(
    { engine: engine.key, address, leaseMs },
    new History(),
    new Random(1),
  );
  try {
    await Promise.all(Array.from({ length: x }, () => cluster.add()));
    runOn(String(last));
    const { perSecond, cores } = await throughput(cluster, quick ? 100 : 3_000);
    const events = perSecond * updates;
    yield { panel: "rate", series, x, y: events };
    yield { panel: "cost", series, x, y: ((cores.agents + cores.engine) / events) * 1e6 };
    const { times } = await latency(cluster, quick ? 22 : 60);
    yield { panel: "latency", series, x, y: median(times) };
  } finally {
    await cluster.close();
    await stop();
  }
}

/**
 * Restricts this process and all its threads to some cores. Linux only; other systems use all
 * cores.
 */
function runOn(cores: string): void {
  spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", cores, String(process.pid)]);
}

/** Builds the program of the cluster's processes next to this program. */
async function buildAgent(): Promise<void> {
  // This program is a bundle in another folder, and the module finds the package by its own
  // location.
  const module = pathToFileURL(join(packageFolder, "test", "tools", "library.mjs")).href;
  const { library } = (await import(module)) as {
    readonly library: (options: { compiled: true }) => Plugin;
  };
  await build({
    entryPoints: [join(packageFolder, "test", "cluster", "agent.ts")],
    outdir: outFolder,
    plugins: [library({ compiled: true })],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
}

async function postgres(): ReturnType<Engine["start"]> {
  const server = new PostgresServer("fsync=on");
  await server.start();
  // The address of a socket in a URL.
  return { address: encodeURIComponent(dirname(server.socket)), stop: () => server.stop() };
}

async function redis(): ReturnType<Engine["start"]> {
  const server = new RedisServer("--appendonly", "yes", "--appendfsync", "always");
  await server.start();
  return { address: `127.0.0.1:${server.port}`, stop: () => server.stop() };
}
