import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { roundedQuantile } from "../support/quantile.js";
import { Random } from "../support/random/random.js";
import { check, readLogs, scopes } from "./checks.js";
import { Cluster } from "./cluster.js";
import { type EngineKind } from "./engines/engine.js";
import { engineOf } from "./engines/engines.js";
import { Faults } from "./faults.js";
import { History } from "./history.js";
import { Load } from "./load.js";
import { measure } from "./measure.js";
import { Receiver } from "./receiver.js";
import { checkNaps, checkTakeovers } from "./takeovers.js";

const usage =
  "npm run cluster -- [--engine postgres|redis|node-redis|sqlite|sharded] [--seed N] [--processes 3] [--tasks 2000] [--updates 20] " +
  "[--subscribers 500] [--parallel 100] [--seconds 300] [--lease 3000] [--hangs 1] [--rounds N] [--every 2000] [--no-wire] [--no-measure] [--json]";

/** Options of the script. Parsing throws if an option is unknown. */
function read() {
  const text = (value: string) => ({ type: "string", default: value }) as const;
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      engine: text("postgres"),
      seed: text(String(Date.now() % 1_000_000)),
      processes: text("3"),
      tasks: text("2000"),
      updates: text("20"),
      subscribers: text("500"),
      parallel: text("100"),
      seconds: text("300"),
      lease: text("3000"),
      rounds: text("1000000"),
      every: text("2000"),
      hangs: text("1"),
      wire: { type: "boolean", default: true },
      measure: { type: "boolean", default: true },
      json: { type: "boolean", default: false },
    },
  });
  const { engine, wire, measure: measures, json, ...rest } = values;
  const numbers = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => {
      if (!/^\d+$/.test(value)) throw new Error(`--${name} has to be a whole number`);
      return [name, Number(value)];
    }),
  ) as Record<keyof typeof rest, number>;
  return { engine, kind: engineOf(engine), wire, measures, json, ...numbers };
}

function asked(): ReturnType<typeof read> {
  try {
    return read();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\nUsage: ${usage}`);
    process.exit(2);
  }
}

/** Cleanup functions, run in reverse order. */
const open: (() => Promise<void>)[] = [];

async function closeAll() {
  for (let close = open.pop(); close !== undefined; close = open.pop()) await close();
}

/** Runs tasks during faults and checks the results. */
async function disturbed(kind: EngineKind, asked: ReturnType<typeof read>) {
  const { seed, processes, seconds, lease: leaseMs, engine: name } = asked;
  const history = new History();
  const engine = await kind.start(new Random(seed + 3));
  open.push(() => engine.stop());
  const receiver = new Receiver();
  await receiver.start();
  open.push(() => receiver.close());
  const reader = kind.open(engine.address);
  open.push(() => reader.close());
  const cluster = new Cluster(
    { engine: name, address: engine.address, leaseMs },
    history,
    new Random(seed),
  );
  open.push(() => cluster.close());
  await Promise.all(Array.from({ length: processes }, () => cluster.add()));
  const load = new Load(cluster, history, new Random(seed + 1), receiver, asked);
  const faults = new Faults(cluster, engine, history, new Random(seed + 2), asked);
  const took = await under(faults, load, asked.tasks, seconds);
  await settled(reader.store, history, leaseMs);
  const logs = await readLogs(reader.store);
  check(history, logs);
  const takeovers = checkTakeovers(history, logs, leaseMs);
  const naps = checkNaps(history, leaseMs);
  return { history, faults: faults.counts, logs, takeovers, naps, took };
}

/** Has all tasks done, or as many as there is time for; resolves to how long that took. */
async function under(faults: Faults, load: Load, tasks: number, seconds: number) {
  const began = performance.now();
  const limit = setTimeout(() => {
    load.giveUp();
  }, seconds * 1_000);
  let isOver = false;
  const disturbing = faults.run(() => (isOver ? 1 : load.done / (tasks + 1)));
  await load.run();
  isOver = true;
  clearTimeout(limit);
  await disturbing;
  return performance.now() - began;
}

/** Waits until all webhook calls are delivered and all work has ended, without a time limit. */
async function settled(store: Parameters<typeof readLogs>[0], history: History, leaseMs: number) {
  const until = performance.now() + 3 * leaseMs + 45_000;
  while (performance.now() < until) {
    const states = ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"] as const;
    const pages = await Promise.all(
      scopes.flatMap((scope) => states.map((state) => store.list(scope, { state, limit: 100 }))),
    );
    // A task that no caller knows may sleep until a caller wakes it.
    const isAtWork = pages.some(({ tasks }) =>
      tasks.some(({ task }) => history.tasks.has(task.id)),
    );
    const isDelivered = [...history.tasks.values()].every(
      ({ webhook, latest }) =>
        webhook === undefined || webhook.posted.some((posted) => posted >= latest),
    );
    if (isDelivered && !isAtWork) return;
    await pause(100);
  }
}

/** Returns an example of each kind of text, and how many of the kind there are. */
function kindsOf(texts: Iterable<readonly [text: string, count: number]>) {
  const kinds = new Map<string, { readonly example: string; count: number }>();
  for (const [text, count] of texts) {
    const kind = text.replaceAll(/[\da-f]{8}-[\da-f-]+|\d+|\{.*/g, "…");
    const known = kinds.get(kind) ?? { example: text, count: 0 };
    known.count += count;
    kinds.set(kind, known);
  }
  return [...kinds.values()].map(({ example, count }) => `${String(count)} × ${example}`);
}

const options = asked();
const { kind, json } = options;
if (kind.missing !== undefined) {
  console.error(`Skipped: ${kind.missing}`);
  process.exit(3);
}
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void closeAll().then(() => process.exit(1)));
const { history, faults, logs, takeovers, naps, took } = await disturbed(kind, options).finally(
  closeAll,
);
const result = {
  engine: options.engine,
  seed: options.seed,
  seconds: Math.round(took / 1_000),
  tasks: logs.size,
  events: history.events,
  ...faults,
  appends: [...history.appends.values()].flat().length,
  resumed: takeovers.length,
  "resumed after ms, median": roundedQuantile(takeovers, 0.5),
  "resumed after ms, most": roundedQuantile(takeovers, 1),
  woken: [...history.turns.values()].flat().filter(({ woken }) => woken?.by === "wake").length,
  naps: naps.length,
  "woken after ms, median": roundedQuantile(naps, 0.5),
  "woken after ms, most": roundedQuantile(naps, 1),
  problems: history.problems.length,
};
const problems = kindsOf(history.problems.map((text) => [text, 1]));
if (json) console.log(JSON.stringify({ ...result, texts: problems }));
else {
  console.table([result]);
  for (const text of kindsOf(history.errors)) console.log(`reported: ${text}`);
  for (const problem of problems) console.error(`wrong: ${problem}`);
  if (options.measures) console.table(await measure(options.engine, kind, options.processes));
}
process.exitCode = history.problems.length > 0 ? 1 : 0;
