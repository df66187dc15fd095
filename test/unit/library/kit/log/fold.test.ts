import { expect, it } from "vitest";
import { applyEvent } from "../../../../../library/kit/log/fold.js";
import { Role, TaskState } from "../../../../../generated/1.1-draft/models.js";

it("applyEvent appends a chunk with more parts than a call may have arguments", () => {
  const status = {
    state: TaskState.Working,
    message: { messageId: "m", role: Role.Agent, parts: [] },
  };
  const task = {
    id: "t",
    contextId: "c",
    status,
    artifacts: [{ artifactId: "a", parts: [{ text: "first" }] }],
  };
  const parts = Array.from({ length: 200_000 }, (_, at) => ({ text: String(at) }));
  const artifactUpdate = {
    taskId: "t",
    contextId: "c",
    artifact: { artifactId: "a", parts },
    append: true,
  };
  const [artifact] = applyEvent(task, { artifactUpdate }).artifacts ?? [];
  expect([artifact?.parts.length, artifact?.parts.at(-1)]).toEqual([200_001, { text: "199999" }]);
});
