import { describe, expect, it } from "vitest";
import { a2a, a2aJson, demoServer } from "./command.js";
import { listen } from "../../../support/http.js";

describe("a2a demo-server", () => {
  it("a2a demo-server starts an agent that answers, asks, lists tasks, and passes the probe (A2ACLI_DEMO_SERVER_001, CONFORM_001)", async () => {
    const url = await demoServer();
    expect((await a2a(`send -a ${url} "Hello there"`)).stdout).toContain("Text:\n  Hello there\n");
    const { json } = await a2aJson(`send -a ${url} "ask Who?"`);
    expect(json.task?.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const answered = await a2aJson(["send", "-a", url, "Ada", "--task-id", json.task?.id ?? ""]);
    expect(answered.json.task?.status.state).toBe("TASK_STATE_COMPLETED");
    expect((await a2aJson(`send -a ${url} "fail No"`)).json.task?.status.state).toBe(
      "TASK_STATE_FAILED",
    );
    expect((await a2aJson(`task list -a ${url}`)).json["tasks"]).toHaveLength(3);
    const { code, stdout } = await a2a(`conformance ${url} --allow-send --fail-on may`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Passed: \d+ passed, 0 failed/m)]);
  });

  it("a2a demo-server reports a port that is in use", async () => {
    const { port } = new URL(await listen((_request, response) => response.end()));
    const { code, stderr } = await a2a(`demo --port ${port}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Port ${port} cannot be opened`)]);
  });
});
