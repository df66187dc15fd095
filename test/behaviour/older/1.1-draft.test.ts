import { describe, expect, it } from "vitest";
import { grpc } from "../../../generated/1.1-draft/client/grpc.js";
import {
  connect,
  createAgent,
  jsonRpc,
  rest,
  Role,
  TaskGenerationMismatchError,
  TaskState,
  type A2AClient,
  type A2AService,
  type AgentCard,
  type Message,
  type StreamResponse,
  type Task,
} from "../../../generated/1.1-draft/index.js";
import { grpcService } from "../../../generated/1.1-draft/server/grpc.js";
import { nodeListener } from "../../../generated/1.1-draft/server/node.js";
import { all } from "../../support/everywhere.js";
import { openPorts } from "../../support/ports.js";
import { send } from "../../support/raw.js";

const transports = [
  ["JSONRPC", jsonRpc],
  ["HTTP+JSON", rest],
  ["GRPC", grpc],
] as const;

const message: Message = { messageId: "m-1", role: Role.User, taskId: "t-1", parts: [{ text: "Go on" }] };
const ids = { taskId: "t-1", contextId: "c-1" };
// Beyond the integers that a number of JavaScript holds.
const task: Task = {
  id: "t-1",
  contextId: "c-1",
  status: { state: TaskState.InputRequired },
  generation: "9007199254740993",
};
const events: StreamResponse[] = [
  { task },
  { artifactUpdate: { ...ids, artifact: { artifactId: "a", parts: message.parts }, generation: "9007199254740994" } },
  { statusUpdate: { ...ids, status: { state: TaskState.Completed }, generation: "9007199254740995" } },
];

/** Has one task. `seen` collects the generations that requests name. */
function serviceOf(seen: unknown[]): A2AService {
  return {
    sendMessage({ configuration }) {
      seen.push(configuration?.ifGenerationMatch);
      if (configuration?.ifGenerationMatch === task.generation) return { task };
      const expectedGeneration = configuration?.ifGenerationMatch ?? "";
      const metadata = { taskId: "t-1", expectedGeneration, currentGeneration: task.generation ?? "" };
      throw new TaskGenerationMismatchError("The task has moved on", { metadata });
    },
    getTask({ currentGeneration }) {
      seen.push(currentGeneration);
      return task;
    },
    async *subscribeToTask() {
      await Promise.resolve();
      yield* events;
    },
  };
}

async function play(transport = jsonRpc): Promise<{ url: string; client: A2AClient; seen: unknown[] }> {
  const { http, grpc: server, url, grpcUrl } = await openPorts();
  const card: AgentCard = {
    name: "Counter",
    description: "Counts the changes of its task.",
    version: "1.0.0",
    supportedInterfaces: [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.1" },
      { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.1" },
      { url: grpcUrl, protocolBinding: "GRPC", protocolVersion: "1.1" },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const seen: unknown[] = [];
  const agent = createAgent({ card, service: serviceOf(seen) });
  const { definition, implementation } = grpcService(agent);
  server.addService(definition, implementation);
  http.on("request", nodeListener(agent));
  return { url, seen, client: await connect(url, { transports: [transport()] }) };
}

describe.each(transports)("the draft of A2A 1.1 over %s", (_binding, transport) => {
  it("carries the generations of tasks, events and requests", async () => {
    const { client, seen } = await play(transport);
    expect(await client.getTask({ id: "t-1", currentGeneration: "9007199254740992" })).toEqual(task);
    expect(await all(client.subscribeToTask({ id: "t-1" }))).toEqual(events);
    const configuration = { ifGenerationMatch: "9007199254740993" };
    expect(await client.sendMessage({ message, configuration })).toEqual({ task });
    expect(seen).toEqual(["9007199254740992", "9007199254740993"]);
    client.close();
  });

  it("has an error for a message to another generation", async () => {
    const { client } = await play(transport);
    const refused = client.sendMessage({ message, configuration: { ifGenerationMatch: "0" } });
    await expect(refused).rejects.toBeInstanceOf(TaskGenerationMismatchError);
    await expect(refused).rejects.toMatchObject({
      metadata: { taskId: "t-1", expectedGeneration: "0", currentGeneration: "9007199254740993" },
    });
    client.close();
  });
});

it("the draft of A2A 1.1 says over HTTP+JSON that another generation is a conflict", async () => {
  const { url } = await play();
  const body = { message, configuration: { ifGenerationMatch: "7" } };
  const { status, text } = await send("POST", new URL("./message:send", url), body, { "a2a-version": "1.1" });
  expect(status).toBe(409);
  expect(JSON.parse(text)).toMatchObject({
    error: { code: 409, status: "ABORTED", details: [{ reason: "TASK_GENERATION_MISMATCH" }] },
  });
});
