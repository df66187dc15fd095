import { expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import { type TaskStore, UnreadableTaskError } from "../../../../../library/kit/store.js";
import { completed, working } from "../../../../../library/kit/turns/updates.js";
import { Bench } from "../../../../../library/stores/testing/contract/bench.js";
import { kitAgent, message } from "../../../../support/kit.js";

/**
 * Starts an agent on a store some of whose methods are other ones; returns the agent and the calls
 * of `expired`.
 */
function agentOn(
  store: TaskStore,
  change: Partial<TaskStore>,
  limits: { maxClaims?: number } = {},
) {
  const limitsOfCalls: number[] = [];
  const changed = new Proxy(store, {
    get(_, name: keyof TaskStore) {
      const own: unknown = change[name] ?? Reflect.get(store, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]): unknown => {
        if (name === "claimExpired") limitsOfCalls.push(Number(given[1]));
        return Reflect.apply(own, store, given);
      };
    },
  });
  const agent = kitAgent({
    store: changed,
    leaseMs: 600,
    limits,
    async *run({ message }) {
      yield working();
      if (message.messageId === "wait") await new Promise(() => undefined);
      return completed("Done");
    },
  });
  onTestFinished(() => agent.close());
  return { agent, limitsOfCalls };
}

/** Creates tasks of a process that has ended. */
async function leave(store: TaskStore, count: number): Promise<string[]> {
  const bench = new Bench(store, 1_000, undefined);
  const ids: string[] = [];
  while (ids.length < count) {
    const options = { scope: { tenant: "", owner: "" }, claim: { holder: "gone", ttlMs: 1 } };
    ids.push((await bench.open({}, options)).id);
  }
  return ids;
}

async function completedOf(store: TaskStore, ids: readonly string[]): Promise<number> {
  const found = await Promise.all(ids.map((id) => store.read({ tenant: "", owner: "" }, id)));
  return found.filter((stored) => stored?.task.status.state === "TASK_STATE_COMPLETED").length;
}

it("the tasks of stopped processes are claimed even while renewals fail", async () => {
  const store = memoryStore();
  const renew = (): Promise<never> => Promise.reject(new Error("Renewing fails"));
  const { agent } = agentOn(store, { renew });
  const waiting = agent.send({
    message: { messageId: "wait", role: "ROLE_USER", parts: [{ text: "wait" }] },
  });
  waiting.catch(() => undefined);
  const ids = await leave(store, 3);
  await vi.waitFor(async () => expect(await completedOf(store, ids)).toBe(3));
  await vi.waitFor(() => expect(agent.errors.map(String)).toContain("Error: Renewing fails"));
});

it("a task that cannot be read is reported, and the other tasks are claimed", async () => {
  const store = memoryStore();
  let isFirst = true;
  const expired: TaskStore["claimExpired"] = async (claim, limit) => {
    const found = await store.claimExpired(claim, limit);
    const unreadable = isFirst
      ? [new UnreadableTaskError("bad", "The task bad cannot be read")]
      : [];
    isFirst = false;
    return { ...found, unreadable };
  };
  const { agent } = agentOn(store, { claimExpired: expired });
  const ids = await leave(store, 2);
  await agent.list();
  await vi.waitFor(async () => expect(await completedOf(store, ids)).toBe(2));
  expect(agent.errors.map(String)).toEqual(["UnreadableTaskError: The task bad cannot be read"]);
});

it("one check claims at most maxClaims tasks, and the next check claims the rest", async () => {
  const store = memoryStore();
  const { agent, limitsOfCalls } = agentOn(store, {}, { maxClaims: 4 });
  const ids = await leave(store, 10);
  await agent.list();
  await vi.waitFor(async () => expect(await completedOf(store, ids)).toBe(10));
  expect(Math.max(...limitsOfCalls)).toBe(4);
});

it("the claims of one check are spread over time, so that the writes of their turns do not delay other calls", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const store = memoryStore();
  const times: number[] = [];
  const claimExpired: TaskStore["claimExpired"] = (claim, limit) => {
    times.push(performance.now());
    return store.claimExpired(claim, limit);
  };
  const { agent } = agentOn(store, { claimExpired }, { maxClaims: 300 });
  const ids = await leave(store, 250);
  await agent.list();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await completedOf(store, ids)).toBe(250);
  // A check every 200 ms has three claims in its first half.
  const since = times.slice(0, 3).map((time) => Math.floor(time - (times[0] ?? NaN)));
  expect(since).toEqual([0, 33, 66]);
});

it("leases are renewed while the claims of one check continue", async () => {
  const store = memoryStore();
  let [isClaiming, isRenewed] = [false, false];
  const { agent } = agentOn(store, {
    async claimExpired() {
      isClaiming = true;
      // Stands for the duration of a claim. The claims continue until leases are renewed.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { rows: [], unreadable: [], hasMore: !isRenewed };
    },
    renew(leases, claim) {
      isRenewed ||= isClaiming && leases.length > 0;
      return store.renew(leases, claim);
    },
  });
  await agent.send({
    ...message("wait", { messageId: "wait" }),
    configuration: { returnImmediately: true },
  });
  await vi.waitFor(() => expect(isRenewed).toBe(true));
});

it("a lease that a write has just released is not reported as lost", async () => {
  const store = memoryStore();
  let isReleased = false;
  let isRenewed = false;
  const append: TaskStore["append"] = async (lease, entries, options) => {
    const appended = await store.append(lease, entries, options);
    if (!appended.released) return appended;
    // The response arrives after the response to a renewal that began later.
    isReleased = true;
    await vi.waitFor(() => expect(isRenewed).toBe(true));
    return appended;
  };
  const renew: TaskStore["renew"] = async (leases, claim) => {
    const renewed = await store.renew(leases, claim);
    setTimeout(() => (isRenewed ||= isReleased && leases.length > 0), 1);
    return renewed;
  };
  const { agent } = agentOn(store, { append, renew });
  const parts = [{ text: "wait" }];
  const configuration = { returnImmediately: true };
  const { id } = await agent.send({
    message: { messageId: "wait", role: "ROLE_USER", parts },
    configuration,
  });
  await agent.cancel(id);
  await vi.waitFor(() => expect(isRenewed).toBe(true));
  expect(agent.errors).toEqual([]);
});
