import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { UnsupportedOperationError } from "../../../../generated/1.1-draft/errors.js";
import { defaultLimits } from "../../../../library/kit/limits/limits.js";
import { hookBytes, pageBytes } from "../../../../library/kit/limits/size.js";
import type { TaskServiceOptions } from "../../../../library/kit/options.js";
import { type PostgresPool, postgresStore } from "../../../../library/stores/postgres.js";
import { Bench, chunkEntry } from "../../../../library/stores/testing/contract/bench.js";
import { completed, working } from "../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../support/kit.js";
import { noPostgres, PostgresServer } from "../../../support/postgres.js";

/*
 * Attacks with requests below all limits of a single request that once made one statement return
 * everything: above 512 MiB, `pg` throws outside of any promise, and the process ends. Each test
 * runs an attack at a size at which the limits of statements apply, and adds up the bytes that
 * statements return.
 */

/**
 * Size of a large message. A page of a statement has room for some of them, and not for all
 * messages of a test.
 */
const largeBytes = 1_000_000;

/** Room for ids, times, statuses and names in addition to large texts. */
const smallBytes = 100_000;

const large = "x".repeat(largeBytes);

/** Bytes that the statements of a store have returned. */
interface Returned {
  /** The most that one statement has returned. */
  most: number;
  /**
   * The sum for each function of the store, or the words before the first parameter of another
   * statement.
   */
  readonly sums: Map<string, number>;
}

/** Returns a pool that measures its results. */
function measured(pool: PostgresPool): {
  readonly pool: PostgresPool;
  readonly returned: Returned;
} {
  const returned: Returned = { most: 0, sums: new Map() };
  const query: PostgresPool["query"] = async (text, values) => {
    const result = await pool.query(text, values);
    // The result of the statements that create the tables is a list.
    const bytes = Array.isArray(result) ? 0 : JSON.stringify(result.rows).length;
    const name = /^SELECT (?:\* FROM )?a2a\.(\w+)\(/.exec(text)?.[1] ?? "other";
    returned.most = Math.max(returned.most, bytes);
    returned.sums.set(name, (returned.sums.get(name) ?? 0) + bytes);
    return result;
  };
  return { pool: { query, connect: () => pool.connect() }, returned };
}

describe.skipIf(noPostgres !== undefined)(
  `attacks on postgresStore with large tasks${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`,
  () => {
    const server = new PostgresServer();
    beforeAll(() => server.start());
    afterAll(() => server.stop());

    /** Returns a process on an empty database, and what its statements return. */
    async function opened() {
      await server.sql("DROP SCHEMA IF EXISTS a2a CASCADE");
      const { pool, returned } = measured(server.pool());
      const store = postgresStore(pool, { listen: false, pollMs: 20 });
      onTestFinished(() => {
        store.close();
      });
      const agent = (options: Omit<TaskServiceOptions<string>, "store">) => {
        const made = kitAgent({ store, leaseMs: 3_000, ...options });
        onTestFinished(() => made.close());
        return made;
      };
      return { store, agent, returned };
    }

    let messages = 0;
    /** Returns a large message. Its response comes at once. */
    const largeMessage = (rest: { readonly taskId?: string } = {}) => {
      const messageId = `large-${String((messages += 1))}`;
      return {
        ...message(large, { ...rest, messageId }),
        configuration: { returnImmediately: true },
      };
    };

    /** A turn that works until it is aborted. */
    async function* endless({ signal }: { readonly signal: AbortSignal }) {
      yield working();
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      return completed();
    }

    it("a list returns a page that is limited in bytes, and never the messages of turns", async () => {
      const { agent, returned } = await opened();
      const caller = agent({ run: endless });
      const count = 10;
      for (let at = 0; at < count; at += 1) await caller.send(largeMessage());
      returned.most = 0;
      const pages: number[] = [];
      let pageToken: string | undefined = "";
      for (let found = 0; found < count && pageToken !== undefined;) {
        const { tasks, nextPageToken } = await caller.list({
          pageSize: 100,
          ...(pageToken !== "" && { pageToken }),
        });
        pages.push(tasks.length);
        found += tasks.length;
        pageToken = nextPageToken === "" ? undefined : nextPageToken;
      }
      // A message that was stored twice would halve the number of tasks on a page.
      expect(pages).toEqual([4, 4, 2]);
      expect(returned.most).toBeLessThan(pageBytes + smallBytes);
    });

    it("a process claims the tasks of ended processes in pages that are limited in bytes", async () => {
      const { agent, returned } = await opened();
      const first = agent({ run: endless });
      const count = 6;
      for (let at = 0; at < count; at += 1) {
        const { id: taskId } = await first.send(largeMessage());
        await first.send(largeMessage({ taskId }));
      }
      await first.close();
      returned.most = 0;
      let resumed = 0;
      let finish: () => void = () => undefined;
      const all = new Promise<void>((resolve) => (finish = resolve));
      const second = agent({
        async *run(turn) {
          yield working();
          await Promise.resolve();
          resumed += turn.resumed ? 1 : 0;
          if (resumed === count) finish();
          return completed();
        },
      });
      await second.list({ pageSize: 1, historyLength: 0 });
      await all;
      // The first page is found by a routine search.
      const claimed = (returned.sums.get("search") ?? 0) + (returned.sums.get("expired") ?? 0);
      expect(claimed).toBeGreaterThan(2 * count * largeBytes);
      expect(returned.most).toBeLessThan(pageBytes + smallBytes);
    });

    it("a claim of webhooks stops at a number of bytes, and so do the events of each webhook", async () => {
      const { store, returned } = await opened();
      const bench = new Bench(store, 20_000, undefined);
      // A claim returns 4 of the 30 events of a webhook, so that 9 webhooks exceed its number of
      // bytes.
      const [count, updates] = [24, 30];
      const parts = [{ text: "x".repeat(hookBytes / 4 - 1_000) }];
      for (let at = 0; at < count; at += 1) {
        const { id, task, lease } = await bench.open();
        await store.putWebhook(bench.scope, bench.webhook(id, "hook", { after: 0 }));
        const entries = Array.from({ length: updates }, (_, index) =>
          chunkEntry(task, index + 2, { artifactId: "a", parts }, index > 0),
        );
        await store.append(lease, entries);
      }
      returned.most = 0;
      let claimed = 0;
      let calls = 0;
      for (; claimed < count && calls < 2 * count; calls += 1)
        for (const { events } of (await store.claimWebhooks(bench.claim, 100)).rows) {
          claimed += 1;
          expect(events).toHaveLength(4);
        }
      expect([claimed, calls]).toEqual([count, 3]);
      expect(returned.most).toBeLessThan(pageBytes + hookBytes + smallBytes);
    });

    it("an inbox is limited in bytes, and the worker of its task reads each message once", async () => {
      const { agent, returned } = await opened();
      const caller = agent({ run: endless });
      const { id: taskId } = await caller.send({
        ...message("begin"),
        configuration: { returnImmediately: true },
      });
      const outcomes: unknown[] = [];
      for (let at = 0; at < 20; at += 1)
        outcomes.push(
          await caller
            .send(largeMessage({ taskId }))
            .then(() => "posted")
            .catch((error: unknown) => error),
        );
      const posted = outcomes.filter((outcome) => outcome === "posted").length;
      expect(posted).toBe(Math.floor(defaultLimits.maxInboxBytes / largeBytes));
      expect(
        outcomes.slice(posted).every((outcome) => outcome instanceof UnsupportedOperationError),
      ).toBe(true);
      expect(returned.most).toBeLessThan(defaultLimits.maxInboxBytes + smallBytes);
      expect(returned.sums.get("append")).toBeLessThan(posted * largeBytes + smallBytes);
      expect((await caller.cancel(taskId)).status.state).toBe("TASK_STATE_CANCELED");
    });
  },
);
