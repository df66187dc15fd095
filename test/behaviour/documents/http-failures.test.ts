import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAgent, PermissionDeniedError, TaskNotCancelableError, TaskState } from "../../../generated/1.0/index.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";
import { openApiOf } from "./documents.js";
import { DocumentedApi } from "./exchange.js";

const server = createServer();
let api: DocumentedApi;

const task = { id: "t-1", status: { state: TaskState.Working } };
const body = { message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hello" }] } };

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const card = {
    name: "Broken",
    description: "Fails in every way.",
    version: "1.0.0",
    supportedInterfaces: [{ url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
    capabilities: { streaming: true, extendedAgentCard: true, pushNotifications: false },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "fail", name: "Fail", description: "Fails.", tags: ["test"] }],
  };
  const service = {
    sendMessage() {
      throw new Error("The service is broken");
    },
    async *sendStreamingMessage() {
      yield await Promise.resolve({ task });
      throw new Error("The stream is broken");
    },
    getTask() {
      throw new PermissionDeniedError();
    },
    cancelTask() {
      throw new TaskNotCancelableError(undefined, { metadata: { taskId: task.id }, httpStatus: 409 });
    },
  };
  server.on("request", nodeListener(createAgent({ card, service, onError: () => undefined })));
  api = new DocumentedApi(await openApiOf("1.0"), url);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("what an agent of 1.0 says when something is wrong", () => {
  it.each([
    ["sendMessage", 500, { body }],
    ["getTask", 403, { values: { id: "t-1" } }],
    ["listTasks", 400, {}],
    ["cancelTask", 409, { values: { id: "t-1" } }],
    ["getExtendedAgentCard", 400, {}],
    ["listTaskPushNotificationConfigs", 400, { values: { taskId: "t-1" } }],
  ] as const)("is what the document says, for %s with %i", async (id, status, saying) => {
    const { answer, problems } = await api.call(id, saying);
    expect([answer.status, problems]).toEqual([status, []]);
  });

  it("is an event that the document knows where a stream has begun", async () => {
    const { answer, problems } = await api.call("sendStreamingMessage", { body });
    expect([answer.status, problems]).toEqual([200, []]);
    expect(answer.text).toContain('data: {"error":{"code":500');
  });
});
