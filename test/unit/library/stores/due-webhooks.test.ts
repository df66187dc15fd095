import { describe, expect, it } from "vitest";
import { ChangeListeners } from "../../../../library/stores/log/change-listeners.js";

/** Listeners of a process, and the number of notifications that it has sent to other processes. */
function listenersOf() {
  let announced = 0;
  const listeners = new ChangeListeners({
    read: () => Promise.resolve({ entries: [], end: { generation: 0, nth: 0 } }),
    readState: () => Promise.resolve({ tasks: [], isDue: false }),
    pollMs: 1_000_000,
    notifier: {
      due: () => {
        announced += 1;
      },
    },
  });
  return { listeners, announced: () => announced };
}

describe("a webhook that a process makes due", () => {
  it.each([
    { title: "is claimed by its own sender alone", own: [true], others: 0 },
    { title: "is claimed by one of its own senders", own: [false, true], others: 0 },
    { title: "is for other processes if its own sender has no room", own: [false], others: 1 },
    { title: "is for other processes if it has no sender", own: [], others: 1 },
  ])("$title", ({ own, others }) => {
    const { listeners, announced } = listenersOf();
    let calls = 0;
    for (const result of own)
      listeners.onDue(() => {
        calls += 1;
        return result;
      });
    listeners.due();
    expect([calls, announced()]).toEqual([own.length, others]);
    listeners.close();
  });

  it("the webhook is for other processes if the own sender fails or was removed", () => {
    const { listeners, announced } = listenersOf();
    const stop = listeners.onDue(() => {
      throw new Error("The error of a listener is ignored");
    });
    listeners.due();
    expect(announced()).toBe(1);
    stop();
    listeners.due();
    expect(announced()).toBe(2);
    listeners.close();
  });
});
