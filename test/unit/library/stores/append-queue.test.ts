import { afterEach, describe, expect, it, vi } from "vitest";
import type { Append, AppendedEntries, Verdict } from "../../../../library/stores/log/append.js";
import { AppendQueue } from "../../../../library/stores/log/append-queue.js";

const start = { generation: 1, nth: 0 };
const done: AppendedEntries = {
  appended: { inbox: [], bytes: 1, released: false },
  inbox: undefined,
  before: start,
  batch: { entries: [], end: start },
  isDue: false,
  grown: 0,
};

function appendTo(id: string, body = "{}"): Append {
  const lease = { id, scope: { tenant: "", owner: "" }, holder: "h", epoch: 1 };
  const entry = {
    generation: 2,
    event: { statusUpdate: { taskId: id, contextId: "", status: { state: "" } } },
  };
  // The queue does not read the entries.
  return {
    lease,
    entries: [entry] as never,
    options: {},
    bodies: [body],
    turn: null,
    checkpoint: null,
  };
}

/**
 * A queue, the ids of the tasks in each of its steps, and functions that end a step with a verdict
 * for each append.
 */
function queueOf(most: number) {
  const steps: string[][] = [];
  const ends: ((verdict?: Verdict) => void)[] = [];
  const queue = new AppendQueue((appends) => {
    steps.push(appends.map(({ lease }) => lease.id));
    return new Promise((resolve) => {
      ends.push((verdict = done) => {
        resolve(appends.map(() => verdict));
      });
    });
  }, most);
  const add = (...ids: string[]) => ids.map((id) => queue.add(appendTo(id)));
  return { queue, steps, ends, add };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("AppendQueue", () => {
  it("an append goes at once, and appends that wait for it go together, each task once", async () => {
    const { steps, ends, add } = queueOf(1);
    const [first] = add("a", "b", "c", "b", "d");
    expect(steps).toEqual([["a"]]);
    ends[0]?.();
    await first;
    const [again] = add("a");
    await vi.waitFor(() => {
      expect(steps).toEqual([["a"], ["b", "c", "d", "a"]]);
    });
    ends[1]?.();
    await again;
    await vi.waitFor(() => {
      expect(steps[2]).toEqual(["b"]);
    });
  });

  it("an append goes at once after a step that ended without any append waiting", async () => {
    const { steps, ends, add } = queueOf(1);
    const [first] = add("a");
    ends[0]?.();
    await first;
    await Promise.resolve();
    void add("a");
    expect(steps).toEqual([["a"], ["a"]]);
  });

  it("appends are shared equally between two steps", async () => {
    const { steps, ends, add } = queueOf(2);
    const found = add("a", "b", "c", "d", "e", "f");
    expect(steps).toEqual([["a"], ["b"]]);
    ends[0]?.();
    await found[0];
    await vi.waitFor(() => {
      expect(steps[2]).toEqual(["c", "d", "e"]);
    });
  });

  it("appends overtake a step that does not end", () => {
    vi.useFakeTimers();
    const { steps, add } = queueOf(1);
    void add("a", "b", "c");
    vi.advanceTimersByTime(99);
    expect(steps).toEqual([["a"]]);
    vi.advanceTimersByTime(1);
    expect(steps).toEqual([["a"], ["b", "c"]]);
    void add("d");
    vi.advanceTimersByTime(100);
    expect(steps[2]).toEqual(["d"]);
  });

  it("a large append goes alone and holds up no other append", () => {
    const { queue, steps, add } = queueOf(1);
    void queue.add(appendTo("large", "x".repeat(65_536)));
    void add("a");
    expect(steps).toEqual([["large"], ["a"]]);
  });

  it("an append that the database refuses to combine is repeated alone, and can fail alone", async () => {
    const { steps, ends, add } = queueOf(1);
    const found = add("a", "b", "c");
    ends[0]?.();
    await vi.waitFor(() => {
      expect(steps[1]).toEqual(["b", "c"]);
    });
    ends[1]?.("alone");
    await vi.waitFor(() => {
      expect(steps.slice(2)).toEqual([["b"], ["c"]]);
    });
    ends[2]?.();
    ends[3]?.(new Error("lost"));
    expect(await found[1]).toBe(done);
    await expect(found[2]).rejects.toThrow("lost");
  });
});
