import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type A2AClient } from "../../../generated/1.0/index.js";
import { all } from "../../support/everywhere.js";
import { findSource, generateFrom, writeTo } from "../../support/output.js";
import { runtimes, type RunningApp } from "./runtimes.js";

/** An agent whose turns take longer than the response to a call that does not wait. */
const app = `
import { createAgent, fetchHandler } from "./a2a/index.ts";
import { completed, taskService, textOf, working } from "./a2a/kit/index.ts";

const service = taskService({
  backgroundTurns: false,
  async *run({ message, signal }) {
    yield working("Thinking");
    // The turn of "wait" lasts until its task is canceled.
    const ms = textOf(message) === "wait" ? 60_000 : 1_500;
    for (let waited = 0; waited < ms && !signal.aborted; waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50));
    return completed();
  },
});
let handle;
export default {
  fetch(request) {
    const url = new URL(request.url).origin;
    const supportedInterfaces = ["JSONRPC", "HTTP+JSON"].map((protocolBinding) => ({ url, protocolBinding, protocolVersion: "1.0" }));
    const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] };
    const card = { name: "W", description: "Works", version: "1", supportedInterfaces, capabilities: { streaming: true }, ...modes, skills: [] };
    handle ??= fetchHandler(createAgent({ card, service: service, authenticate: () => "ada" }));
    return handle(request);
  },
};
`;

const request = {
  message: { messageId: "m-1", role: "ROLE_USER" as const, parts: [{ text: "hello" }] },
};
const waiting = { message: { ...request.message, parts: [{ text: "wait" }] } };

describe("turns in a Worker", () => {
  const runtime = runtimes.find(({ name }) => name === "workerd");
  const program = runtime?.program;
  if (runtime === undefined || program === undefined) {
    it.skip(
      "nothing is tried: node_modules has no workerd that starts on this machine; see .ci/run",
    );
    return;
  }

  let running: RunningApp;
  let client: A2AClient;
  beforeAll(async () => {
    const targets = ["server", "jsonrpc", "rest", "tasks"];
    const output = await generateFrom(findSource("1.0"), { targets, importExtension: "ts" });
    const folder = writeTo(join("runtimes", "worker-turns", "a2a"), output);
    writeTo(join("runtimes", "worker-turns"), { files: [{ path: "app.ts", text: app }] });
    running = await runtime.start(program, join(folder, ".."));
    client = await connect(running.url);
  });
  afterAll(() => running.stop());

  it("a call with returnImmediately gets its response when the turn has ended", async () => {
    const { task } = await client.sendMessage({
      ...request,
      configuration: { returnImmediately: true },
    });
    expect(task?.status.state).toBe("TASK_STATE_COMPLETED");
    expect((await client.getTask({ id: task?.id ?? "" })).status.state).toBe(
      "TASK_STATE_COMPLETED",
    );
  });

  it.each(["stream", "call"])(
    "a task is canceled while the turn of another request works, begun by a %s",
    async (by) => {
      const stream =
        by === "stream"
          ? all(client.sendStreamingMessage(waiting))
          : client.sendMessage({ ...waiting, configuration: { returnImmediately: true } });
      let id: string | undefined;
      while (id === undefined) {
        const { tasks } = await client.listTasks({ status: "TASK_STATE_WORKING" });
        id = tasks[0]?.id;
      }
      expect((await client.cancelTask({ id })).status.state).toBe("TASK_STATE_CANCELED");
      await stream;
    },
  );
});
