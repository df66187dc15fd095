import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EndTurn, Pace } from "../../../templates/kit/limits/pace.js";
import { memoryStore } from "../../../templates/kit/memory/store.js";
import { completed, working } from "../../../templates/kit/turns/updates.js";
import { kitAgent, message } from "../../support/kit.js";

const MiB = 2 ** 20;

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

/** Starts a call that must wait, and returns whether it may run. */
function waiting(pace: Pace, bytes = 0) {
  const call: { endTurn?: EndTurn } = {};
  void pace.enter(bytes)?.then((endTurn) => (call.endTurn = endTurn));
  return call;
}

describe("the pace of an owner", () => {
  it("any number of calls with small tasks start immediately", () => {
    const pace = new Pace(1);
    for (let count = 0; count < 10_000; count += 1) {
      expect(pace.enter()).toBeUndefined();
      pace.leave(100_000, performance.now());
    }
  });

  it("calls run one after the other after a call has read a large task", async () => {
    const pace = new Pace(MiB);
    pace.leave(MiB / 2, performance.now());
    const [first, second] = [waiting(pace), waiting(pace)];
    await vi.advanceTimersByTimeAsync(0);
    expect([first.endTurn, second.endTurn]).toEqual([expect.any(Function), undefined]);
    pace.leave(0, performance.now(), first.endTurn);
    await vi.advanceTimersByTimeAsync(0);
    expect(second.endTurn).toBeDefined();
  });

  it("a call is delayed until the bytes of the earlier calls are paid for, but at most for a second", async () => {
    const pace = new Pace(MiB);
    pace.leave(3 * MiB, performance.now());
    const call = waiting(pace);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(call.endTurn).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(call.endTurn).toBeDefined();
  });

  it("the time that a store takes for a large task counts twice", async () => {
    const pace = new Pace(1_000 * MiB);
    const since = performance.now();
    await vi.advanceTimersByTimeAsync(1_500);
    pace.leave(MiB, since);
    const call = waiting(pace);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(call.endTurn).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(call.endTurn).toBeDefined();
  });

  it("calls run in parallel again if no large task was read for half a minute", async () => {
    const pace = new Pace(MiB);
    pace.leave(MiB, performance.now());
    await vi.advanceTimersByTimeAsync(30_000);
    expect(pace.enter()).toBeUndefined();
  });

  it("a call is refused while messages of 64 MiB wait, and the error names the limit", () => {
    const pace = new Pace(32 * MiB);
    pace.leave(100 * MiB, performance.now());
    for (let count = 0; count < 6; count += 1) waiting(pace, 10 * MiB);
    expect(() => pace.enter(10 * MiB)).toThrow(
      "Too many calls with large tasks or messages: limits.perOwner.bytesPerSecond is 33554432; " +
        "make fewer calls at the same time",
    );
  });
});

describe("a task service with owners of large tasks", () => {
  it("an owner with small tasks does not wait for an owner with large tasks", async () => {
    vi.useRealTimers();
    const store = memoryStore();
    const limits = { perOwner: { bytesPerSecond: 1_000 } };
    const run = async function* () {
      yield await Promise.resolve(working());
      return completed("Done");
    };
    const agent = kitAgent({ store, limits, run });
    const large = message("large", { parts: [{ text: "x".repeat(300_000) }] });
    const { id } = await agent.send(large, "ada");
    let isRead = false;
    const reading = agent
      .get(id, "ada")
      .finally(() => (isRead = true))
      .catch(() => undefined);
    for (let count = 0; count < 20; count += 1) await agent.send("hello", "bob");
    expect(isRead).toBe(false);
    void reading;
    await agent.close();
  });
});
