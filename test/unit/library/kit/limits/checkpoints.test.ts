import { expect, it } from "vitest";
import { completed, working } from "../../../../../library/kit/turns/updates.js";
import { kitAgent } from "../../../../support/kit.js";

const cycle: { self?: unknown } = {};
cycle.self = cycle;

it.each<[string, unknown]>([
  ["a bigint", { count: [1n] }],
  ["a cycle", cycle],
])(
  "a task fails whose turn saves %s, and the error says that its state must be JSON",
  async (_, state) => {
    const agent = kitAgent<unknown>({
      async *run() {
        yield working();
        return completed("Done", { state });
      },
    });
    expect((await agent.send("a")).status.state).toBe("TASK_STATE_FAILED");
    expect(agent.errors).toMatchObject([
      {
        name: "TypeError",
        message: "The state of a turn must be JSON, without cycles and bigints",
      },
    ]);
  },
);
