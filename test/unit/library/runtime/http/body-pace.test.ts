import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BodyPace, type PacedCallers } from "../../../../../library/runtime/http/body-pace.js";
import {
  beforeValues,
  hasMore,
  ofContainers,
} from "../../../../../library/runtime/http/body-values.js";

const MiB = 2 ** 20;

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

/** Returns callers that are distinguished by their users. */
function callers(): PacedCallers {
  return { paidAt: new Map(), keyOf: ({ user }) => user };
}

const headers = { get: () => undefined, entries: () => [] };
const [ada, bob] = [
  { user: "ada", headers },
  { user: "bob", headers },
];

/** Returns whether a wait is over. */
function watched(wait: Promise<void> | false | undefined) {
  const state = { isOver: wait === undefined };
  if (wait !== false) void wait?.then(() => (state.isOver = true));
  return state;
}

describe("the pace of bodies", () => {
  it("messages of a stream wait as long as necessary, and are never refused", async () => {
    const pace = new BodyPace(MiB, callers());
    const waits = Array.from({ length: 60 }, () => pace.enterStreamed(ada, MiB));
    expect(waits).not.toContain(false);
    const last = watched(waits.at(-1));
    expect(pace.enterReceived(ada, MiB)).toBe(false);
    await vi.advanceTimersByTimeAsync(57_000);
    expect(last.isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(last.isOver).toBe(true);
  });

  it("small bodies are not delayed", () => {
    const pace = new BodyPace(1, callers());
    const bytes = 262_144;
    for (let count = 0; count < 1_000; count += 1) expect(pace.enter(ada, bytes)).toBeUndefined();
  });

  it("large bodies of a caller that exceeds its rate are delayed, and bodies of other callers are not", async () => {
    const pace = new BodyPace(10 * MiB, callers());
    const bytes = 10 * MiB;
    expect([pace.enter(ada, bytes), pace.enter(ada, bytes)]).toEqual([undefined, undefined]);
    const third = watched(pace.enter(ada, bytes));
    expect(pace.enter(bob, bytes)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(999);
    expect(third.isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(third.isOver).toBe(true);
  });

  it("callers without a key are not limited, because one of them could delay all others", () => {
    const pace = new BodyPace(MiB, callers());
    const unknown = { user: undefined, headers };
    for (let count = 0; count < 100; count += 1)
      expect(pace.enter(unknown, 10 * MiB)).toBeUndefined();
  });

  it("bindings with different rates count the bodies of a caller together", () => {
    const shared = callers();
    expect(new BodyPace(MiB, shared).enter(ada, 10 * MiB)).toBeUndefined();
    expect(new BodyPace(16 * MiB, shared).enter(ada, MiB)).toBeInstanceOf(Promise);
  });

  it("a body that would wait for more than half a minute is refused", () => {
    const pace = new BodyPace(MiB, callers());
    for (let count = 0; count < 31; count += 1) expect(pace.enter(ada, MiB)).not.toBe(false);
    expect(pace.enter(ada, MiB)).toBe(false);
  });

  it("a body without a length counts as it arrives, and a body that never arrives does not count", async () => {
    const pace = new BodyPace(MiB, callers());
    for (let count = 0; count < 1_000; count += 1) expect(pace.arrival(ada)(1)).toBeUndefined();
    expect(pace.enter(ada, MiB)).toBeUndefined();
    const arrival = pace.arrival(ada);
    expect([arrival(200_000), watched(arrival(200_000)).isOver]).toEqual([undefined, true]);
    const next = watched(arrival(MiB));
    await vi.advanceTimersByTimeAsync(300);
    expect(next.isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(next.isOver).toBe(true);
  });

  it("a received message waits for two seconds at most, because it takes memory", () => {
    const pace = new BodyPace(MiB, callers());
    expect([pace.enterReceived(ada, 2 * MiB), pace.enterReceived(ada, MiB)]).toEqual([
      undefined,
      expect.any(Promise),
    ]);
    expect([pace.enterReceived(ada, MiB), pace.enterReceived(ada, 20_000)]).toEqual([false, false]);
    expect(pace.enterReceived(ada, 1_000)).toBeUndefined();
  });

  it("the pause between bodies is 19 times as long as a body blocks the event loop", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    const pace = new BodyPace(100 * MiB, callers());
    pace.measure(ada);
    clock.mockReturnValue(100);
    await vi.advanceTimersByTimeAsync(1);
    // It is paid for after 2 seconds, and a caller may be ahead by one.
    clock.mockReturnValue(999);
    expect(pace.enter(ada, MiB)).toBeInstanceOf(Promise);
    clock.mockReturnValue(1_100);
    expect(pace.enter(ada, MiB)).toBeUndefined();
    clock.mockRestore();
  });
});

describe("the number of values in a body", () => {
  it("the content of strings does not count as values", () => {
    const text = JSON.stringify(["a,b:[{".repeat(100)]);
    expect([hasMore(text, 10, beforeValues), hasMore(text, 10, ofContainers)]).toEqual([
      false,
      false,
    ]);
  });

  it("members and elements count as values", () => {
    const text = JSON.stringify(Array.from({ length: 100 }, (_, value) => ({ value })));
    expect(hasMore(text, 200, beforeValues)).toBe(true);
  });

  it("objects and arrays are also counted without other values", () => {
    const rows = JSON.stringify(
      Array.from({ length: 100 }, (_, value) => ({ value, other: [value] })),
    );
    expect(hasMore(rows, 200, ofContainers)).toBe(true);
    expect(hasMore(rows, 201, ofContainers)).toBe(false);
  });
});
