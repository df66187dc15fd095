import { TaskState } from "../../../kit/model.js";
import type { Claim, Webhook, WebhookLease } from "../../../kit/store.js";
import { equal, ok } from "./assert.js";
import {
  type Bench,
  type Cases,
  messageEntry,
  type Opened,
  shortMs,
  statusEntry,
  statusOf,
  working,
  workingUntil,
} from "./bench.js";

/** Returns the claim of a process that delivers webhooks. */
function claimOf(bench: Bench, holder = "sender-1", ttlMs = bench.claim.ttlMs): Claim {
  return { holder, ttlMs };
}

async function due(
  bench: Bench,
  limit = 10,
  claim = claimOf(bench),
): Promise<readonly WebhookLease[]> {
  return (await bench.store.claimWebhooks(claim, limit)).rows;
}

function generationsOf(lease: WebhookLease | undefined): number[] | undefined {
  return lease?.events.map(({ generation }) => generation);
}

/** Waits until a webhook is due, and claims it. */
async function dueSoon(bench: Bench, claim = claimOf(bench)): Promise<WebhookLease> {
  return bench.eventually("a webhook that is due", async () => (await due(bench, 1, claim))[0]);
}

/** Opens a task with a webhook, and with events up to a generation. */
async function openWithHook(bench: Bench, last: number): Promise<Opened> {
  const opened = await bench.open();
  await bench.store.putWebhook(bench.scope, bench.webhook(opened.id, "hook"));
  await bench.store.append(opened.lease, workingUntil(opened.task, 2, last));
  return opened;
}

export const webhooks: Cases = {
  "`webhooks` returns the webhooks of a task in the order of their ids": async (bench) => {
    const { store, scope } = bench;
    const { id } = await bench.open();
    equal(await store.webhooks(scope, id), [], "the webhooks of a new task");
    const named = (name: string): Webhook => bench.webhook(id, name, { version: name });
    const [a, b, c] = [named("a"), named("b"), named("c")];
    for (const webhook of [b, c, a])
      equal(await store.putWebhook(scope, webhook), "put", "the result of `putWebhook`");
    equal(await store.webhooks(scope, id), [a, b, c], "the webhooks of the task");
    equal(await store.deleteWebhook(scope, id, "b"), true, "the result of `deleteWebhook`");
    equal(
      await store.deleteWebhook(scope, id, "b"),
      true,
      "the result of `deleteWebhook` for a deleted webhook",
    );
    equal(await store.webhooks(scope, id), [a, c], "the remaining webhooks");
  },

  "`claimWebhooks` returns events with their traces": async (bench) => {
    const { id, task, lease } = await bench.open();
    await bench.store.putWebhook(bench.scope, bench.webhook(id, "hook"));
    const trace = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`, tracestate: "a=1" };
    const entries = [{ ...working(task, 2), trace }, working(task, 3)];
    await bench.store.append(lease, entries);
    equal((await dueSoon(bench)).events, entries, "the events");
  },

  "`putWebhook` replaces a webhook with the same id": async (bench) => {
    const { store, scope } = bench;
    const { id } = await bench.open();
    const second = bench.webhook(id, "hook", { version: "0.3" });
    for (const webhook of [bench.webhook(id, "hook"), second])
      await store.putWebhook(scope, webhook);
    equal(await store.webhooks(scope, id), [second], "the webhooks");
  },

  "a webhook that is registered again unchanged receives every undelivered event": async (
    bench,
  ) => {
    const { id, task, lease } = await openWithHook(bench, 3);
    await bench.store.delivered(await dueSoon(bench), { upTo: 2 });
    await bench.store.append(lease, [working(task, 4)]);
    const again = bench.webhook(id, "hook", { after: 4 });
    await bench.store.putWebhook(bench.scope, again);
    equal(await bench.store.webhooks(bench.scope, id), [again], "the webhooks");
    const before = await dueSoon(bench);
    equal(generationsOf(before), [3, 4], "the generations of the events after the registration");
    await bench.store.putWebhook(bench.scope, again);
    await bench.store.delivered(before, { upTo: 4 });
    equal(
      generationsOf(await dueSoon(bench)),
      [3, 4],
      "the generations of the events after a registration of the leased webhook",
    );
  },

  "an unknown task has no webhooks": async (bench) => {
    const { store, scope } = bench;
    equal(
      await store.putWebhook(scope, bench.webhook("nobody", "hook")),
      undefined,
      "the result of `putWebhook`",
    );
    equal(await store.webhooks(scope, "nobody"), undefined, "the webhooks");
    equal(
      await store.deleteWebhook(scope, "nobody", "hook"),
      false,
      "the result of `deleteWebhook`",
    );
  },

  "`create` adds webhooks, which receive the entries of the new task": async (bench) => {
    const task = bench.task();
    const webhook = bench.webhook(task.id, "hook");
    const entries = workingUntil(task, 2, 3);
    await bench.store.create(task, bench.options({ webhooks: [webhook], entries }));
    equal(await bench.store.webhooks(bench.scope, task.id), [webhook], "the webhooks");
    equal(
      (await due(bench)).map(({ events }) => events),
      [entries],
      "the events to deliver",
    );
  },
};

export const deliveries: Cases = {
  "`claimWebhooks` returns a webhook with the events after its generation": async (bench) => {
    const { id, task, lease } = await bench.open();
    await bench.store.append(lease, workingUntil(task, 2, 3));
    const webhook = bench.webhook(id, "hook", { after: 3 });
    await bench.store.putWebhook(bench.scope, webhook);
    equal(await due(bench), [], "the due webhooks before the first event");
    await bench.store.append(lease, workingUntil(task, 4, 5));
    const [{ epoch, ...found } = { epoch: undefined }, ...others] = await due(bench);
    const expected = {
      webhook,
      scope: bench.scope,
      holder: "sender-1",
      failures: 0,
      events: workingUntil(task, 4, 5),
    };
    equal(found, expected, "the due webhook");
    ok(epoch !== undefined, "a lease must have an epoch");
    equal([others, await due(bench)], [[], []], "the other due webhooks");
  },

  "`claimWebhooks` returns only events that were not delivered": async (bench) => {
    const { task, lease } = await openWithHook(bench, 4);
    await bench.store.delivered(await dueSoon(bench), { upTo: 3 });
    const rest = await dueSoon(bench);
    equal(generationsOf(rest), [4], "the generations of the events after a partial delivery");
    await bench.store.append(lease, [working(task, 5)]);
    await bench.store.delivered(rest, { upTo: 4 });
    const last = await dueSoon(bench);
    equal(
      generationsOf(last),
      [5],
      "the generations of the events that were appended during the delivery",
    );
    await bench.store.delivered(last, { upTo: 5 });
    equal(await due(bench), [], "the due webhooks after the last delivery");
    await bench.store.append(lease, [working(task, 6)]);
    equal(
      generationsOf(await dueSoon(bench)),
      [6],
      "the generations of the events after the last delivery",
    );
  },

  "a failed delivery is due again after its back-off, with the number of failures": async (
    bench,
  ) => {
    await openWithHook(bench, 3);
    const failures: number[] = [];
    for (const { first, upTo } of [
      { first: 2, upTo: 1 },
      { first: 2, upTo: 1 },
      { first: 2, upTo: 2 },
      { first: 3, upTo: 2 },
    ]) {
      const lease = await dueSoon(bench);
      failures.push(lease.failures);
      equal(generationsOf(lease)?.[0], first, "the generation of the first event");
      await bench.store.delivered(lease, { upTo, retryInMs: 1 });
    }
    const last = await dueSoon(bench);
    equal(
      [...failures, last.failures],
      [0, 1, 2, 1, 2],
      "the numbers of failures, which restart with the next event",
    );
    await bench.store.delivered(last, { upTo: 2, retryInMs: 600_000 });
    equal(await due(bench), [], "the due webhooks during the back-off");
    await bench.pass(1);
    equal(await due(bench), [], "the due webhooks a little later during the back-off");
  },

  "a new event does not shorten the back-off of a failed delivery": async (bench) => {
    const { task, lease } = await openWithHook(bench, 2);
    await bench.store.delivered(await dueSoon(bench), { upTo: 1, retryInMs: 600_000 });
    await bench.store.append(lease, [working(task, 3)]);
    equal(await due(bench), [], "the due webhooks");
  },

  "a webhook that was given up receives no events until it is replaced": async (bench) => {
    const { id, task, lease } = await openWithHook(bench, 2);
    await bench.store.delivered(await dueSoon(bench), { givenUp: true });
    await bench.store.append(lease, [working(task, 3)]);
    equal(await due(bench), [], "the due webhooks");
    await bench.store.putWebhook(
      bench.scope,
      bench.webhook(id, "hook", { after: 2, version: "0.3" }),
    );
    equal(
      generationsOf(await dueSoon(bench)),
      [3],
      "the generations of the events for the new webhook",
    );
  },

  "an expired lease of a webhook can be claimed, and `delivered` ignores it afterwards": async (
    bench,
  ) => {
    await openWithHook(bench, 3);
    const late = await dueSoon(bench, claimOf(bench, "sender-1", shortMs));
    await bench.pass(shortMs + 1);
    const next = await dueSoon(bench, claimOf(bench, "sender-2"));
    equal(
      [generationsOf(next), next.holder],
      [[2, 3], "sender-2"],
      "the events and the holder of the next lease",
    );
    await bench.store.delivered(late, { upTo: 3 });
    await bench.store.delivered(late, { givenUp: true });
    await bench.store.delivered(next, { upTo: 2 });
    equal(generationsOf(await dueSoon(bench)), [3], "the generations of the remaining events");
  },

  "concurrent calls of `claimWebhooks` return different webhooks, at most `limit` webhooks each":
    async (bench) => {
      const expected: string[] = [];
      while (expected.length < 12) expected.push((await openWithHook(bench, 2)).id);
      const senders = ["sender-1", "sender-2", "sender-3"];
      const claimed = await Promise.all(
        senders.map((holder) => due(bench, 3, claimOf(bench, holder))),
      );
      for (const leases of claimed)
        ok(leases.length <= 3, "`claimWebhooks` must return at most `limit` webhooks");
      const found = [...claimed.flat(), ...(await due(bench, 12))].map(
        ({ webhook }) => webhook.taskId,
      );
      equal(found.sort(), expected.sort(), "the tasks of the claimed webhooks");
    },

  "`delivered` ignores the lease of a webhook that was replaced or deleted": async (bench) => {
    const { id } = await openWithHook(bench, 3);
    const before = await dueSoon(bench);
    await bench.store.putWebhook(
      bench.scope,
      bench.webhook(id, "hook", { after: 2, version: "0.3" }),
    );
    await bench.store.delivered(before, { upTo: 3 });
    const after = await dueSoon(bench);
    equal(generationsOf(after), [3], "the generations of the events for the new webhook");
    await bench.store.deleteWebhook(bench.scope, id, "hook");
    await bench.store.delivered(after, { upTo: 1, retryInMs: 0 });
    await bench.pass(1);
    equal(await due(bench), [], "the due webhooks after the deletion");
  },

  "every webhook of a task receives every event": async (bench) => {
    const { id, task, lease } = await bench.open();
    for (const name of ["a", "b", "c"])
      await bench.store.putWebhook(bench.scope, bench.webhook(id, name));
    await bench.store.append(lease, workingUntil(task, 2, 3));
    const found = (await due(bench)).map((lease) => [
      lease.webhook.id,
      ...(generationsOf(lease) ?? []),
    ]);
    equal(
      found.sort(),
      ["a", "b", "c"].map((name) => [name, 2, 3]),
      "the webhooks and the generations of their events",
    );
  },

  "`claimWebhooks` returns many events in order, over several leases": async (bench) => {
    const last = 700;
    await openWithHook(bench, last);
    const found: number[] = [];
    while (found.length < last - 1) {
      const lease = await dueSoon(bench);
      for (const generation of generationsOf(lease) ?? []) found.push(generation);
      await bench.store.delivered(lease, { upTo: found.at(-1) ?? 0 });
    }
    equal(
      found,
      Array.from({ length: last - 1 }, (_, at) => at + 2),
      "the generations of the events",
    );
  },

  "a webhook receives the end of a task, but no messages": async (bench) => {
    const { id, task, lease } = await openWithHook(bench, 2);
    const item = bench.item("hello");
    await bench.store.post(bench.scope, id, item, bench.claim);
    const end = statusEntry(task, 3, statusOf(TaskState.Completed, 3));
    const entries = [messageEntry(2, item), end];
    await bench.store.append(lease, entries, { taken: [item.id], release: true });
    equal(generationsOf(await dueSoon(bench)), [2, 3], "the generations of the events");
  },

  "`onDue` calls its listener for due webhooks until the listener is removed": async (bench) => {
    const { store } = bench;
    if (store.onDue === undefined) return;
    let calls = 0;
    const stop = store.onDue(() => {
      calls += 1;
      throw new Error("A store must ignore errors of its listeners");
    });
    const { task, lease } = await openWithHook(bench, 2);
    await bench.eventually("a call of the listener", () => (calls > 0 ? true : undefined));
    await store.delivered(await dueSoon(bench), { upTo: 2 });
    stop();
    const before = calls;
    await store.append(lease, [working(task, 3)]);
    await dueSoon(bench);
    equal(calls, before, "the number of calls after the listener was removed");
  },
};
