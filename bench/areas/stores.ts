import { Redis } from "ioredis";
import type { Message, TaskStatus } from "../../generated/1.1-draft/models.js";
import type { Entry, Lease, TaskStore } from "../../templates/kit/store.js";
import { postgresStore } from "../../templates/kit/stores/postgres.js";
import { redisStore } from "../../templates/kit/stores/redis.js";
import { sqliteStore } from "../../templates/kit/stores/sqlite.js";
import { noPostgres, PostgresServer } from "../../test/support/postgres.js";
import { noRedis, RedisServer } from "../../test/support/redis.js";
import { Databases, sqliteLibrary } from "../../test/support/sqlite.js";
import { ratesLater, thorough, type Effort } from "../clock.js";
import { rate, type Result } from "../result.js";

/** A store, and a baseline in which its engine only writes the same rows. */
interface Subject {
  readonly name: string;
  readonly store: TaskStore;
  readonly peerName: string;
  /** Writes the events of a task from a generation on, each as a separate row. */
  readonly write: (id: string, from: number, bodies: readonly string[]) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Number of tasks that are written at the same time. */
const parallel = 10;

/** Longer turns, because a round trip takes longer than a function. */
const times = { rounds: 7, turnMs: 1_000, warmUpMs: 1_000, quick: false };

/**
 * Measures how many events stores append if a turn does not wait, compared with their engines: a prepared
 * statement for each event, or an entry of a stream, with the same client and settings. Every write is on the disk
 * when its call resolves. An engine that is not installed is skipped.
 */
export async function* measure(effort: Effort = thorough): AsyncGenerator<Result> {
  for (const open of [postgres, redis, sqlite]) {
    const subject = await open();
    if (subject === undefined) continue;
    try {
      for (const size of [1, 10, 100]) yield await ofAppends(subject, size, effort);
    } finally {
      await subject.close();
    }
  }
}

async function ofAppends({ name, store, peerName, write }: Subject, size: number, effort: Effort): Promise<Result> {
  const [own, others] = [await manyBegun(store), await manyBegun(store)];
  const found = await ratesLater(
    {
      ours: () => next(own, (task) => store.append(task.lease, entriesOf(task, size))),
      peer: () =>
        next(others, (task) => {
          const from = task.generation;
          const bodies = entriesOf(task, size).map((entry) => JSON.stringify(entry));
          return write(task.lease.id, from, bodies);
        }),
    },
    effort.quick ? effort : times,
    parallel,
  );
  const batch = size === 1 ? "one by one" : `${String(size)} at a time`;
  const [ours, peer] = [found.ours, found.peer].map((rounds) => rounds.map((value) => value * size));
  return rate(`${name}, events ${batch}`, ours ?? [], peerName, peer ?? [], "events/s");
}

interface Begun {
  readonly lease: Lease;
  generation: number;
}

/** Calls a function with a task that no other call is using. */
async function next(tasks: Begun[], use: (task: Begun) => Promise<unknown>): Promise<void> {
  const task = tasks.pop();
  if (task === undefined) throw new Error("More calls than tasks");
  await use(task);
  tasks.push(task);
}

let count = 0;

async function manyBegun(store: TaskStore): Promise<Begun[]> {
  return await Promise.all(Array.from({ length: parallel }, () => begun(store)));
}

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
  return { state: "TASK_STATE_WORKING", timestamp: "2026-01-01T00:00:00.000Z", message };
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
  await pool.query("CREATE TABLE rows (id text, generation int, body json, PRIMARY KEY (id, generation))");
  const text = "INSERT INTO rows VALUES ($1, $2, $3)";
  return {
    ...{ name: "Postgres", store, peerName: "an insert for each event" },
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
    ...{ name: "Redis", store, peerName: "an XADD for each event" },
    async write(id, from, bodies) {
      for (const [at, body] of bodies.entries()) await client.xadd(id, `${String(from + at + 1)}-0`, "body", body);
    },
    async close() {
      store.close();
      client.disconnect();
      await server.stop();
    },
  };
}

function sqlite(): Promise<Subject | undefined> {
  if (sqliteLibrary.missing !== undefined) return Promise.resolve(leftOut("SQLite", sqliteLibrary.missing));
  const databases = new Databases();
  const database = databases.open();
  const store = sqliteStore(database);
  database.exec("CREATE TABLE rows (id TEXT, generation INTEGER, body TEXT, PRIMARY KEY (id, generation))");
  const insert = database.prepare("INSERT INTO rows VALUES (?, ?, ?)");
  return Promise.resolve({
    ...{ name: `SQLite by ${sqliteLibrary.name}`, store, peerName: "an insert for each event" },
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
