/* eslint-disable require-yield -- The turns end without an update. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { CreateOptions, TaskStore } from "../../../../library/kit/store.js";
import { completed } from "../../../../library/kit/turns/updates.js";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { redisStore } from "../../../../library/stores/redis.js";
import { kitAgent } from "../../../support/kit.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { noRedis, RedisServer } from "../../../support/redis.js";

const ids = Array.from({ length: 2_000 }, (_, index) => `task ${String(index)}`).sort();

/** Number of tasks that are added at the same time. */
const step = 100;

/** Adds tasks that no process works on. */
async function add(store: TaskStore, isAsleep: boolean): Promise<void> {
  const create = (id: string) => {
    const message = { messageId: id, role: "ROLE_USER" as const, parts: [{ text: "work" }] };
    const status = { state: "TASK_STATE_WORKING" as const };
    const rest: Partial<CreateOptions> = isAsleep
      ? { turn: { id, message, asleep: true }, wakeInMs: 0 }
      : { turn: { id, message }, claim: { holder: "a dead process", ttlMs: 0 } };
    const task = { id, contextId: "context", status, history: [message] };
    return store.create(task, { scope: { tenant: "", owner: "" }, turn: { id }, ...rest });
  };
  for (let at = 0; at < ids.length; at += step)
    await Promise.all(ids.slice(at, at + step).map(create));
}

/** Has two processes run the turns of all tasks, and returns the ids of the tasks. */
async function begunBy(stores: readonly TaskStore[]): Promise<string[]> {
  const begun: string[] = [];
  const agents = stores.map((store) =>
    kitAgent<number>({
      store,
      run: function* (this: void, { task }) {
        begun.push(task.id);
        return completed();
      },
    }),
  );
  await vi.waitFor(() => expect(begun.length).toBeGreaterThanOrEqual(ids.length), {
    timeout: 110_000,
  });
  await Promise.all(agents.map((agent) => agent.close()));
  expect(agents.flatMap(({ errors }) => errors)).toEqual([]);
  return begun;
}

const postgres = new PostgresServer();
const redis = new RedisServer();
const databases = [
  {
    name: "postgresStore",
    missing: noPostgres,
    server: postgres,
    open: (name: string) => postgresStore(postgres.pool(), { schema: name }),
  },
  {
    name: "redisStore",
    missing: noRedis,
    server: redis,
    open: (name: string) => redisStore(redis.io(), { prefix: name }),
  },
];

describe.each(databases)("$name with thousands of tasks", ({ missing, server, open, name }) => {
  beforeAll(() => (missing === undefined ? server.start() : undefined));
  afterAll(() => (missing === undefined ? server.stop() : undefined));
  it.skipIf(missing !== undefined).each([
    ["are due to wake", true],
    ["have lost their process", false],
  ])(
    `${name} has two processes run each of the tasks once that %s at the same time${missing === undefined ? "" : ` (skipped: ${missing})`}`,
    async (_, isAsleep) => {
      const place = isAsleep ? "asleep" : "lost";
      await add(open(place), isAsleep);
      const begun = await begunBy([open(place), open(place)]);
      expect(begun.sort()).toEqual(ids);
    },
  );
});
