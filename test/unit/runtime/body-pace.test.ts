import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BodyPace } from "../../../templates/runtime/http/body-pace.js";
import { beforeValues, hasMore, ofContainers } from "../../../templates/runtime/http/body-values.js";

const MiB = 2 ** 20;

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

/** Returns whether a wait is over. */
function watched(wait: Promise<void> | false | undefined) {
  const state = { isOver: wait === undefined };
  if (wait !== false) void wait?.then(() => (state.isOver = true));
  return state;
}

describe("the pace of bodies", () => {
  it("small bodies are not delayed", () => {
    const pace = new BodyPace(1);
    const bytes = BodyPace.bytesOf("262144");
    for (let count = 0; count < 1_000; count += 1) expect(pace.enter("ada", bytes)).toBeUndefined();
  });

  it("large bodies of a caller that exceeds its rate are delayed, and bodies of other callers are not", async () => {
    const pace = new BodyPace(10 * MiB);
    const bytes = BodyPace.bytesOf(String(10 * MiB));
    expect([pace.enter("ada", bytes), pace.enter("ada", bytes)]).toEqual([undefined, undefined]);
    const third = watched(pace.enter("ada", bytes));
    expect(pace.enter("bob", bytes)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(999);
    expect(third.isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(third.isOver).toBe(true);
  });

  it("users that are objects are distinguished by their ids", () => {
    const pace = new BodyPace(MiB);
    expect(pace.enter({ id: "ada" }, 10 * MiB)).toBeUndefined();
    expect(pace.enter({ id: "ada" }, MiB)).toBeInstanceOf(Promise);
    expect(pace.enter({ id: "bob" }, MiB)).toBeUndefined();
  });

  it("a body that would wait for more than half a minute is refused", () => {
    const pace = new BodyPace(MiB);
    for (let count = 0; count < 31; count += 1) expect(pace.enter("ada", MiB)).not.toBe(false);
    expect(pace.enter("ada", MiB)).toBe(false);
  });

  it("a body without a length counts by its actual size", async () => {
    const pace = new BodyPace(MiB);
    const counted = BodyPace.bytesOf(undefined);
    for (let count = 0; count < 100; count += 1) {
      expect(pace.enter("ada", counted)).toBeUndefined();
      expect(pace.correct("ada", 1_000, counted)).toBeUndefined();
    }
    expect(pace.enter("ada", counted)).toBeUndefined();
    expect(pace.correct("ada", 10 * MiB, counted)).toBeUndefined();
    const next = watched(pace.enter("ada", counted));
    await vi.advanceTimersByTimeAsync(8_999);
    expect(next.isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(next.isOver).toBe(true);
  });

  it("the pause between bodies is 19 times as long as a body blocks the event loop", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    const pace = new BodyPace(100 * MiB);
    pace.measure("ada", MiB);
    clock.mockReturnValue(100);
    await vi.advanceTimersByTimeAsync(1);
    // It is paid for after 2 seconds, and a caller may be ahead by one.
    clock.mockReturnValue(999);
    expect(pace.enter("ada", MiB)).toBeInstanceOf(Promise);
    clock.mockReturnValue(1_100);
    expect(pace.enter("ada", MiB)).toBeUndefined();
    clock.mockRestore();
  });
});

describe("the number of values in a body", () => {
  it("the content of strings does not count as values", () => {
    const text = JSON.stringify(["a,b:[{".repeat(100)]);
    expect([hasMore(text, 10, beforeValues), hasMore(text, 10, ofContainers)]).toEqual([false, false]);
  });

  it("members and elements count as values", () => {
    const text = JSON.stringify(Array.from({ length: 100 }, (_, value) => ({ value })));
    expect(hasMore(text, 200, beforeValues)).toBe(true);
  });

  it("objects and arrays are also counted without other values", () => {
    const rows = JSON.stringify(Array.from({ length: 100 }, (_, value) => ({ value, other: [value] })));
    expect(hasMore(rows, 200, ofContainers)).toBe(true);
    expect(hasMore(rows, 201, ofContainers)).toBe(false);
  });
});
