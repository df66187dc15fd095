import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EndTurn, Pace } from "../../../../../library/kit/limits/pace.js";
import { artifact } from "../../../../../library/kit/turns/artifact.js";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import { completed, working } from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

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
      pace.leave(60_000, performance.now());
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

  it("large messages run one after the other, even if no large task was read before", async () => {
    const pace = new Pace(MiB);
    const [first, second] = [waiting(pace, MiB), waiting(pace, MiB)];
    await vi.advanceTimersByTimeAsync(0);
    expect([first.endTurn, second.endTurn]).toEqual([expect.any(Function), undefined]);
    pace.leave(0, performance.now(), first.endTurn);
    await vi.advanceTimersByTimeAsync(0);
    expect(second.endTurn).toBeDefined();
  });

  it("an owner may use the bytes of two seconds at once, and a later call waits until its rate allows the rest", async () => {
    const pace = new Pace(MiB);
    pace.leave(4 * MiB, performance.now());
    const call = waiting(pace);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(call.endTurn).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(call.endTurn).toBeDefined();
  });

  it("the time that a store takes for a large task counts four times, but at most 3 seconds for each call", async () => {
    const pace = new Pace(1_000 * MiB);
    const since = performance.now();
    await vi.advanceTimersByTimeAsync(500);
    pace.leave(MiB, since);
    await vi.advanceTimersByTimeAsync(1_000);
    pace.leave(MiB, since);
    const call = waiting(pace);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(call.endTurn).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(call.endTurn).toBeDefined();
  });

  it("the writes of turns delay later calls of their owner, but never for more than 8 seconds", async () => {
    const pace = new Pace(MiB);
    const now = performance.now();
    pace.countTurn(2 * MiB, now);
    expect(pace.enter()).toBeUndefined();
    for (let count = 0; count < 100; count += 1) pace.countTurn(MiB, now);
    const call = waiting(pace);
    await vi.advanceTimersByTimeAsync(7_999);
    expect(call.endTurn).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(call.endTurn).toBeDefined();
  });

  it("a small message that begins a task waits for the writes of turns, and not for large calls", async () => {
    const pace = new Pace(MiB);
    pace.leave(4 * MiB, performance.now());
    const large = waiting(pace);
    await vi.advanceTimersByTimeAsync(0);
    expect([large.endTurn, pace.enterNew(100)]).toEqual([undefined, undefined]);
    pace.countTurn(4 * MiB, performance.now());
    let begun = 0;
    for (let count = 0; count < 10; count += 1) void pace.enterNew(100)?.then(() => (begun += 1));
    await vi.advanceTimersByTimeAsync(1_999);
    expect(begun).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toBe(10);
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

  it("an owner whose turns write more than its rate waits, even if its messages are small", async () => {
    vi.useRealTimers();
    const run = async function* () {
      const chunk = artifact("text");
      for (let count = 0; count < 4; count += 1) yield chunk.text("x".repeat(1_000_000));
      yield await Promise.resolve(chunk.finish("end"));
      return completed("Done");
    };
    const agent = kitAgent({ limits: { perOwner: { bytesPerSecond: MiB } }, run });
    await agent.send("hello", "ada");
    let isAccepted = false;
    const sending = agent
      .send("hello", "ada")
      .finally(() => (isAccepted = true))
      .catch(() => undefined);
    await agent.send("hello", "bob");
    expect(isAccepted).toBe(false);
    void sending;
    await agent.close();
  });
});
