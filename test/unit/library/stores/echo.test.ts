import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ChangeListeners } from "../../../../library/stores/log/change-listeners.js";
import type { ListenHandlers } from "../../../../library/stores/log/notifications.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/**
 * A process that watches a task, and listens to a database whose notifications arrive after
 * `delayMs()` milliseconds, or never.
 */
function listening(delayMs: () => number | undefined, isDown = () => false) {
  const found = { polls: 0, warnings: 0, echoes: 0 };
  let handlers: ListenHandlers | undefined;
  const send = (payload: string) => {
    const ms = delayMs();
    if (ms !== undefined) setTimeout(() => handlers?.onMessage(payload), ms);
  };
  const listeners = new ChangeListeners({
    read: (_, end) => Promise.resolve({ entries: [], end }),
    readState(ids) {
      found.polls += 1;
      return Promise.resolve({
        tasks: ids.map((id) => ({ id, end: "1 0", posts: 0 })),
        isDue: false,
      });
    },
    pollMs: 5_000,
    listen(given) {
      handlers = given;
      given.onListening();
      return () => (handlers = undefined);
    },
    notifier: {
      due: () => undefined,
      echo(token) {
        found.echoes += 1;
        if (isDown()) return Promise.reject(new Error("The database is unavailable"));
        send("e another process");
        send(`e ${token}`);
        return Promise.resolve();
      },
    },
    onDeaf: () => (found.warnings += 1),
  });
  void listeners.watch("a", 1).next();
  const pollsWithin = async (ms: number) => {
    const before = found.polls;
    await vi.advanceTimersByTimeAsync(ms);
    return found.polls - before;
  };
  return { listeners, found, pollsWithin };
}

it("a process whose notifications arrive polls at its interval, and warns of nothing", async () => {
  const { listeners, found, pollsWithin } = listening(() => 900);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await pollsWithin(60_000)).toBe(12);
  expect(found).toMatchObject({ warnings: 0, echoes: 1 });
  listeners.close();
});

it("a process that no notification reaches notices it within a second, warns once, and polls each 200 ms", async () => {
  const { listeners, found, pollsWithin } = listening(() => undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(found.warnings).toBe(1);
  expect(await pollsWithin(60_000)).toBe(300);
  expect(found.warnings).toBe(1);
  listeners.close();
  expect(await pollsWithin(60_000)).toBe(0);
});

it("a process polls at its interval again when notifications arrive again", async () => {
  const delay: { ms?: number } = {};
  const { listeners, found, pollsWithin } = listening(() => delay.ms);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await pollsWithin(2_000)).toBe(10);
  delay.ms = 10;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await pollsWithin(60_000)).toBe(12);
  expect(found).toMatchObject({ warnings: 1, echoes: 2 });
  listeners.close();
});

it("an echo that is later than a second ends the polls that replace notifications", async () => {
  const { listeners, found, pollsWithin } = listening(() => 3_000);
  await vi.advanceTimersByTimeAsync(3_500);
  expect(await pollsWithin(60_000)).toBe(12);
  expect(found).toMatchObject({ warnings: 1, echoes: 1 });
  listeners.close();
});

it("a process does not warn while the database is unavailable, and checks again later", async () => {
  let isDown = true;
  const { listeners, found } = listening(
    () => 10,
    () => isDown,
  );
  await vi.advanceTimersByTimeAsync(30_000);
  isDown = false;
  await vi.advanceTimersByTimeAsync(10_000);
  const { echoes } = found;
  expect(echoes).toBeGreaterThan(3);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(found).toMatchObject({ warnings: 0, echoes });
  listeners.close();
});
