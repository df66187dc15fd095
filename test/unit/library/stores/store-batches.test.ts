import pg from "pg";
import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type Entry,
  type InboxItem,
  type Lease,
  LeaseLostError,
  type TaskStore,
} from "../../../../library/kit/store.js";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { redisStore } from "../../../../library/stores/redis.js";
import { sqliteStore } from "../../../../library/stores/sqlite.js";
import {
  Bench,
  chunkEntry,
  messageEntry,
  working,
} from "../../../../library/stores/testing/contract/bench.js";
import { Proxy } from "../../../cluster/proxy.js";
import { databasesForSuite } from "../../../support/databases.js";
import { noPostgres } from "../../../support/postgres.js";
import { Random, seedOf } from "../../../support/random/random.js";
import { noRedis } from "../../../support/redis.js";
import { seed } from "../../../support/seed.js";
import { sized } from "../../../support/size.js";
import { sqliteLibrary } from "../../../support/sqlite.js";

/** A task as the rules of the store define it after its appends. */
interface Model {
  readonly id: string;
  lease: Lease;
  generation: number;
  /** Generations and texts of all entries of the log. */
  readonly log: string[];
  inbox: InboxItem[];
  isHeld: boolean;
  /** The last append, which may be repeated. */
  last: Attempt | undefined;
}

/** An append, its expected result, and the change of the model if it succeeds. */
interface Attempt {
  readonly lease: Lease;
  readonly entries: readonly Entry[];
  readonly options: {
    readonly taken?: readonly string[];
    readonly release?: boolean;
    readonly ttlMs?: number;
  };
  readonly expected:
    "lost" | "refused" | { readonly inbox: readonly string[]; readonly released: boolean };
  readonly apply: () => void;
}

function nothing() {
  // The append changes nothing.
}

function textOf(entry: Entry) {
  const { generation } = entry;
  if ("message" in entry) return `${String(generation)} message ${entry.item}`;
  return `${String(generation)} ${"statusUpdate" in entry.event ? "status" : "artifact"}`;
}

/** A kind of append, which the store accepts or rejects. */
type Kind = (model: Model, random: Random) => Attempt;

const valid: Kind = (model, random) => {
  const { lease, id } = model;
  const entries: Entry[] = [];
  let { generation } = model;
  const taken = model.inbox.filter((item) => item.message !== undefined && random.oneIn(2));
  for (const item of taken)
    if (item.message !== undefined)
      entries.push(messageEntry(generation, { ...item, message: item.message }));
  for (let count = random.below(3) + (taken.length === 0 ? 1 : 0); count > 0; count -= 1) {
    generation += 1;
    const artifact = { artifactId: "a", parts: [{ text: "part" }] };
    entries.push(
      random.oneIn(2) ? working({ id }, generation) : chunkEntry({ id }, generation, artifact),
    );
  }
  const ids = taken.map((item) => item.id);
  const left = model.inbox.filter((item) => !ids.includes(item.id));
  const release = random.oneIn(5);
  const released = release && left.length === 0;
  const attempt: Attempt = {
    lease,
    entries,
    options: { taken: ids, release, ttlMs: 600_000 },
    expected: { inbox: left.map((item) => item.id), released },
    apply() {
      model.log.push(...entries.map(textOf));
      Object.assign(model, { generation, inbox: left, isHeld: !released, last: attempt });
    },
  };
  return attempt;
};

const kinds: Readonly<Record<string, Kind>> = {
  valid,
  again(model, random) {
    const { last, inbox, isHeld } = model;
    if (last === undefined) return valid(model, random);
    // A repeated append that would release the lease does so, unless an item was posted since.
    const released = !isHeld || (last.options.release === true && inbox.length === 0);
    const expected = { inbox: isHeld ? inbox.map((item) => item.id) : [], released };
    return { ...last, expected, apply: () => (model.isHeld &&= !released) };
  },
  fenced: (model, random) => {
    const attempt = valid(model, random);
    const wrong = random.oneIn(2) ? { epoch: model.lease.epoch - 1 } : { holder: "process-9" };
    return { ...attempt, lease: { ...model.lease, ...wrong }, expected: "lost", apply: nothing };
  },
  unknown: (model, random) => ({
    ...valid(model, random),
    lease: { ...model.lease, id: `no ${model.id}` },
    expected: "lost",
    apply: nothing,
  }),
  wrong: (model, random) => {
    const attempt = valid(model, random);
    const entries = [...attempt.entries, working(model, model.generation + 9)];
    return { ...attempt, entries, expected: "refused", apply: nothing };
  },
  // Postgres refuses the number, and with it the whole statement.
  broken: (model, random) => {
    const attempt = valid(model, random);
    return { ...attempt, entries: [working(model, 2 ** 40)], expected: "refused", apply: nothing };
  },
  large: (model, random) => {
    const attempt = valid(model, random);
    const generation = (attempt.entries.at(-1)?.generation ?? model.generation) + 1;
    const artifact = { artifactId: "large", parts: [{ text: "x".repeat(70_000) }] };
    const entries = [...attempt.entries, chunkEntry(model, generation, artifact)];
    const apply = () => {
      model.log.push(...entries.map(textOf));
      const { released, inbox } = attempt.expected as {
        released: boolean;
        inbox: readonly string[];
      };
      const left = model.inbox.filter(({ id }) => inbox.includes(id));
      Object.assign(model, {
        generation,
        inbox: left,
        isHeld: !released,
        last: { ...attempt, entries },
      });
    };
    return { ...attempt, entries, apply };
  },
};

/**
 * Appends to many tasks at the same time, round after round, and compares each result and the tasks
 * with the model.
 */
async function compare(store: TaskStore, random: Random, rounds: number, fault: () => void) {
  const bench = new Bench(store, 20_000, undefined);
  const { scope, claim } = bench;
  const models: Model[] = [];
  for (let count = 0; count < 24; count += 1) {
    const { id, lease } = await bench.open();
    models.push({ id, lease, generation: 1, log: [], inbox: [], isHeld: true, last: undefined });
  }
  // A task whose lease has expired.
  const { task: late, lease: expired } = await bench.open({}, { claim: { ...claim, ttlMs: 1 } });
  await bench.pass(2);
  const names = ["valid", "valid", "valid", ...Object.keys(kinds)];
  for (let round = 0; round < rounds; round += 1) {
    for (const model of models) await prepare(store, bench, model, random);
    fault();
    const chosen = models.map((model) => {
      const name = model.isHeld ? random.pick(names) : "again";
      return { model, name, attempt: (kinds[name] ?? valid)(model, random) };
    });
    const tooLate = settle(store, {
      ...chosen[0]?.attempt,
      lease: expired,
      entries: [working(late, 2)],
      options: {},
    });
    const found = await Promise.all(chosen.map(({ attempt }) => settle(store, attempt)));
    expect(await tooLate).toBe("lost");
    for (const [at, { model, name, attempt }] of chosen.entries()) {
      expect([round, name, model.id, found[at]]).toEqual([round, name, model.id, attempt.expected]);
      attempt.apply();
    }
  }
  for (const model of models) {
    const stored = await until(() => store.read(scope, model.id));
    expect([model.id, stored?.generation, stored?.inbox]).toEqual([
      model.id,
      model.generation,
      model.inbox,
    ]);
    const watch = store.watch(scope, model.id, 1);
    const log: string[] = [];
    while (log.length < model.log.length) {
      const next = await until(() => bench.nextOf(watch));
      if (next === undefined || "reset" in next) break;
      log.push(...next.map(textOf));
    }
    watch.close();
    expect(log).toEqual(model.log);
  }
}

/**
 * Posts an item to the task at times, and to a task without a lease holder, which acquires the
 * lease.
 */
async function prepare(store: TaskStore, bench: Bench, model: Model, random: Random) {
  if (model.isHeld ? !random.oneIn(4) : random.oneIn(2)) return;
  const item = bench.item("hello");
  const posted = await until(() => store.post(bench.scope, model.id, item, bench.claim));
  model.inbox = [...model.inbox, item];
  if (posted?.outcome === "leased")
    Object.assign(model, { lease: posted.lease, isHeld: true, last: undefined });
}

/** Repeats a call whose connection fails, as the kit does. */
async function until<T>(call: () => Promise<T>) {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isOfConnection(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function isOfConnection(error: unknown) {
  return (
    error instanceof Error && /connect|closed|reset|timeout|another call|ended/i.test(error.message)
  );
}

async function settle(
  store: TaskStore,
  { lease, entries, options }: Pick<Attempt, "lease" | "entries" | "options">,
): Promise<Attempt["expected"]> {
  try {
    const { inbox, released } = await until(() => store.append(lease, entries, options));
    return { inbox: inbox.map((item) => item.id), released };
  } catch (error) {
    return error instanceof LeaseLostError ? "lost" : "refused";
  }
}

/** A store, and a function that makes its next calls fail. */
interface Subject {
  readonly store: TaskStore;
  readonly fault: (random: Random) => void;
}

/** Fault of some calls: their responses get lost, together with their connections. */
function faultOf(proxy: Proxy): Subject["fault"] {
  return (random) => {
    if (random.oneIn(2)) void proxy.swallow(random.pick(["cut", "reset"]), 2);
  };
}

const rounds = sized(12, 30);

function itMatches(
  name: string,
  missing: string | undefined,
  open: (isFaulty: boolean) => Promise<Subject>,
) {
  const skipped = missing === undefined ? "" : ` (skipped: ${missing})`;
  for (const isFaulty of [false, true])
    it.skipIf(missing !== undefined || (isFaulty && name === "SQLite"))(
      `each of many appends to ${name} gets the verdict of the model${isFaulty ? ", also if responses are lost" : ""}, with the seed ${String(seed)}${skipped}`,
      async () => {
        const random = new Random(seedOf(seed, name, isFaulty ? 1 : 0));
        const { store, fault } = await open(isFaulty);
        await compare(store, random, rounds, () => {
          if (isFaulty) fault(random);
        });
      },
      60_000,
    );
}

describe("appends that the store makes together", () => {
  const { postgres, redis, databases } = databasesForSuite();

  const onPostgres = async (isFaulty: boolean): Promise<Subject> => {
    const proxy = await Proxy.to({ path: postgres.socket }, new Random(seed));
    const pool = new pg.Pool({
      connectionString: `postgres://test@${proxy.address}/postgres`,
      max: 5,
    });
    const store = postgresStore(pool, { schema: `batches_${String(isFaulty)}`, listen: false });
    onTestFinished(async () => {
      store.close();
      await pool.end();
      await proxy.close();
    });
    return { store, fault: faultOf(proxy) };
  };
  const onRedis = async (isFaulty: boolean): Promise<Subject> => {
    const proxy = await Proxy.to({ host: "127.0.0.1", port: redis.port }, new Random(seed));
    const client = new Redis(`redis://${proxy.address}`);
    client.on("error", nothing);
    const store = redisStore(client, { prefix: `batches-${String(isFaulty)}`, listen: false });
    onTestFinished(async () => {
      store.close();
      client.disconnect();
      await proxy.close();
    });
    return { store, fault: faultOf(proxy) };
  };
  const onSqlite = (): Promise<Subject> => {
    const store = sqliteStore(databases.open(), { durable: false });
    return Promise.resolve({ store, fault: nothing });
  };

  itMatches("Postgres", noPostgres, onPostgres);
  itMatches("Redis", noRedis, onRedis);
  itMatches("SQLite", sqliteLibrary.missing, onSqlite);

  it.skipIf(noPostgres !== undefined)(
    `an append does not wait for a task that another transaction has locked${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
    async () => {
      const schema = "locked";
      const pool = postgres.pool();
      const store = postgresStore(pool, { schema, listen: false });
      onTestFinished(() => {
        store.close();
      });
      const bench = new Bench(store, 20_000, undefined);
      const opened = [
        await bench.open(),
        await bench.open(),
        await bench.open(),
        await bench.open(),
      ];
      const [locked] = opened;
      const client = await pool.connect();
      onTestFinished(() => {
        client.release(true);
      });
      await client.query("BEGIN");
      await client.query(`SELECT FROM ${schema}.heads WHERE id = $1 FOR UPDATE`, [locked?.id]);
      let isLate = true;
      // The first append goes alone, and the others together.
      const [first, waiting, ...others] = [
        ...opened.slice(1, 2),
        ...opened.slice(0, 1),
        ...opened.slice(2),
      ].map(({ task, lease }) => store.append(lease, [working(task, 2)]));
      void waiting?.then(() => (isLate = false));
      await Promise.all([first, ...others]);
      expect(isLate).toBe(true);
      await client.query("COMMIT");
      await waiting;
      expect(
        (await store.list(bench.scope, { limit: 9 })).tasks.map(({ generation }) => generation),
      ).toEqual([2, 2, 2, 2]);
    },
  );
});
