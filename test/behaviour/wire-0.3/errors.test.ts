import { status } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { startEchoAgent, type EchoAgent, type EchoAgentOptions } from "../../../examples/echo-agent-0.3/server.js";
import { errors } from "../../../generated/0.3.0/errors.js";
import { fixedEnvironment } from "../../support/environment.js";
import { bytesOf, callGrpc, long } from "../../support/grpc.js";
import { call, jsonOf, send } from "../../support/raw.js";
import { bearerTokens } from "../../../examples/echo-agent-0.3/auth.js";

interface Case {
  readonly error: string;
  readonly rpc: readonly [method: string, params: unknown];
  readonly http: readonly [verb: string, path: string, body?: unknown];
  readonly grpc: readonly [operation: string, bytes: Uint8Array];
  /** The JSON-RPC code, the HTTP status, the gRPC status. */
  readonly codes: readonly [number, number, number];
  readonly options?: EchoAgentOptions;
  /** What is sent before, if anything. */
  readonly before?: string;
}

const named = (name: string): Uint8Array => bytesOf((writer) => writer.uint32(long(1)).string(name));
const protoMessage = (text: string): unknown => ({
  message: { messageId: "m", role: "ROLE_USER", content: [{ text }] },
});
const without: EchoAgentOptions = { capabilities: { pushNotifications: false }, extendedCard: false };

const cases: readonly Case[] = [
  {
    error: "TaskNotFoundError",
    rpc: ["tasks/get", { id: "none" }],
    http: ["GET", "v1/tasks/none"],
    grpc: ["GetTask", named("tasks/none")],
    codes: [-32001, 404, status.NOT_FOUND],
  },
  {
    error: "TaskNotCancelableError",
    before: "hi",
    rpc: ["tasks/cancel", { id: "id-1" }],
    http: ["POST", "v1/tasks/id-1:cancel", {}],
    grpc: ["CancelTask", named("tasks/id-1")],
    codes: [-32002, 400, status.FAILED_PRECONDITION],
  },
  {
    error: "PushNotificationNotSupportedError",
    options: without,
    rpc: ["tasks/pushNotificationConfig/list", { id: "t" }],
    http: ["GET", "v1/tasks/t/pushNotificationConfigs"],
    grpc: ["ListTaskPushNotificationConfig", named("tasks/t")],
    codes: [-32003, 400, status.UNIMPLEMENTED],
  },
  {
    error: "UnsupportedOperationError",
    options: without,
    rpc: ["agent/getAuthenticatedExtendedCard", {}],
    http: ["GET", "v1/card"],
    grpc: ["GetAgentCard", new Uint8Array()],
    codes: [-32004, 400, status.UNIMPLEMENTED],
  },
  {
    error: "InvalidParamsError",
    rpc: ["message/send", {}],
    http: ["POST", "v1/message:send", {}],
    grpc: ["SendMessage", new Uint8Array()],
    codes: [-32602, 400, status.INVALID_ARGUMENT],
  },
  {
    error: "InternalError",
    // A clock that is broken.
    options: { environment: { ...fixedEnvironment(), now: () => new Date(NaN) }, onError: () => undefined },
    rpc: [
      "message/send",
      { message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "x" }] } },
    ],
    http: ["POST", "v1/message:send", protoMessage("x")],
    grpc: [
      "SendMessage",
      bytesOf((writer) => {
        writer.uint32(long(1)).fork().uint32(long(1)).string("m").uint32(32).int32(1);
        writer.uint32(long(5)).fork().uint32(long(1)).string("x").ldelim().ldelim();
      }),
    ],
    codes: [-32603, 500, status.INTERNAL],
  },
];

async function start(options: EchoAgentOptions = {}): Promise<EchoAgent> {
  const agent = await startEchoAgent({ environment: fixedEnvironment(), ...options });
  onTestFinished(() => agent.close());
  return agent;
}

describe("an error on every transport", () => {
  it.each(cases)("$error has its codes", async ({ error, rpc, http, grpc, codes, options, before }) => {
    const agent = await start(options);
    if (before !== undefined) await send("POST", new URL("v1/message:send", agent.url), protoMessage(before));
    const [rpcCode, httpStatus, grpcStatus] = codes;

    const overRpc = await call(agent.url, ...rpc);
    expect([overRpc.status, jsonOf(overRpc)]).toMatchObject([200, { error: { code: rpcCode, message: /./ } }]);

    const overHttp = await send(http[0], new URL(http[1], agent.url), http[2]);
    expect([overHttp.status, jsonOf(overHttp)]).toMatchObject([httpStatus, { code: rpcCode, message: /./ }]);
    expect(jsonOf(overHttp)).not.toHaveProperty("error");

    const overGrpc = await callGrpc(agent.grpcUrl, `/a2a.v1.A2AService/${grpc[0]}`, grpc[1]);
    expect(overGrpc).toMatchObject({ code: grpcStatus, details: expect.stringMatching(`^${error}: .`) as unknown });
  });

  it("hides what went wrong inside", async () => {
    const internal = cases.find(({ error }) => error === "InternalError");
    const agent = await start(internal?.options);
    const answer = await send("POST", new URL("v1/message:send", agent.url), protoMessage("x"));
    expect(jsonOf(answer)).toEqual({ code: -32603, message: "Internal error" });
  });

  it("says over HTTP itself who may not call", async () => {
    const agent = await start({ authenticate: bearerTokens(new Map()) });
    const headers = { authorization: "Bearer wrong" };
    const overRpc = await call(agent.url, "tasks/get", { id: "t" }, headers);
    expect([overRpc.status, overRpc.headers.has("www-authenticate")]).toEqual([401, true]);
    const overHttp = await send("GET", new URL("v1/tasks/t", agent.url), undefined, headers);
    expect([overHttp.status, overHttp.headers.has("www-authenticate")]).toEqual([401, true]);
    const overGrpc = await callGrpc(agent.grpcUrl, "/a2a.v1.A2AService/GetTask", named("tasks/t"), headers);
    expect(overGrpc.code).toBe(status.UNAUTHENTICATED);
  });

  it("of an unknown method is one of the transport", async () => {
    const agent = await start();
    expect(jsonOf(await call(agent.url, "tasks/eat"))).toMatchObject({ error: { code: -32601 } });
    expect((await send("GET", new URL("v1/eat", agent.url))).status).toBe(501);
    const overGrpc = await callGrpc(agent.grpcUrl, "/a2a.v1.A2AService/Eat", new Uint8Array());
    expect(overGrpc.code).toBe(status.UNIMPLEMENTED);
  });

  it("has a class for each code of the schema", () => {
    const codes = errors.classes.flatMap(({ row }) => row.jsonRpc ?? []);
    expect(codes.toSorted((a, b) => b - a)).toEqual([
      -32001, -32002, -32003, -32004, -32005, -32006, -32007, -32600, -32601, -32602, -32603, -32700,
    ]);
  });
});
