import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../../library/kit/memory/store.js";
import type { TaskStore } from "../../../../library/kit/store.js";
import { postgresStore } from "../../../../library/stores/postgres.js";
import { redisStore } from "../../../../library/stores/redis.js";
import { sqliteStore } from "../../../../library/stores/sqlite.js";
import { artifact } from "../../../../library/kit/turns/artifact.js";
import {
  authRequired,
  completed,
  inputRequired,
  working,
} from "../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../support/kit.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";
import { noRedis, RedisServer } from "../../../support/redis.js";
import { Databases, sqliteLibrary } from "../../../support/sqlite.js";

/** Length of a text that is large for every store. */
const length = 1_000_000;

/** How often large texts were written as JSON and parsed, as multiples of {@link length}. */
interface Count {
  readonly written: number;
  readonly parsed: number;
}

/** Counts how often a call writes and parses large texts. */
async function counted(call: () => Promise<unknown>): Promise<Count> {
  const { stringify, parse } = JSON;
  const [writes, reads] = [vi.spyOn(JSON, "stringify"), vi.spyOn(JSON, "parse")];
  let [written, parsed] = [0, 0];
  const texts = (size: number) => Math.floor(size / length);
  writes.mockImplementation((...args: Parameters<typeof JSON.stringify>) => {
    const json: unknown = stringify(...args);
    if (typeof json === "string") written += texts(json.length);
    // For values such as `undefined` it returns no text, of which its type knows nothing.
    return json as string;
  });
  reads.mockImplementation((...args: Parameters<typeof JSON.parse>) => {
    parsed += texts(args[0].length);
    return parse(...args) as unknown;
  });
  try {
    await call();
    // Background work of a store starts before the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    writes.mockRestore();
    reads.mockRestore();
  }
  return { written, parsed };
}

/**
 * Counts the writes of a message that starts a task, of a message that continues it and is echoed,
 * and of a list.
 */
async function countsOf(store: TaskStore): Promise<Readonly<Record<string, Count>>> {
  const agent = kitAgent({
    store,
    async *run({ message: { parts, messageId } }) {
      if (messageId === "first") return inputRequired("And then?");
      yield artifact("echo").finish(parts);
      return completed("Done");
    },
  });
  const text = "x".repeat(length);
  const large = (messageId: string, rest = {}) =>
    message("", { messageId, parts: [{ text }], ...rest });
  let taskId = "";
  const echoed = await counted(() => agent.send(large("echo"), "ann"));
  const begun = await counted(
    async () => ({ id: taskId } = await agent.send(large("first"), "ann")),
  );
  const continued = await counted(() => agent.send(large("second", { taskId }), "ann"));
  const refused = await counted(() =>
    agent.send(large("third", { taskId }), "ann").catch(() => undefined),
  );
  const read = await counted(() => agent.get(taskId, "ann"));
  await agent.close();
  return { echoed, begun, continued, refused, read, ...(await countsOfLongTurns(store)) };
}

/**
 * Counts the writes of turns that are stored again after their message: by the process that resumes
 * them, and when their task pauses while they continue.
 */
async function countsOfLongTurns(
  store: TaskStore,
): Promise<Readonly<Record<"resumed" | "paused", Count>>> {
  const sentBy = async (agent: ReturnType<typeof kitAgent>): Promise<unknown> => {
    const parts = [{ text: "x".repeat(length) }];
    return agent.send({
      ...message("", { messageId: "long", parts }),
      configuration: { returnImmediately: true },
    });
  };
  const first = kitAgent({
    store,
    async *run({ signal }) {
      yield working();
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      return completed();
    },
  });
  await sentBy(first);
  await first.close();
  let resume: () => void = () => undefined;
  const isResumed = new Promise<void>((resolve) => (resume = resolve));
  const second = kitAgent({
    store,
    // Looks for abandoned tasks once a second.
    leaseMs: 3_000,
    async *run({ resumed, checkpoint }) {
      if (!resumed) await Promise.resolve();
      yield resumed ? working() : authRequired("Sign in");
      await checkpoint(1);
      if (resumed) resume();
      return completed();
    },
  });
  const resumed = await counted(async () => {
    await second.list();
    await isResumed;
  });
  const paused = await counted(() => sentBy(second));
  await second.close();
  return { resumed, paused };
}

/** Without notifications, a watch gets what this process appends, and never reads it before. */
const quiet = { listen: false, pollMs: 600_000 } as const;

/** Requirements of stores outside of the process. */
const expected = {
  // The message is part of the snapshot, and the artifact of the log.
  echoed: { written: 2, parsed: 0 },
  // The start of the turn refers to the message in the snapshot.
  begun: { written: 1, parsed: 0 },
  // The message is written when it is posted and when it is taken, and the artifact once. The post
  // reads the task without the message, and the response is read. The watch of the caller may read
  // what this process is about to tell it.
  continued: { written: 3, parsed: 6 },
  // The message has been sent to the engine when the task is found to have ended.
  refused: { written: 1, parsed: 0 },
  read: { written: 0, parsed: 3 },
  // The resumed turn refers to the message in the history.
  resumed: { written: 0, parsed: 2 },
  paused: { written: 1, parsed: 0 },
};

/** Expects that nothing was written or parsed more often. */
function expectAtMost(counts: Readonly<Record<string, Count>>) {
  expect(Object.keys(counts)).toEqual(Object.keys(expected));
  for (const [name, most] of Object.entries(expected)) {
    expect([name, counts[name]?.written]).toEqual([name, most.written]);
    expect(counts[name]?.parsed, name).toBeLessThanOrEqual(most.parsed);
  }
}

describe("large messages and chunks are written and read no more often than necessary", () => {
  it("memoryStore writes and reads large values once", async () => {
    const none = { written: 0, parsed: 0 };
    expect(await countsOf(memoryStore())).toEqual({
      echoed: none,
      begun: none,
      continued: none,
      refused: none,
      read: none,
      resumed: none,
      paused: none,
    });
  });

  const { missing } = sqliteLibrary;
  it.skipIf(missing !== undefined)(
    `sqliteStore writes and reads large values once${missing === undefined ? "" : ` (skipped: ${missing})`}`,
    async () => {
      const databases = new Databases();
      const store = sqliteStore(databases.open(), { durable: false });
      try {
        expectAtMost(await countsOf(store));
      } finally {
        store.close();
        databases.remove();
      }
    },
  );

  describe.skipIf(noPostgres !== undefined)(
    `postgresStore${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
    () => {
      const server = new PostgresServer();
      beforeAll(() => server.start());
      afterAll(() => server.stop());

      it("postgresStore without notifications writes and reads large values once", async () => {
        const store = postgresStore(server.pool(), quiet);
        expectAtMost(await countsOf(store));
        store.close();
      });
    },
  );

  describe.skipIf(noRedis !== undefined)(
    `redisStore${noRedis === undefined ? "" : ` (skipped: ${noRedis})`}`,
    () => {
      const server = new RedisServer();
      beforeAll(() => server.start());
      afterAll(() => server.stop());

      it("redisStore without notifications writes and reads large values once", async () => {
        const store = redisStore(server.io(), quiet);
        expectAtMost(await countsOf(store));
        store.close();
      });
    },
  );
});
