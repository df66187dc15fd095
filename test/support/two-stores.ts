import { expect, it } from "vitest";
import { TaskState } from "../../generated/1.1-draft/models.js";
import { type Claim, LeaseLostError, type Scope, type TaskStore } from "../../library/kit/store.js";
import {
  Bench,
  chunkEntry,
  shortMs,
  statusEntry,
  statusOf,
  unsized,
  working,
  workingUntil,
} from "../../library/stores/testing/contract/bench.js";

/** Two stores with separate connections to one engine, as in two processes. */
export interface TwoStores {
  readonly one: TaskStore;
  readonly other: TaskStore;
  readonly close: () => void | Promise<void>;
}

const otherClaim: Claim = { holder: "process-2", ttlMs: 600_000 };

/**
 * Tests what two processes see of each other; `trims` says whether the store removes logs of tasks
 * that it keeps.
 */
export function twoStores(open: () => Promise<TwoStores>, trims = true): void {
  const withBoth = async (test: (bench: Bench, other: TaskStore) => Promise<void>) => {
    const { one, other, close } = await open();
    try {
      await test(new Bench(one, 10_000, undefined), other);
    } finally {
      await close();
    }
  };

  it("a watch returns entries that another process appends, in order and each entry once", () =>
    withBoth(async (bench, other) => {
      const { id, task, lease } = await bench.open();
      const watches = [bench.store, other].map((store) => store.watch(bench.scope, id, 1));
      const seen = watches.map((watch) => bench.entriesUntil(watch, 61));
      for (let at = 2; at < 61; at += 3)
        await bench.store.append(lease, workingUntil(task, at, at + 2));
      for (const entries of await Promise.all(seen))
        expect(entries).toEqual(workingUntil(task, 2, 61));
      for (const watch of watches) watch.close();
    }));

  it.runIf(trims)(
    "a watch returns the task if its log was removed and no webhook needs the log",
    () =>
      withBoth(async (bench, other) => {
        const { scope } = bench;
        const { id, task, lease } = await bench.open();
        const webhook = {
          taskId: id,
          id: "w",
          config: { taskId: id, id: "w", url: "https://a.test" },
          version: "1.1",
          after: 1,
        };
        await bench.store.putWebhook(scope, webhook);
        const entries = [
          ...workingUntil(task, 2, 4),
          statusEntry(task, 5, statusOf(TaskState.Completed, 1)),
        ];
        await bench.store.append(lease, entries, { release: true });
        const ended = unsized(await other.read(scope, id));
        // Some stores update their snapshots in the background.
        await bench.pass(2);
        expect(await other.deleteExpired({ maxLogAgeMs: 0 })).toBe(0);
        const { rows: due } = await other.claimWebhooks(otherClaim, 1);
        for (const found of due) await other.delivered(found, { upTo: 5 });
        await bench.eventually(
          "the log is gone",
          async () => (await other.deleteExpired({ maxLogAgeMs: 0 })) || undefined,
        );
        const watch = other.watch(bench.scope, id, 3);
        expect(await watch.next()).toMatchObject({ reset: ended });
        watch.close();
        expect([
          unsized(await other.read(scope, id)),
          await other.deleteExpired({ maxLogAgeMs: 0 }),
        ]).toEqual([ended, 0]);
      }),
  );

  it("an expired lease is claimed once, and its previous holder can no longer append", () =>
    withBoth(async (bench, other) => {
      const { id, task, lease } = await bench.open({}, { claim: bench.shortClaim });
      await bench.pass(shortMs + 1);
      const claims = [bench.store, other, bench.store, other].map((store) =>
        store.claimExpired(otherClaim, 5),
      );
      const [taken, ...rest] = (await Promise.all(claims)).flatMap(({ rows }) => rows);
      expect([taken?.lease.id, rest]).toEqual([id, []]);
      await expect(bench.store.append(lease, [working(task, 2)])).rejects.toThrow(LeaseLostError);
      if (taken !== undefined) await other.append(taken.lease, [working(task, 2)]);
      expect((await bench.store.read(bench.scope, id))?.generation).toBe(2);
    }));

  it("an append that is repeated over another connection is recognized", () =>
    withBoth(async (bench, other) => {
      const { id, task, lease } = await bench.open();
      const entries = [1, 2].map((at) =>
        chunkEntry(task, at + 1, { artifactId: "a", parts: [{ text: String(at) }] }, at > 1),
      );
      for (const store of [bench.store, other, bench.store]) await store.append(lease, entries);
      const stored = await other.read(bench.scope, id);
      expect(stored?.task.artifacts).toEqual([
        { artifactId: "a", parts: [{ text: "1" }, { text: "2" }] },
      ]);
    }));

  it("a process is notified of messages that another process posts to its task", () =>
    withBoth(async (bench, other) => {
      const heard: string[] = [];
      const onPost = (_: Scope, id: string): unknown => heard.push(id);
      const { id } = await bench.open({}, { claim: { ...bench.claim, onPost } });
      await other.post(bench.scope, id, bench.item("hello"), otherClaim);
      await bench.eventually("a call of onPost", () => (heard.includes(id) ? true : undefined));
    }));

  it.each([
    { title: "has no sender of webhooks", own: undefined },
    { title: "has a sender without room", own: () => false },
  ])("a process is notified of a due webhook if the process that made it due $title", ({ own }) =>
    withBoth(async (bench, other) => {
      let calls = 0;
      const stops = [
        bench.store.onDue?.(() => (calls += 1) > 0),
        own === undefined ? undefined : other.onDue?.(own),
      ];
      const { id, task, lease } = await bench.open();
      await other.putWebhook(bench.scope, bench.webhook(id, "hook"));
      await other.append(lease, [working(task, 2)]);
      await bench.eventually("a call of onDue", () => (calls > 0 ? true : undefined));
      for (const stop of stops) stop?.();
    }),
  );

  it("stores that are opened at the same time create their tables once", () =>
    withBoth(async (bench, other) => {
      await Promise.all([bench.rest(), other.read(bench.scope, "nobody")]);
    }));
}
