import { setTimeout as pause } from "node:timers/promises";
import { GrpcAttacker } from "./grpc-attacker.js";
import {
  type AttackSetting,
  callOf,
  endless,
  headersOf,
  manyUpdates,
  messageOf,
} from "./protocol.js";

// One caller who does everything that costs an agent something, as fast as possible, for some time.

const { urls, grpc, seconds, silentPort, only } = JSON.parse(
  process.argv[2] ?? "{}",
) as AttackSetting;
const until = performance.now() + seconds * 1_000;
const counts: Record<string, Record<string, number>> = {};
const large = "x".repeat(4_150_000);
// As many as an agent reads.
const manyParts = Array.from({ length: 131_000 }, () => ({ text: "" }));
const open: string[] = [];
let calls = 0;

/** Notes how a call of a kind went. */
function note(kind: string, outcome: string) {
  const outcomes = (counts[kind] ??= {});
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}

interface Response {
  readonly error?: { readonly code: number };
  readonly result?: { readonly task?: { readonly id: string } };
}

/** Calls one of the processes and returns the response, if any. */
async function call(kind: string, method: string, params: object) {
  const url = urls[(calls += 1) % urls.length] ?? "";
  try {
    const init = { method: "POST", headers: headersOf("attacker"), body: callOf(method, params) };
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(until + 2_000 - performance.now())));
    const response = await fetch(url, { ...init, signal });
    const body = JSON.parse(await response.text()) as Response;
    note(kind, body.error === undefined ? "accepted" : String(body.error.code));
    return body;
  } catch (error) {
    note(kind, error instanceof Error ? error.name : "failed");
    await pause(50);
    return undefined;
  }
}

const atOnce = { returnImmediately: true };

/** Starts a task. Tasks that stay open are kept for later attacks. */
async function begin(kind: string, text: string, configuration: object = {}) {
  const response = await call(
    kind,
    "SendMessage",
    messageOf(text, {}, { ...atOnce, ...configuration }),
  );
  const id = response?.result?.task?.id;
  if (id !== undefined && text.startsWith(endless)) open.push(id);
}

/** Opens a stream and reads nothing of it. */
async function subscribe(id: string) {
  const url = urls[(calls += 1) % urls.length] ?? "";
  try {
    const init = {
      method: "POST",
      headers: headersOf("attacker"),
      body: callOf("SubscribeToTask", { id }),
    };
    const response = await fetch(url, init);
    note(
      "subscribe",
      response.headers.get("content-type") === "text/event-stream" ? "accepted" : "refused",
    );
  } catch {
    note("subscribe", "failed");
  }
}

let hooks = 0;

/** Returns a webhook at a new host that never responds. */
function silentHook(): object {
  const host = (hooks += 1) % 60_000;
  const url = `http://127.1.${String(host >> 8)}.${String((host % 254) + 1)}:${String(silentPort)}/${String(hooks)}`;
  return { taskPushNotificationConfig: { url } };
}

const channels = grpc.map((address) => new GrpcAttacker(address));

/** Calls one of the processes over gRPC. */
async function callGrpc(kind: string, send: (channel: GrpcAttacker) => Promise<string>) {
  const channel = channels[(calls += 1) % channels.length];
  const outcome = channel === undefined ? "failed" : await send(channel);
  note(kind, outcome);
  if (outcome !== "accepted") await pause(5);
}

const anyOpen = () => open[Math.floor(Math.random() * open.length)] ?? "";
const post = (kind: string, text: string, configuration: object = {}): Promise<unknown> =>
  call(
    kind,
    "SendMessage",
    messageOf(text, { taskId: anyOpen() }, { ...atOnce, ...configuration }),
  );

/** The attacks by their names. */
const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
  "large message": () => begin("large message", `${endless} ${large}`),
  "large message to a task": () => post("large message to a task", large),
  "message to a task": () => post("message to a task", "short", { historyLength: 0 }),
  list: () => call("list", "ListTasks", { pageSize: 100, includeArtifacts: true }),
  "list without history": () =>
    call("list without history", "ListTasks", { pageSize: 100, historyLength: 0 }),
  get: () => call("get", "GetTask", { id: anyOpen(), historyLength: 0 }),
  message: () => begin("message", endless),
  webhook: () => begin("webhook", "short", silentHook()),
  "updates with a webhook": () =>
    begin("updates with a webhook", `${manyUpdates} ${large.slice(0, 120_000)}`, silentHook()),
  "webhooks at once": () =>
    Promise.all(Array.from({ length: 50 }, () => post("webhooks at once", "short", silentHook()))),
  echo: () => begin("echo", large),
  "many parts": () =>
    call("many parts", "SendMessage", messageOf("", { parts: manyParts }, atOnce)),
  "long id": () => call("long id", "GetTask", { id: large.slice(0, 1_000_000) }),
  "long context": () =>
    call(
      "long context",
      "SendMessage",
      messageOf("short", { contextId: large.slice(0, 8_000) }, atOnce),
    ),
  "gRPC large message": () => callGrpc("gRPC large message", (channel) => channel.text(large)),
  "gRPC many parts": () => callGrpc("gRPC many parts", (channel) => channel.parts(2_000_000)),
  "gRPC many lists": () => callGrpc("gRPC many lists", (channel) => channel.lists(900_000)),
  "gRPC lists below the limit": () =>
    callGrpc("gRPC lists below the limit", (channel) => channel.lists(60_000)),
  "gRPC many members": () => callGrpc("gRPC many members", (channel) => channel.members(300_000)),
  subscribe: () => subscribe(anyOpen()),
  cancel: async () => {
    const id = open.shift();
    if (id !== undefined && open.length > 20) await call("cancel", "CancelTask", { id });
    else await pause(10);
  },
};

/** Repeats an attack until the time is over. */
async function repeat(attack: () => Promise<unknown>) {
  while (performance.now() < until) await attack();
}

const chosen = Object.entries(attacks)
  .filter(([name]) => only === undefined || only.includes(name))
  .map(([, attack]) => attack);
const all = Promise.all(chosen.flatMap((attack) => [repeat(attack), repeat(attack)]));
// Streams whose head does not come have no limit of time.
await Promise.race([all, pause(seconds * 1_000 + 3_000)]);
process.send?.(counts);
// The CPU time of a process can be read until the process exits.
process.on("disconnect", () => process.exit());
