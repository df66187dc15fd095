import { status } from "@grpc/grpc-js";
import type { Writer } from "protobufjs/minimal.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEchoAgent, type EchoAgent } from "../../../examples/echo-agent-0.3/server.js";
import { bytesOf, callGrpc, long } from "../../support/grpc.js";
import { call, jsonOf, send } from "../../support/raw.js";

let agent: EchoAgent;

beforeAll(async () => {
  agent = await startEchoAgent();
});

afterAll(() => agent.close());

/** The fields that an error names as wrong. */
function fieldsOf({ data }: { data?: { details?: { fieldViolations: { field: string }[] }[] } }): string[] {
  return (data?.details?.[0]?.fieldViolations ?? []).map(({ field }) => field);
}

interface PlainError {
  readonly code: number;
  readonly message: string;
  readonly data?: { details?: { fieldViolations: { field: string }[] }[] };
}

/** Sends params that are wrong over JSON-RPC, and gives the fields that the refusal names. */
async function overJsonRpc(method: string, params: unknown): Promise<string[]> {
  const { error } = jsonOf(await call(agent.url, method, params)) as { error?: PlainError };
  expect(error).toMatchObject({ code: -32602, message: /./ });
  return error === undefined ? [] : fieldsOf(error);
}

/** Sends a body that is wrong over HTTP+JSON, and gives the fields that the refusal names. */
async function overHttp(path: string, body: unknown): Promise<string[]> {
  const answer = await send("POST", new URL(path, agent.url), body);
  const error = jsonOf(answer) as PlainError;
  expect([answer.status, error]).toMatchObject([400, { code: -32602, message: /./ }]);
  return fieldsOf(error);
}

/** Sends bytes that are wrong over gRPC, and gives the text that they are refused with. */
async function overGrpc(operation: string, write: (writer: Writer) => unknown): Promise<string | undefined> {
  const { code, details } = await callGrpc(agent.grpcUrl, `/a2a.v1.A2AService/${operation}`, bytesOf(write));
  expect(code, details).toBe(status.INVALID_ARGUMENT);
  return details;
}

const textPart = { kind: "text", text: "hi" };
const message = { kind: "message", messageId: "m", role: "user", parts: [textPart] };
const protoMessage = { messageId: "m", role: "ROLE_USER", content: [{ text: "hi" }] };

/** Writes a message of the user with a part for each text. */
function writeMessage(writer: Writer, texts: readonly string[], role = 1): Writer {
  writer.uint32(long(1)).fork();
  writer.uint32(long(1)).string("m").uint32(32).int32(role);
  for (const text of texts) writer.uint32(long(5)).fork().uint32(long(1)).string(text).ldelim();
  return writer.ldelim();
}

describe("a kind that does not match its content", () => {
  it.each<[string, unknown, string]>([
    ["a part of text without text", { ...message, parts: [{ kind: "text", data: {} }] }, "message.parts.0.text"],
    ["a file without either content", { ...message, parts: [{ kind: "file", file: {} }] }, "message.parts.0.file"],
    ["data that are no object", { ...message, parts: [{ kind: "data", data: [1] }] }, "message.parts.0.data"],
    ["a kind that there is not", { ...message, parts: [{ kind: "video", text: "x" }] }, "message.parts.0.kind"],
    ["a part without a kind", { ...message, parts: [textPart, { text: "x" }] }, "message.parts.1.kind"],
    ["a message of another kind", { ...message, kind: "task" }, "message.kind"],
  ])("is refused over JSON-RPC and HTTP+JSON: %s", async (_what, wrong, field) => {
    expect(await overJsonRpc("message/send", { message: wrong })).toEqual([expect.stringContaining(field)]);
    expect(await overHttp("v1/message:send", { message: wrong })).toEqual([expect.stringContaining(field)]);
  });

  it("is refused as ProtoJSON: a part with two contents, or none", async () => {
    const both = { ...protoMessage, content: [{ text: "hi", data: { data: {} } }] };
    expect(await overHttp("v1/message:send", { message: both })).toEqual([
      expect.stringMatching(/^message\.content\.0/),
    ]);
    const none = { ...protoMessage, content: [{ text: "hi" }, {}] };
    expect(await overHttp("v1/message:send", { message: none })).toEqual([
      expect.stringMatching(/^message\.content\.1/),
    ]);
  });

  it("is refused over gRPC: a part without content", async () => {
    const write = (writer: Writer): void => {
      writer.uint32(long(1)).fork().uint32(long(1)).string("m").uint32(32).int32(1);
      writer.uint32(long(5)).fork().ldelim().ldelim();
    };
    expect(await overGrpc("SendMessage", write)).toContain("parts/0");
  });
});

describe("an enum value of another dialect", () => {
  it("is refused over JSON-RPC, and the field named", async () => {
    for (const role of ["ROLE_USER", "User", 1, ""]) {
      expect(await overJsonRpc("message/send", { message: { ...message, role } })).toEqual(["message.role"]);
      expect(await overJsonRpc("tasks/get", { id: 1 })).toEqual(["id"]);
    }
  });

  it("is refused over HTTP+JSON in either form", async () => {
    for (const role of ["user", "ROLE_UNKNOWN", 99]) {
      expect(await overHttp("v1/message:send", { message: { ...protoMessage, role } })).toEqual(["message.role"]);
    }
    // Half of each: the message has no `content`, and its `parts` are none of ProtoJSON.
    const mixed = await overHttp("v1/message:send", { message: { ...message, role: "ROLE_USER" } });
    expect(mixed).toEqual(["message.parts"]);
  });

  it("is refused over gRPC, and the field named", async () => {
    expect(await overGrpc("SendMessage", (writer) => writeMessage(writer, ["hi"], 99))).toMatch(/role.*99/);
    expect(await overGrpc("SendMessage", (writer) => writeMessage(writer, ["hi"], 0))).toContain("role");
  });
});

describe("a resource name that does not parse", () => {
  it.each([
    ["GetTask", "t-1"],
    ["GetTask", "tasks/"],
    ["GetTask", "tasks/a/b"],
    ["GetTask", "task/a"],
    ["CancelTask", "tasks/a/pushNotificationConfigs/b"],
    ["TaskSubscription", "Tasks/a"],
    ["GetTaskPushNotificationConfig", "pushNotificationConfigs/b"],
    ["DeleteTaskPushNotificationConfig", "tasks/a"],
    ["ListTaskPushNotificationConfig", "tasks"],
  ])("is refused over gRPC: %s of %s", async (operation, name) => {
    const text = await overGrpc(operation, (writer) => writer.uint32(long(1)).string(name));
    expect(text).toMatch(operation.startsWith("List") ? /\bparent\b/ : /\bname\b/);
    expect(text).toContain(name);
  });

  it("is refused over gRPC where it is absent", async () => {
    expect(await overGrpc("GetTask", () => undefined)).toMatch(/\bname\b|\bid\b/);
  });

  it("is refused in the body of HTTP+JSON", async () => {
    const fields = await overHttp("v1/tasks/a/pushNotificationConfigs", {
      name: "webhooks/c",
      pushNotificationConfig: { id: "c", url: "https://a.example/" },
    });
    expect(fields).toEqual(["config.name"]);
  });

  it("is refused in the body of HTTP+JSON where it names another task than the path", async () => {
    const body = {
      name: "tasks/b/pushNotificationConfigs/c",
      pushNotificationConfig: { id: "c", url: "https://a.example/" },
    };
    expect(await overHttp("v1/tasks/a/pushNotificationConfigs", body)).not.toEqual([]);
    expect(await overHttp("v1/tasks/a/pushNotificationConfigs", { ...body, name: undefined, taskId: "b" })).toEqual([
      "taskId",
    ]);
    expect(await overHttp("v1/tasks/a:cancel", { id: "b" })).toEqual(["id"]);
  });
});

describe("a message without parts", () => {
  const field = "message.parts";

  it.each([[[]], [undefined], [null]])("is refused on every transport: %j", async (parts) => {
    expect(await overJsonRpc("message/send", { message: { ...message, parts } })).toEqual([field]);
    expect(await overHttp("v1/message:send", { message: { ...message, parts } })).toEqual([field]);
    const [wrong] = await overHttp("v1/message:send", { message: { ...protoMessage, content: parts } });
    expect([field, "message.content"]).toContain(wrong);
    expect(await overGrpc("SendMessage", (writer) => writeMessage(writer, []))).toContain("/message/parts");
  });
});

describe("a request without what it needs", () => {
  it("is refused on every transport, and the field named", async () => {
    expect(await overJsonRpc("message/send", {})).toEqual(["message"]);
    expect(await overHttp("v1/message:send", {})).toEqual(["message"]);
    expect(await overGrpc("SendMessage", () => undefined)).toContain("/message");
    expect(await overJsonRpc("tasks/get", {})).toEqual(["id"]);
    expect(await overJsonRpc("tasks/pushNotificationConfig/set", { taskId: "t" })).toEqual(["pushNotificationConfig"]);
    expect(await overHttp("v1/tasks/t/pushNotificationConfigs", {})).toEqual([
      expect.stringContaining("pushNotificationConfig"),
    ]);
  });

  it("is refused over gRPC where the bytes are broken", async () => {
    expect(await overGrpc("GetTask", (writer) => writer.uint32(long(1)).uint32(99))).toMatch(/./);
  });
});
