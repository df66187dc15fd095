import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { constants, setPriority } from "node:os";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { engineOf } from "../engines/engines.js";
import { cpuSeconds, cpuShares } from "./cpu.js";
import { Observer } from "./observer.js";
import type {
  AgentAddress,
  AgentSetting,
  AgentStatistics,
  AttackCounts,
  EngineSetting,
} from "./protocol.js";
import { rowsOf } from "./rows.js";

// One caller attacks an agent with default options for some time, while another caller continues to
// call it. Then one process stops, and the other processes claim its tasks.

const usage =
  "npm run siege -- [--engine memory|postgres|redis|sqlite] [--seconds 60] [--processes 2] [--lease 30000] [--together] [--keep] [--json] [--only ATTACK,…] [--profile FOLDER]";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "memory" },
    together: { type: "boolean", default: false },
    seconds: { type: "string", default: "60" },
    processes: { type: "string", default: "2" },
    lease: { type: "string", default: "30000" },
    // Ends no process.
    keep: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    // Names of attacks, with commas between them; all attacks by default.
    only: { type: "string" },
    // Writes CPU profiles of the agents.
    profile: { type: "string" },
  },
});
const [seconds, leaseMs] = [Number(values.seconds), Number(values.lease)];
const isMemory = values.engine === "memory";
const processes = isMemory ? 1 : Number(values.processes);
if (!(seconds > 0) || !(processes > 0) || !(leaseMs > 0)) {
  console.error(`--seconds, --processes and --lease must be numbers above 0\nUsage: ${usage}`);
  process.exit(2);
}

/** A process of the agent. */
interface Member extends AgentAddress {
  readonly child: ChildProcess;
}

function launch(name: string, setting: object, execArgv: readonly string[] = []) {
  const program = fileURLToPath(new URL(`${name}.js`, import.meta.url));
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
  return fork(program, [JSON.stringify(setting)], { stdio: [...stdio], execArgv: [...execArgv] });
}

const profiling =
  values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`];

/** Starts a process of the agent. */
async function start(setting: AgentSetting): Promise<Member> {
  const child = launch("agent", setting, profiling);
  const [address] = (await once(child, "message")) as [AgentAddress];
  return { child, ...address };
}

/** Asks the processes that are left how they are. */
async function statistics(members: readonly Member[]): Promise<readonly AgentStatistics[]> {
  const left = members.filter(({ child }) => child.connected);
  return Promise.all(
    left.map(async ({ child }) => {
      child.send("statistics");
      return ((await once(child, "message")) as [AgentStatistics])[0];
    }),
  );
}

/** Takes connections on every address of loopback, and never responds. */
async function silence(): Promise<{
  readonly server: Server;
  readonly port: number;
  readonly sockets: Set<Socket>;
}> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(
      socket
        .on("error", () => undefined)
        .on("close", () => sockets.delete(socket))
        .resume(),
    );
  });
  await once(server.listen(0, "0.0.0.0"), "listening");
  return { server, port: (server.address() as AddressInfo).port, sockets };
}

const kind = isMemory ? undefined : engineOf(values.engine);
if (kind?.missing !== undefined) {
  console.error(`Skipped: ${kind.missing}`);
  process.exit(3);
}
const engine = isMemory
  ? undefined
  : launch("engine", { name: values.engine } satisfies EngineSetting);
const [address] = engine === undefined ? [""] : ((await once(engine, "message")) as [string]);
const setting: AgentSetting = {
  engine: values.engine,
  address,
  leaseMs,
  isTogether: values.together,
};
const members = await Promise.all(Array.from({ length: processes }, () => start(setting)));
const urls = members.map(({ url }) => url);
let ended = 0;
const onExit = (): void => void (ended += 1);
for (const { child } of members) child.once("exit", onExit);

const observer = new Observer(urls);
await observer.start();
// The first calls compile the code.
let isOver = false;
setTimeout(() => (isOver = true), Math.min(3_000, seconds * 200));
await observer.observe(() => isOver);
isOver = false;
await statistics(members);
setTimeout(() => (isOver = true), Math.min(10_000, seconds * 500));
const roles = {
  agents: members.map(({ child }) => child.pid),
  proxy: engine?.pid,
  attacker: undefined,
};
const [cpuAtStart, startedAt] = [cpuSeconds(roles), performance.now()];
const quiet = await observer.observe(() => isOver);
const quietly = await statistics(members);
const quietCpu = cpuShares(cpuAtStart, cpuSeconds(roles), (performance.now() - startedAt) / 1_000);

const silent = await silence();
isOver = false;
const attack = launch("attacker", {
  urls,
  grpc: members.map(({ grpc }) => grpc),
  seconds,
  silentPort: silent.port,
  only: values.only?.split(","),
});
// An attacker has a machine of its own. On this one, it must not take the time of the agent and the
// database.
if (attack.pid !== undefined) setPriority(attack.pid, constants.priority.PRIORITY_LOW);
const [cpuBefore, attackedAt] = [cpuSeconds(roles), performance.now()];
const attacked = (once(attack, "message") as Promise<[AttackCounts]>).finally(
  () => (isOver = true),
);
const [[counts], besieged] = await Promise.all([attacked, observer.observe(() => isOver)]);
const cpuAfter = cpuSeconds({ ...roles, attacker: attack.pid });
const besiegedCpu = cpuShares(cpuBefore, cpuAfter, (performance.now() - attackedAt) / 1_000);
attack.disconnect();
const after = await statistics(members);
await observer.settle(leaseMs);

/**
 * Ends a process without a hand-over; returns how long the neighbor's tasks take until another one
 * resumes them.
 */
async function takeover(victim: Member) {
  const ids = await observer.begin(victim.url, 5);
  victim.child.off("exit", onExit);
  victim.child.kill("SIGKILL");
  await once(victim.child, "exit");
  const since = performance.now();
  const left = new Observer(urls.filter((url) => url !== victim.url));
  const done = await Promise.all(ids.map((id) => left.completes(id, 4 * leaseMs)));
  return done.every(Boolean) ? Math.round(performance.now() - since) : Infinity;
}

const [victim] = members;
const takeoverMs =
  processes > 1 && !values.keep && victim !== undefined ? await takeover(victim) : undefined;
// Tasks of the attacker are claimed meanwhile, which must not end a process.
if (takeoverMs !== undefined) await pause(2_000);

const rows = rowsOf(quiet, besieged);
const result = {
  engine: values.engine,
  "processes that ended": ended,
  failures: quiet.failures.length + besieged.failures.length,
  "webhooks not called": observer.missing,
  "takeover (ms)": takeoverMs,
  "longest block, quiet (ms)": Math.max(...quietly.map(({ blockedMs }) => blockedMs)),
  "longest block (ms)": Math.max(...after.map(({ blockedMs }) => blockedMs)),
  "memory (MiB)": Math.max(...after.map(({ memory }) => memory)),
};
const cpu = { quiet: quietCpu, attack: besiegedCpu };
const failures = [...quiet.failures, ...besieged.failures].slice(0, 10);
if (values.json)
  console.log(JSON.stringify({ ...result, cpu, rows, "failed calls": failures, attack: counts }));
else {
  console.table([result]);
  console.table(rows);
  console.log("Cores in use");
  console.table(cpu);
  for (const failure of failures) console.log(failure);
  for (const { errors } of after) console.log("reported", errors);
  for (const [name, outcomes] of Object.entries(counts))
    console.log(`${name}: ${JSON.stringify(outcomes)}`);
}
for (const { child } of members) {
  child.off("exit", onExit);
  if (child.exitCode !== null || child.signalCode !== null) continue;
  // A process writes its profile when it exits.
  if (values.profile === undefined) child.kill("SIGKILL");
  else child.disconnect();
}
observer.stop();
for (const socket of silent.sockets) socket.destroy();
silent.server.close();
if (engine !== undefined) {
  const stopped = once(engine, "exit");
  engine.disconnect();
  await stopped;
}
const isLate = takeoverMs !== undefined && takeoverMs > 2 * leaseMs;
process.exit(
  ended > 0 || failures.length > 0 || result["webhooks not called"] > 0 || isLate ? 1 : 0,
);
