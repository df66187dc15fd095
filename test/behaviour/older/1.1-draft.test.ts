import { describe, expect, it } from "vitest";
import {
  Role,
  TaskGenerationMismatchError,
  TaskState,
} from "../../../generated/1.1-draft/index.js";
import { send } from "../../support/raw.js";
import { bindings, scriptedFor } from "../../support/scripted.js";

const message = { messageId: "m-1", role: Role.User, taskId: "t-1", parts: [{ text: "Go on" }] };
const ids = { taskId: "t-1", contextId: "c-1" };
// Beyond the integers that a number of JavaScript holds.
const generation = "9007199254740993";
const task = {
  id: "t-1",
  contextId: "c-1",
  status: { state: TaskState.InputRequired },
  generation,
};
const events = [
  { task },
  {
    artifactUpdate: {
      ...ids,
      artifact: { artifactId: "a", parts: message.parts },
      generation: "9007199254740994",
    },
  },
  {
    statusUpdate: {
      ...ids,
      status: { state: TaskState.Completed },
      generation: "9007199254740995",
    },
  },
];
const metadata = { taskId: "t-1", expectedGeneration: "0", currentGeneration: generation };
const mismatch = new TaskGenerationMismatchError("The task has moved on", { metadata });

describe.each(bindings)("the draft of A2A 1.1 over %s", (over) => {
  it("tasks, events and requests of the draft contain their generations", async () => {
    const agent = await scriptedFor("1.1-draft");
    const request = { message, configuration: { ifGenerationMatch: generation } };
    const asked = { id: "t-1", currentGeneration: "9007199254740992" };
    for (const [method, given, reply] of [
      ["getTask", asked, task],
      ["subscribeToTask", { id: "t-1" }, events],
      ["sendMessage", request, { task }],
    ] as const) {
      agent.response = reply;
      expect(await agent.call(over, method, given)).toEqual(reply);
      expect(agent.request).toEqual(given);
    }
  });

  it("the draft has an error for a message to another generation", async () => {
    const agent = await scriptedFor("1.1-draft");
    agent.response = mismatch;
    const refused = agent.call(over, "sendMessage", {
      message,
      configuration: { ifGenerationMatch: "0" },
    });
    await expect(refused).rejects.toBeInstanceOf(TaskGenerationMismatchError);
    await expect(refused).rejects.toMatchObject({ metadata });
  });
});

it("the draft of A2A 1.1 reports another generation as a conflict over HTTP+JSON", async () => {
  const agent = await scriptedFor("1.1-draft");
  agent.response = mismatch;
  const body = { message, configuration: { ifGenerationMatch: "7" } };
  const { status, text } = await send("POST", new URL("./message:send", agent.url), body, {
    "a2a-version": "1.1",
  });
  expect(status).toBe(409);
  expect(JSON.parse(text)).toMatchObject({
    error: { code: 409, status: "ABORTED", details: [{ reason: "TASK_GENERATION_MISMATCH" }] },
  });
});
