import { Redis } from "ioredis";
import type { Message, TaskStatus } from "../../generated/1.1-draft/models.js";
import type { Entry, Lease, TaskStore } from "../../library/kit/store.js";
import { postgresStore } from "../../library/stores/postgres.js";
import { redisStore } from "../../library/stores/redis.js";
import { sqliteStore } from "../../library/stores/sqlite.js";
import { noPostgres, PostgresServer } from "../../test/support/postgres.js";
import { quantile } from "../../test/support/quantile.js";
import { noRedis, RedisServer } from "../../test/support/redis.js";
import { Databases, sqliteLibrary } from "../../test/support/sqlite.js";
import {
  type Contestants,
  type Effort,
  measures,
  measuresTogether,
  median,
  thorough,
} from "../clock.js";
import { amount, rate, type Result } from "../result.js";

/** A store, and a baseline in which its engine only writes the same rows. */
interface Subject {
  readonly name: string;
  readonly store: TaskStore;
  readonly peerName: string;
  /** Writes the events of a task from a generation on, each as a separate row. */
  readonly write: (id: string, from: number, bodies: readonly string[]) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Events of an append, and the number of tasks to which events are appended at the same time. */
const loads = [
  { size: 1, tasks: 1 },
  { size: 1, tasks: 50 },
  { size: 10, tasks: 50 },
  { size: 100, tasks: 10 },
] as const;

/** Longer turns, because a round trip takes longer than a function. */
const times = { rounds: 7, turnMs: 1_000, warmUpMs: 1_000, quick: false };

/** Turns in which the slowest calls are measured: longer than most stalls of the machine. */
const shortTurnMs = 50;

/**
 * Measures how many events stores append if a turn does not wait, compared with their engines: a
 * prepared statement for each event, or an entry of a stream, with the same client, settings and
 * text. Every write is on the disk when its call resolves. The time of the status moves with each
 * event, as in real tasks. An engine that is not installed is skipped.
 */
export async function* measure(effort: Effort = thorough): AsyncGenerator<Result> {
  for (const open of [postgres, redis, sqlite]) {
    const subject = await open();
    if (subject === undefined) continue;
    try {
      for (const load of loads) yield* ofAppends(subject, load, effort);
    } finally {
      await subject.close();
    }
  }
}

type Load = (typeof loads)[number];

async function* ofAppends(subject: Subject, load: Load, effort: Effort): AsyncGenerator<Result> {
  const { name, store, peerName, write } = subject;
  const { size, tasks } = load;
  const ours = await contestant(subject, tasks, (task) =>
    store.append(task.lease, entriesOf(task, size)),
  );
  const peer = await contestant(subject, tasks, (task) => {
    const from = task.generation;
    const bodies = entriesOf(task, size).map((entry) => JSON.stringify(entry));
    return write(task.lease.id, from, bodies);
  });
  const { rounds, turnMs, warmUpMs } = effort.quick ? effort : times;
  for (const each of [ours, peer]) await turnOf(each, tasks, warmUpMs);
  const found = await measures(
    {
      ours: async () => size * (await turnOf(ours, tasks, turnMs)),
      peer: async () => size * (await turnOf(peer, tasks, turnMs)),
    },
    rounds,
  );
  const batch = size === 1 ? "one by one" : `${String(size)} at a time`;
  const title = `${name}, events ${batch}, ${tasks === 1 ? "one task" : `${String(tasks)} tasks`}`;
  yield rate(title, found.ours, peerName, found.peer, "events/s");
  if (size > 1 || tasks === 1) return;
  // Both get half of the load that the slower one takes. A call writes all events of an append.
  const perSecond = Math.min(median(found.ours), median(found.peer)) / size / 2;
  const late = await measuresTogether(() => latenessOf({ ours, peer }, perSecond, turnMs), rounds);
  yield amount(`${title}, slowest of 100 at half the load`, late.ours, peerName, late.peer, "ms");
}

/** Writes to one of its tasks that no other call is using. */
type Contestant = () => Promise<unknown>;

async function contestant(
  { store }: Subject,
  tasks: number,
  use: (task: Begun) => Promise<unknown>,
): Promise<Contestant> {
  const free = await Promise.all(Array.from({ length: tasks }, () => begun(store)));
  const waiting: ((task: Begun) => void)[] = [];
  return async () => {
    const task = free.pop() ?? (await new Promise<Begun>((resolve) => waiting.push(resolve)));
    await use(task);
    const next = waiting.shift();
    if (next === undefined) free.push(task);
    else next(task);
  };
}

/** Returns how often a function runs per second if several loops call it at the same time. */
async function turnOf(run: Contestant, loops: number, ms: number): Promise<number> {
  let runs = 0;
  const start = performance.now();
  const loop = async (): Promise<void> => {
    do {
      await run();
      runs += 1;
    } while (performance.now() - start < ms);
  };
  await Promise.all(Array.from({ length: loops }, loop));
  return (runs / (performance.now() - start)) * 1000;
}

/**
 * Returns for each contestant the time in milliseconds within which 99 of 100 calls at a rate
 * settle, from the time at which they are due. The slowest calls are those during a stall of the
 * machine, so the contestants alternate in short turns within the same seconds.
 */
async function latenessOf<Name extends string>(
  contestants: Contestants<Name, Promise<unknown>>,
  perSecond: number,
  ms: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(contestants) as Name[];
  const late = new Map(names.map((name) => [name, [] as number[]]));
  for (let spent = 0; spent < ms; spent += shortTurnMs)
    for (const [name, times] of late) {
      const found = await latenessesOf(contestants[name], perSecond, Math.min(ms, shortTurnMs));
      for (const time of found) times.push(time);
    }
  const slowest = [...late].map(([name, times]) => [name, quantile(times, 0.99)]);
  return Object.fromEntries(slowest) as Record<Name, number>;
}

/** Returns how long the calls take that are due during a turn. */
async function latenessesOf(run: Contestant, perSecond: number, ms: number): Promise<number[]> {
  const late: number[] = [];
  const running: Promise<unknown>[] = [];
  const start = performance.now();
  for (let made = 0; performance.now() - start < ms || made === 0;) {
    for (const due = ((performance.now() - start) / 1000) * perSecond; made < due; made += 1) {
      const since = start + (made / perSecond) * 1000;
      running.push(run().then(() => late.push(performance.now() - since)));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(running);
  return late;
}

interface Begun {
  readonly lease: Lease;
  generation: number;
}

let count = 0;

async function begun(store: TaskStore): Promise<Begun> {
  const id = `task-${String((count += 1))}`;
  const scope = { tenant: "", owner: "ada" };
  const task = { id, contextId: "c", status: statusOf("I begin") };
  const claim = { holder: "bench", ttlMs: 3_600_000 };
  const lease = await store.create(task, { scope, turn: { id: `turn-${id}` }, claim });
  if (lease === undefined) throw new Error(`${id} has no lease`);
  return { lease, generation: 1 };
}

function statusOf(text: string): TaskStatus {
  const message: Message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text }] };
  return { state: "TASK_STATE_WORKING", timestamp: new Date().toISOString(), message };
}

function entriesOf(task: Begun, size: number): Entry[] {
  return Array.from({ length: size }, () => {
    const status = statusOf(
      "The next part of a text that a model has said, with about as many words as such a part has.",
    );
    const statusUpdate = { taskId: task.lease.id, contextId: "c", status };
    return { generation: (task.generation += 1), event: { statusUpdate } };
  });
}

async function postgres(): Promise<Subject | undefined> {
  if (noPostgres !== undefined) return leftOut("Postgres", noPostgres);
  const server = new PostgresServer("fsync=on");
  await server.start();
  const pool = server.pool();
  const store = postgresStore(pool);
  await pool.query(
    "CREATE TABLE rows (id text, generation int, body json, PRIMARY KEY (id, generation))",
  );
  const text = "INSERT INTO rows VALUES ($1, $2, $3)";
  return {
    name: "Postgres",
    store,
    peerName: "an insert for each event",
    async write(id, from, bodies) {
      for (const [at, body] of bodies.entries())
        await pool.query({ name: "row", text, values: [id, from + at + 1, body] });
    },
    async close() {
      store.close();
      await server.stop();
    },
  };
}

async function redis(): Promise<Subject | undefined> {
  if (noRedis !== undefined) return leftOut("Redis", noRedis);
  const server = new RedisServer("--appendonly", "yes", "--appendfsync", "always");
  await server.start();
  const client = new Redis(server.port);
  const store = redisStore(client);
  return {
    name: "Redis",
    store,
    peerName: "an XADD for each event",
    async write(id, from, bodies) {
      for (const [at, body] of bodies.entries())
        await client.xadd(id, `${String(from + at + 1)}-0`, "body", body);
    },
    async close() {
      store.close();
      client.disconnect();
      await server.stop();
    },
  };
}

function sqlite(): Promise<Subject | undefined> {
  if (sqliteLibrary.missing !== undefined)
    return Promise.resolve(leftOut("SQLite", sqliteLibrary.missing));
  const databases = new Databases();
  const database = databases.open();
  const store = sqliteStore(database);
  database.exec(
    "CREATE TABLE rows (id TEXT, generation INTEGER, body TEXT, PRIMARY KEY (id, generation))",
  );
  const insert = database.prepare("INSERT INTO rows VALUES (?, ?, ?)");
  return Promise.resolve({
    name: `SQLite by ${sqliteLibrary.name}`,
    store,
    peerName: "an insert for each event",
    write(id, from, bodies) {
      for (const [at, body] of bodies.entries()) insert.run(id, from + at + 1, body);
      return Promise.resolve();
    },
    close() {
      store.close();
      databases.remove();
      return Promise.resolve();
    },
  });
}

function leftOut(name: string, why: string): undefined {
  console.error(`  without ${name}: ${why}`);
}
