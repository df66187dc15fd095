import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { Random } from "../../support/random/random.js";
import type { Engine } from "../engines/engine.js";
import { engineOf } from "../engines/engines.js";
import { type AttackCounts, callOf, headersOf, messageOf } from "./protocol.js";

// One caller attacks an agent with default options for some time, while others go on calling it.

const usage = "npm run siege -- [--engine memory|postgres|redis|sqlite] [--seconds 60] [--processes 2] [--json]";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "memory" },
    seconds: { type: "string", default: "60" },
    processes: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const isMemory = values.engine === "memory";
const processes = isMemory ? 1 : Number(values.processes);
if (!(seconds > 0) || !(processes > 0)) {
  console.error(`--seconds and --processes must be numbers above 0\nUsage: ${usage}`);
  process.exit(2);
}

/** Latencies of calls by other users than the attacker, in milliseconds. */
interface Observed {
  readonly times: number[];
  readonly webhooks: number[];
  failures: number;
}

/** The part of sorted numbers that is below the result. */
function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
}

/** Starts a process of a program; resolves with its first message. */
async function start(name: string, setting: object): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const program = fileURLToPath(new URL(`${name}.js`, import.meta.url));
  const child = fork(program, [JSON.stringify(setting)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [url] = (await once(child, "message")) as [string];
  return { child, url };
}

const hooks = new Map<string, () => void>();
const receiver = createHttpServer((request, response) => {
  request.resume();
  hooks.get(request.url ?? "")?.();
  response.end();
});
await once(receiver.listen(0, "127.0.0.1"), "listening");
const receiverUrl = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;

/** Calls the agent as another user does, until it is told to stop: one message after the other, each with a webhook. */
async function observe(urls: readonly string[], isOver: () => boolean): Promise<Observed> {
  const observed: Observed = { times: [], webhooks: [], failures: 0 };
  for (let number = 0; !isOver(); number += 1) {
    const path = `/${String(performance.now())}`;
    const began = performance.now();
    hooks.set(path, () => {
      observed.webhooks.push(performance.now() - began);
      hooks.delete(path);
    });
    const configuration = { taskPushNotificationConfig: { url: receiverUrl + path } };
    const body = callOf("SendMessage", messageOf("hello", {}, configuration));
    try {
      const init = { method: "POST", headers: headersOf("neighbor"), body };
      const response = await fetch(urls[number % urls.length] ?? "", { ...init, signal: AbortSignal.timeout(30_000) });
      const text = await response.text();
      if (text.includes("TASK_STATE_COMPLETED")) observed.times.push(performance.now() - began);
      else observed.failures += 1;
    } catch {
      observed.failures += 1;
    }
    await pause(20);
  }
  return observed;
}

/** Takes connections on every address of loopback, and never responds. */
async function silence(): Promise<{ readonly server: Server; readonly port: number; readonly sockets: Set<Socket> }> {
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
const engine: Engine | undefined = await kind?.start(new Random(1));
const setting = { engine: values.engine, address: engine?.address ?? "" };
const members = await Promise.all(Array.from({ length: processes }, () => start("agent", setting)));
const urls = members.map(({ url }) => url);
let ended = 0;
for (const { child } of members) child.once("exit", () => (ended += 1));

let isOver = false;
setTimeout(() => (isOver = true), Math.min(5_000, seconds * 500));
const quiet = await observe(urls, () => isOver);

const silent = await silence();
isOver = false;
const attack = fork(
  fileURLToPath(new URL("attacker.js", import.meta.url)),
  [JSON.stringify({ urls, seconds, silentPort: silent.port })],
  { stdio: ["ignore", "inherit", "inherit", "ipc"] },
);
const attacked = (once(attack, "message") as Promise<[AttackCounts]>).finally(() => (isOver = true));
const [[counts], besieged] = await Promise.all([attacked, observe(urls, () => isOver)]);
// What the lease of the default options leaves for webhooks that wait.
for (const began = performance.now(); hooks.size > 0 && performance.now() - began < 30_000;) await pause(50);

const result = {
  engine: values.engine,
  "processes that ended": ended,
  "quiet p99 (ms)": quantile(quiet.times, 0.99),
  "p50 (ms)": quantile(besieged.times, 0.5),
  "p99 (ms)": quantile(besieged.times, 0.99),
  "most (ms)": quantile(besieged.times, 1),
  calls: besieged.times.length,
  failures: besieged.failures,
  "webhook p99 (ms)": quantile(besieged.webhooks, 0.99),
  "webhooks not called": hooks.size,
};
if (values.json) console.log(JSON.stringify({ ...result, attack: counts }));
else {
  console.table([result]);
  for (const [name, outcomes] of Object.entries(counts)) console.log(`${name}: ${JSON.stringify(outcomes)}`);
}
for (const { child } of members) {
  child.disconnect();
  if (child.exitCode === null) child.kill("SIGKILL");
}
receiver.closeAllConnections();
receiver.close();
for (const socket of silent.sockets) socket.destroy();
silent.server.close();
await engine?.stop();
process.exit(ended > 0 || besieged.failures > 0 || hooks.size > 0 ? 1 : 0);
