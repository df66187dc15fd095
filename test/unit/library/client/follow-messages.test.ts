import { describe, expect, it } from "vitest";
import { UnsupportedOperationError } from "../../../../generated/1.1-draft/errors.js";
import { TaskState } from "../../../../generated/1.1-draft/models.js";
import { followTask } from "../../../support/bound-kit.js";
import { TransportError } from "../../../../library/runtime/protocol/transport.js";
import { all } from "../../../support/everywhere.js";
import {
  Agent,
  lost,
  request,
  status,
  submitted,
  type Fault,
  type Moment,
} from "./follow-agent.js";
import { at, log, once, whole, words } from "./follow-seen.js";

describe("a message of a follower", () => {
  it("a message is sent again only if the agent certainly did not receive it", async () => {
    const error = new TransportError("There was no connection", { url: "test:", unsent: true });
    const unsent = new Agent(log, { streaming: true, fault: once(error, () => true) });
    expect(words(await all(followTask(unsent, request, at)))).toEqual(whole);
    expect(unsent.methods).toEqual(["sendStreamingMessage", "sendStreamingMessage"]);
    for (const streaming of [true, false]) {
      const agent = new Agent(log, { streaming, fault: once(lost(), () => true) });
      await expect(followTask(agent, request, at).result()).rejects.toThrow(
        "The connection was lost",
      );
      expect(agent.calls).toHaveLength(1);
    }
  });

  it("a message is sent without a stream if a client without a card learns that the agent does not stream", async () => {
    const fault = ({ method }: Moment): Fault =>
      method === "sendStreamingMessage" ? new UnsupportedOperationError() : undefined;
    const agent = new Agent(log, { streaming: undefined, fault });
    await followTask(agent, request, at).result();
    expect(agent.methods.slice(0, 3)).toEqual(["sendStreamingMessage", "sendMessage", "getTask"]);
    const liar = new Agent(log, { streaming: true, fault });
    await expect(followTask(liar, request, at).result()).rejects.toThrow(UnsupportedOperationError);
  });

  const asking = [status(TaskState.InputRequired, "?"), status(TaskState.Completed, "!")];

  it.each([true, false])(
    "a follower ends if the task waits for its sender, unless the option disables it (streaming: %s)",
    async (streaming) => {
      const agent = new Agent(asking, { streaming });
      expect(words(await all(followTask(agent, request, at)))).toEqual([
        "task submitted",
        "input_required",
      ]);
      const patient = await all(
        followTask(new Agent(asking, { streaming }), request, { ...at, untilEnded: true }),
      );
      expect(words(patient).at(-1)).toBe("completed");
      expect(words(await all(followTask(agent, { id: "t" }, at))).at(-1)).toMatch("completed");
    },
  );

  it.each([true, false])(
    "a follower of a message to a paused task does not end before the task resumes (streaming: %s)",
    async (streaming) => {
      const waiting = { ...submitted, status: { state: TaskState.InputRequired } };
      const happens = [status(TaskState.Working), status(TaskState.InputRequired, "?")];
      // The second read of the task is before the message is processed.
      let looks = 0;
      const pass = (): number => ((looks += 1) > 2 ? 1 : 0);
      const agent = new Agent(happens, { streaming, pass }, waiting);
      const answer = { message: { ...request.message, taskId: "t" } };
      const seen = await all(followTask(agent, answer, at));
      expect(words(seen)).toEqual(["task input_required", "working", "input_required"]);
    },
  );
});
