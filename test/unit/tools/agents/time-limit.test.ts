import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { withTimeLimit } from "../../../../tools/agents/time-limit.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Waits for the abort of a signal, and returns the reason. */
function reasonOf(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      resolve(signal.reason);
    });
  });
}

it("the limit passes after the garbage is collected", async () => {
  const controller = new AbortController();
  const reason = reasonOf(withTimeLimit(300, controller.signal));
  // The next turn of the event loop no longer holds the signals that this one has created.
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  expect(await reason).toMatchObject({ name: "TimeoutError" });
});

it("a signal ends the wait before the limit, and 0 does not limit the time", async () => {
  for (const ms of [1_000_000_000_000, 0]) {
    const controller = new AbortController();
    const reason = reasonOf(withTimeLimit(ms, new AbortController().signal, controller.signal));
    controller.abort("over");
    expect(await reason).toBe("over");
  }
});
