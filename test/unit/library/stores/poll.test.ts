import { expect, it, vi } from "vitest";
import { ChangeListeners } from "../../../../library/stores/log/change-listeners.js";

it("the watches of a task end when another process has deleted the task, and watches of other tasks stay open", async () => {
  vi.useFakeTimers();
  const ids = new Set(["deleted", "kept"]);
  const audience = new ChangeListeners({
    read: (_, end) => Promise.resolve({ entries: [], end }),
    readState: (wanted) =>
      Promise.resolve({
        tasks: wanted.filter((id) => ids.has(id)).map((id) => ({ id, end: "1 0", posts: 0 })),
        isDue: false,
      }),
    pollMs: 1_000,
    listen: undefined,
  });
  const ended: string[] = [];
  for (const id of ids)
    void audience
      .watch(id, 1)
      .next()
      .then((found) => found ?? ended.push(id));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ended).toEqual([]);
  ids.delete("deleted");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ended).toEqual(["deleted"]);
  audience.close();
  vi.useRealTimers();
});

it("a poll that fails is repeated, even if no process writes in the meantime", async () => {
  vi.useFakeTimers();
  let fails = true;
  const polls: boolean[] = [];
  const listeners = new ChangeListeners({
    read: (_, end) => Promise.resolve({ entries: [], end }),
    readState() {
      polls.push(fails);
      return fails
        ? Promise.reject(new Error("busy"))
        : Promise.resolve({ tasks: [], isDue: false });
    },
    version: () => 7,
    pollMs: 1_000,
  });
  void listeners.watch("a", 1).next();
  await vi.advanceTimersByTimeAsync(2_000);
  fails = false;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(polls).toEqual([true, true, false]);
  listeners.close();
  vi.useRealTimers();
});
