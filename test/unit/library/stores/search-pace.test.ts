import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SearchPace } from "../../../../library/stores/log/search-pace.js";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance", "setTimeout"] }));
afterEach(() => vi.useRealTimers());

const everyMs = 1_000;

/** Processes that search as `LeaseGuard` does, and the times of their searches in milliseconds. */
class Fleet {
  readonly times: number[] = [];
  #count = 0;
  #running = 0;

  /** Adds processes, which start within a second. */
  add(count: number): void {
    for (let at = 0; at < count; at += 1) {
      const pace = new SearchPace();
      const search = (): void => {
        if (this.#running < at) return;
        this.times.push(performance.now());
        setTimeout(search, pace.next((this.#count += 1), everyMs) ?? everyMs);
      };
      this.#running = Math.max(this.#running, at);
      setTimeout(search, (at * everyMs) / count);
    }
  }

  /** Ends all processes but some. */
  keep(count: number): void {
    this.#running = count - 1;
  }

  /** Lets time pass; returns the number of searches per second. */
  async rateWithin(seconds: number): Promise<number> {
    const before = this.times.length;
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
    return (this.times.length - before) / seconds;
  }

  /** Returns the longest time without a search since a time, in milliseconds. */
  longestGapSince(start: number): number {
    const later = [start, ...this.times.filter((time) => time > start), performance.now()];
    return Math.max(...later.map((time, at) => time - (later[at - 1] ?? time)));
  }
}

describe("the pace of routine searches for expired leases", () => {
  it.each([1, 2, 10])("each of %i processes searches once per interval", async (count) => {
    const fleet = new Fleet();
    fleet.add(count);
    await fleet.rateWithin(20);
    expect(await fleet.rateWithin(60)).toBeCloseTo(count, 0);
  });

  it.each([100, 1_000])("%i processes together search a quarter as often", async (count) => {
    const fleet = new Fleet();
    fleet.add(count);
    await fleet.rateWithin(30);
    const rate = await fleet.rateWithin(60);
    expect(rate).toBeGreaterThan(count / 4 / 1.2);
    expect(rate).toBeLessThan((count / 4) * 1.2);
  });

  it("two of a thousand processes that survive search within five seconds, and then search once per interval again", async () => {
    const fleet = new Fleet();
    fleet.add(1_000);
    await fleet.rateWithin(60);
    const end = performance.now();
    fleet.keep(2);
    await fleet.rateWithin(60);
    expect(fleet.longestGapSince(end)).toBeLessThanOrEqual(5_000);
    expect(await fleet.rateWithin(60)).toBeCloseTo(2, 0);
  });

  it("a process keeps its interval if the count starts again", async () => {
    const pace = new SearchPace();
    pace.next(1_000_000, everyMs);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(pace.next(1, everyMs)).toBeUndefined();
  });
});
