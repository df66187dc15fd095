import { describe, it, vi } from "vitest";
import { check } from "../../../support/kit-model/checks.js";
import { useOwnTimers } from "../../../support/kit-model/scheduler.js";
import { plans, take, type Plan } from "../../../support/kit-model/steps.js";
import type { Entry } from "../../../../library/kit/store.js";
import { World } from "../../../support/kit-model/world.js";
import fc from "../../../support/properties.js";
import { sized } from "../../../support/size.js";

describe("tasks with random turns and callers", () => {
  useOwnTimers();

  it("random tasks obey the rules of the protocol", { timeout: 600_000 }, async () => {
    await fc.assert(fc.asyncProperty(plans, run), { numRuns: sized(500, 1_000) });
  });
});

async function run({ setting, steps }: Plan): Promise<void> {
  vi.clearAllTimers();
  const world = new World(setting);
  try {
    for (const step of steps) await take(step, world);
    await world.windDown();
    await check(world);
    await world.close();
    if (vi.getTimerCount() > 0) throw new Error("A timer is left");
  } catch (error) {
    const calls = world.calls.map(({ what }) => what).join("\n  ");
    const logs = JSON.stringify(
      [...world.recording.logs.values()].map(({ entries }) => entries.map(brief)),
    );
    throw new Error(`${String(error)}\nCalls:\n  ${calls}\nLogs: ${logs}`, { cause: error });
  }
}

/** Says what an entry is, for the log of a run that failed. */
function brief(entry: Entry): string {
  if ("message" in entry)
    return `${entry.generation} ${entry.message.messageId}${entry.unread === true ? " unread" : ""}`;
  const { event } = entry;
  return `${entry.generation} ${"statusUpdate" in event ? event.statusUpdate.status.state : "piece"}`;
}
