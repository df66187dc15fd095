import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { createAgent, type AgentCard } from "../../generated/1.0/index.js";
import { completed, taskService, working, type Turn } from "../../generated/1.0/kit/index.js";
import { fetchHandler } from "../../generated/1.0/server/index.js";
import { postgresStore } from "../../library/stores/postgres.js";
import { redisStore } from "../../library/stores/redis.js";
import type { ClosableStore } from "../../library/stores/log/log-store.js";
import { isBelow, processes } from "../../test/cluster/cpu.js";
import { noPostgres, PostgresServer } from "../../test/support/postgres.js";
import { noRedis, RedisServer } from "../../test/support/redis.js";
import type { Effort } from "../clock.js";
import type { Point } from "../point.js";
import { card } from "../servers/work.js";

const sizes = [1, 10, 100, 1_000];

/** Updates of a task, and the time between two of them, so that each is an append of its own. */
const updates = 20;
const betweenMs = 20;

/** Tasks that run at the same time. */
const callers = 40;

/** A database that all processes use. */
interface Engine {
  readonly name: string;
  readonly missing: string | undefined;
  start(): Promise<Running>;
}

interface Running {
  /** Opens a store with a connection for notifications of its own. */
  readonly open: () => ClosableStore;
  readonly stop: () => Promise<void>;
}

const engines: readonly Engine[] = [
  { name: "Postgres", missing: noPostgres, start: postgres },
  { name: "Redis", missing: noRedis, start: redis },
];

/**
 * Measures what the processes of an agent cost their database: CPU time for each event of a task,
 * for each event that another process watches, for each event with a webhook, and while nothing happens. The
 * processes are simulated: each has an agent, a store and a connection for notifications of its
 * own, in the process of the benchmark. Only the CPU time of the database counts.
 */
export async function* measure({ quick }: Effort): AsyncGenerator<Point> {
  for (const engine of engines) {
    if (engine.missing !== undefined) {
      console.error(`  without ${engine.name}: ${engine.missing}`);
      continue;
    }
    for (const x of quick ? [1, 2] : sizes) {
      const series = engine.name;
      const found = await measureFleet(engine, x, quick ? 100 : 8_000);
      for (const [panel, y] of Object.entries(found)) yield { panel, series, x, y };
    }
  }
}

async function measureFleet(
  engine: Engine,
  x: number,
  ms: number,
): Promise<Record<string, number>> {
  const { open, stop } = await engine.start();
  const members: Member[] = [];
  try {
    // One after another, as a deployment starts processes.
    for (let count = 0; count < x; count += 1) {
      const store = open();
      members.push(newMember(store));
      await store.read({ tenant: "", owner: "" }, "none");
    }
    const idleMs = 2 * ms;
    // Processes start their timers and connections.
    await pause(Math.min(ms, 5_000));
    const idle = await engineLoad(() => pause(idleMs));
    const run = { members, ms, idle };
    return {
      idle: idle * 1_000,
      alone: await costOf(run),
      watched: await costOf(run, watch),
      webhook: await costOf(run, undefined, { url: "https://webhook.test/" }),
    };
  } finally {
    await Promise.all(members.map(({ close }) => close()));
    await stop();
  }
}

/** A simulated process. */
interface Member {
  readonly handle: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

function newMember(store: ClosableStore): Member {
  const service = taskService({
    store,
    async *run(turn: Turn) {
      for (let update = 1; update < updates; update += 1) {
        yield working(String(update));
        await pause(betweenMs);
      }
      return completed(`${turn.message.messageId} is done`);
    },
    push: { transport: { post: () => Promise.resolve({ status: 200 }) } },
  });
  const capabilities = { ...card.capabilities, pushNotifications: true };
  const agentCard: AgentCard = { ...card, capabilities };
  const agent = createAgent({ card: agentCard, service });
  return {
    handle: fetchHandler(agent),
    close: async () => {
      await service.close();
      store.close();
    },
  };
}

/** Calls a method of a member over JSON-RPC. */
async function call(member: Member, method: string, params: object): Promise<Response> {
  const response = await member.handle(
    new Request("http://agent.test/", {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    }),
  );
  if (!response.ok) throw new Error(await response.text());
  return response;
}

/** Conditions under which events are measured. */
interface Run {
  readonly members: readonly Member[];
  /** Duration in milliseconds. */
  readonly ms: number;
  /** Load of the engine while nothing happens, in cores. */
  readonly idle: number;
}

/**
 * Returns the CPU time of the engine for an event in microseconds, without its time for idle
 * processes.
 * @param follow Called with a task, and the process that did not begin it.
 */
async function costOf(
  { members, ms, idle }: Run,
  follow?: (other: Member, id: string) => Promise<void>,
  taskPushNotificationConfig?: { readonly url: string },
): Promise<number> {
  let done = 0;
  let started = 0;
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      const at = (started += 1);
      const member = members[at % members.length];
      const other = members[(at + Math.ceil(members.length / 2)) % members.length];
      if (member === undefined || other === undefined) return;
      const message = { messageId: `m-${String(at)}`, role: "ROLE_USER", parts: [{ text: "Go" }] };
      const response = await call(member, "SendMessage", {
        message,
        configuration: {
          returnImmediately: follow !== undefined,
          ...(taskPushNotificationConfig && { taskPushNotificationConfig }),
        },
      });
      const { result } = (await response.json()) as Sent;
      await follow?.(other, result.task.id);
      done += 1;
    }
  };
  const running = Array.from({ length: callers }, run);
  await pause(Math.min(ms, 2_000));
  const before = done;
  const began = performance.now();
  const load = await engineLoad(async () => {
    do await pause(ms);
    while (done === before);
  });
  const seconds = ((load - idle) * (performance.now() - began)) / 1_000;
  const events = (done - before) * updates;
  isOver = true;
  await Promise.all(running);
  return (seconds / events) * 1e6;
}

interface Sent {
  readonly result: { readonly task: { readonly id: string } };
}

/** Subscribes to a task, and reads its stream to the end. */
async function watch(other: Member, id: string): Promise<void> {
  const response = await call(other, "SubscribeToTask", { id });
  await response.text();
}

/** Returns the load of the database during some work, in cores. */
async function engineLoad(work: () => Promise<void>): Promise<number> {
  const before = engineTime();
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  return (engineTime() - before) / seconds;
}

/** Returns the CPU time of the database so far in seconds, with its processes that have ended. */
function engineTime(): number {
  const all = processes();
  let sum = 0;
  for (const [pid, { seconds, endedSeconds }] of all)
    if (pid !== process.pid && isBelow(all, pid)) sum += seconds + endedSeconds;
  return sum;
}

async function postgres(): Promise<Running> {
  const server = new PostgresServer("fsync=off", "max_connections=1200");
  await server.start();
  // Many processes share a pooler, but each needs a connection of its own for notifications.
  const pool = server.pool();
  return {
    open: () => postgresStore(pool, { listen: server.pool() }),
    stop: () => server.stop(),
  };
}

async function redis(): Promise<Running> {
  const server = new RedisServer();
  await server.start();
  const client = new Redis(server.port, "127.0.0.1", { maxRetriesPerRequest: 1 });
  return {
    open: () => redisStore(client),
    async stop() {
      client.disconnect();
      await server.stop();
    },
  };
}
