import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { TaskStore } from "../../../../library/kit/store.js";
import {
  asleep,
  completed,
  inputRequired,
  working,
} from "../../../../library/kit/turns/updates.js";
import { shardedStore } from "../../../../library/stores/sharded.js";
import { Bench } from "../../../../library/stores/testing/contract/bench.js";
import { gists, kitAgent, message } from "../../../support/kit.js";
import { atOnce, methods, replaceable, scopeIn } from "../../../support/sharding.js";

/** A memory store whose calls wait while it is closed, as if its database was slow. */
function slowStore() {
  const store = replaceable();
  let opened: Promise<void> | undefined;
  let open: () => void = () => undefined;
  let delayMs = 0;
  let renewals = 0;
  for (const name of methods) {
    const own = (Reflect.get(store, name) as (...given: unknown[]) => Promise<unknown>).bind(store);
    Reflect.set(store, name, async (...given: unknown[]) => {
      await opened;
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      const result = await own(...given);
      if (name === "renew") renewals += 1;
      return result;
    });
  }
  return {
    store,
    /** Makes all calls wait for {@link open}. */
    close() {
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    /** Lets all calls continue. Afterwards, each call takes a number of milliseconds. */
    open(ms: number) {
      delayMs = ms;
      opened = undefined;
      open();
    },
    /** Number of renewals with a response. */
    renewals: () => renewals,
  };
}

/** An agent on two stores, whose second store can be slow, and an owner of each store. */
function agentWithSlowStore(leaseMs: number) {
  const first = replaceable();
  const slow = slowStore();
  const store = shardedStore([
    { name: "first", store: first },
    { name: "slow", store: slow.store },
  ]);
  const held = new Map<string, () => void>();
  const begun: string[] = [];
  const posts: string[] = [];
  const agent = kitAgent({
    store,
    leaseMs,
    owner: (user) => user,
    retention: { maxAgeMs: 0, everyMs: 20 },
    push: {
      transport: {
        post: ({ body }) => {
          posts.push(body);
          return Promise.resolve({ status: 204 });
        },
      },
      allowPrivateAddresses: true,
    },
    async *run({ message: { messageId }, task, woken }) {
      begun.push(task.id);
      if (messageId === "m-sleep" && woken === undefined) return asleep();
      yield working();
      if (messageId.startsWith("m-wait"))
        await new Promise<void>((resolve) => held.set(messageId, resolve));
      return messageId === "m-ask" ? inputRequired("More?") : completed("Done");
    },
  });
  onTestFinished(() => agent.close());
  const { owner: one } = scopeIn(0, 2);
  const { owner: two } = scopeIn(1, 2);
  /** Starts a task that waits for a call of its function in `held`. */
  const wait = async (name: string, owner: string) => {
    const task = await agent.send({ ...message(name), ...atOnce }, owner);
    await vi.waitFor(() => expect(held.has(`m-${name}`)).toBe(true));
    return task.id;
  };
  return { agent, first, store, slow, one, two, held, begun, posts, wait };
}

/** Creates a task of a process that has ended. */
async function leave(store: TaskStore, owner: string) {
  const bench = new Bench(store, 1_000, undefined);
  const claim = { holder: "gone", ttlMs: 1 };
  return (await bench.open({}, { scope: { tenant: "", owner }, claim })).id;
}

const lateError = "Error: The store slow has not responded in time";

describe("an agent on a shardedStore with a slow store", () => {
  it("other owners are served as usual: sends, lists, streams, wakes, claims, renewals, webhooks and the cleanup", async () => {
    const { agent, first, slow, one, two, held, begun, posts, wait } = agentWithSlowStore(600);
    const scope = { tenant: "", owner: one };
    const isLate = () => agent.errors.map(String).includes(lateError);
    const waiting = await wait("wait", one);
    const asking = await agent.send("ask", one);
    const sleeping = await agent.send({ ...message("sleep"), ...atOnce }, one);
    await wait("wait-two", two);
    slow.close();
    const unanswered = agent.send("late", two).catch(() => undefined);
    await vi.waitFor(() => expect(isLate()).toBe(true));

    const more = await agent.send("more", one);
    expect(more.status.state).toBe("TASK_STATE_COMPLETED");
    const { tasks } = await agent.list({}, one);
    expect(tasks.map(({ id }) => id)).toContain(asking.id);
    const streamed = await gists(await agent.stream(message("stream"), one));
    expect(streamed.at(-1)).toBe("completed Done");
    expect(await agent.wake({ taskId: sleeping.id, owner: one })).toBe(true);
    await vi.waitFor(() => expect(begun.filter((id) => id === sleeping.id)).toHaveLength(2));

    const hook = { taskId: asking.id, id: "hook", url: "http://127.0.0.1/hook" };
    await agent.service.createTaskPushNotificationConfig(hook, agent.context(one));
    await agent.send(message("again", { taskId: asking.id }), one);
    await vi.waitFor(() => expect(posts.join()).toContain("TASK_STATE_COMPLETED"));

    const left = await leave(first, one);
    await vi.waitFor(() => expect(begun).toContain(left));
    await vi.waitFor(async () => expect(await first.read(scope, more.id)).toBe(undefined));

    // The error is reported once per lifetime of a lease, so the lease of the turn was renewed in
    // the meantime.
    agent.errors.length = 0;
    await vi.waitFor(() => expect(isLate()).toBe(true));
    const subscription = gists(await agent.subscribe(waiting, one));
    held.get("m-wait")?.();
    expect((await subscription).at(-1)).toBe("completed Done");
    expect(begun.filter((id) => id === waiting)).toHaveLength(1);
    slow.open(0);
    await unanswered;
    const { status } = await vi.waitFor(() => agent.send("end", two));
    expect(status.state).toBe("TASK_STATE_COMPLETED");
  });

  it.each([
    ["responds in time again", 20],
    // Longer than the time that an agent waits for a renewal, which is a sixth of a lease.
    ["responds within a fourth of a lease", 750],
  ])("the leases of the store are renewed after it %s", async (_, delayMs) => {
    const { agent, slow, two, held, begun, wait } = agentWithSlowStore(3_000);
    slow.close();
    await vi.waitFor(() => expect(agent.errors.map(String)).toContain(lateError));
    slow.open(delayMs);
    const id = await wait("wait-two", two);
    const before = slow.renewals();
    await vi.waitFor(() => expect(slow.renewals()).toBeGreaterThan(before + 4));
    const subscription = gists(await agent.subscribe(id, two));
    held.get("m-wait-two")?.();
    expect((await subscription).at(-1)).toBe("completed Done");
    expect(begun.filter((begunId) => begunId === id)).toHaveLength(1);
  });
});
