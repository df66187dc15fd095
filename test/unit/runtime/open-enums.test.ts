import { Server, ServerCredentials } from "@grpc/grpc-js";
import { afterEach, describe, expect, it } from "vitest";
import { TaskStateSchema as oldTaskState } from "../../../generated/0.3.0/validators.js";
import { TaskStateSchema as draftTaskState } from "../../../generated/0.4-draft/validators.js";
import { createAgent, fetchHandler, parse, type AgentCard } from "../../../generated/1.0/index.js";
import type { Message } from "../../../generated/1.0/models.js";
import { sendMessage } from "../../../generated/1.0/operations.js";
import { decodeMessage, encodeMessage, encodeSendMessageRequest } from "../../../generated/1.0/protobuf.js";
import { grpcService } from "../../../generated/1.0/server/grpc.js";
import { isMessage, MessageSchema, parseMessage } from "../../../generated/1.0/validators.js";
import type { Type } from "../../../templates/runtime/schema/schema.js";
import { callGrpc } from "../../support/grpc.js";

/** A message in a role that this version does not know. */
const newer: unknown = { messageId: "m-1", role: 99, parts: [{ text: "hi" }] };
const bytes = encodeMessage(newer as Message);

describe("the number of an enum value that a version does not know", () => {
  it("stays as it is in the mode open, on the way to bytes and back", () => {
    const message = parse(MessageSchema, newer, "open");
    expect(message).toEqual(newer);
    expect(encodeMessage(message)).toEqual(bytes);
    expect(decodeMessage(bytes)).toEqual(newer);
    expect(JSON.parse(JSON.stringify(message))).toEqual(newer);
  });

  it("is no value to any other check", () => {
    expect(isMessage(newer)).toBe(false);
    expect(() => parseMessage(newer)).toThrow("/role expected Role (ROLE_UNSPECIFIED, ROLE_USER, ROLE_AGENT), got 99");
    for (const mode of ["strict", "json", "text"] as const)
      expect(() => parse(MessageSchema, newer, mode)).toThrow("/role");
  });

  it.each([2 ** 31, -(2 ** 31) - 1, 0.5, "99", "ROLE_NEWER", true])("has 32 bits, unlike %j", (role) => {
    expect(() => parse(MessageSchema, { ...(newer as Message), role }, "open")).toThrow("/role");
  });

  it("is a name where it is known", () => {
    expect(parse(MessageSchema, { ...(newer as Message), role: 1 }, "open").role).toBe("ROLE_USER");
  });

  it.each<[string, Type<unknown>, boolean]>([
    ["may be there for an enum with names of earlier versions", draftTaskState, true],
    ["is not there for an enum of a JSON Schema, which has no numbers", oldTaskState, false],
  ])("%s", (_, type, isThere) => {
    const read = (): unknown => parse(type, 99, "open");
    if (isThere) expect(read()).toBe(99);
    else expect(read).toThrow("TaskState (");
  });
});

describe("a server", () => {
  const url = "http://127.0.0.1/";
  const card: AgentCard = {
    name: "Nobody",
    description: "Is never asked.",
    version: "1.0.0",
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: {},
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const agent = createAgent({ card, service: { sendMessage: () => expect.unreachable() } });
  const stops: (() => void)[] = [];
  const headers = { "a2a-version": "1.0" };
  const problem = "message.role";

  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  const post = async (path: string, body: unknown): Promise<string> => {
    const content = { "content-type": "application/json", ...headers };
    const request = new Request(new URL(path, url), { method: "POST", headers: content, body: JSON.stringify(body) });
    return await (await fetchHandler(agent)(request)).text();
  };

  it("refuses it over JSON-RPC", async () => {
    const params = { message: newer };
    expect(await post("/", { jsonrpc: "2.0", id: 1, method: sendMessage.jsonRpc, params })).toContain(problem);
  });

  it("refuses it over HTTP+JSON", async () => {
    expect(await post("/message:send", { message: newer })).toContain(problem);
  });

  it("refuses it over gRPC", async () => {
    const server = new Server();
    const { definition, implementation } = grpcService(agent);
    server.addService(definition, implementation);
    const port = await new Promise<number>((resolve, reject) => {
      const done = (error: Error | null, bound: number): void => (error === null ? resolve(bound) : reject(error));
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), done);
    });
    stops.push(() => server.forceShutdown());
    const request = encodeSendMessageRequest({ message: newer as Message });
    const { code, details } = await callGrpc(`127.0.0.1:${port}`, sendMessage.grpc ?? "", request, headers);
    expect([code, details]).toEqual([3, expect.stringContaining("role")]);
  });
});
