import { afterEach, describe, expect, it } from "vitest";
import { PermissionDeniedError, UnauthenticatedError } from "../../generated/1.0/index.js";
import { encodeGetTaskRequest } from "../../generated/1.0/protobuf.js";
import { card, startAgent, stopAgents, taskOf, type TestAgent } from "./agent.js";
import { everywhere, expectAlive, message, reasonOf, type OperationName } from "./everywhere.js";
import { callGrpc, get, metadataOf, post, rpc, send, version } from "./wire.js";

afterEach(stopAgents);

const request = { message };

describe("the version that a call asks for", () => {
  it.each(["1.0", "1.0.0", "1.0.1", "1.0.99", "1.0-rc", "1.0+build"])("may be %j", async (asked) => {
    const agent = await startAgent();
    const outcome = await everywhere(agent, "SendMessage", request, { "a2a-version": asked });
    expect(outcome.value).toEqual(request);
  });

  it.each(
    [
      "0.3",
      "2.0",
      "1.1",
      "1",
      "1.",
      "v1.0",
      "1.0 .1",
      "1,0",
      "1.0, 1.0",
      "-1.0",
      "10.0",
      "01.0",
      "1.00",
      "latest",
      "null",
      "'; drop",
      "1.0".repeat(1000),
    ].filter((asked) => asked.trim() !== "1.0"),
  )("is not served: %s", async (asked) => {
    const agent = await startAgent();
    const outcome = await everywhere(agent, "SendMessage", request, { "a2a-version": asked });
    expect(outcome.error?.codes).toEqual([-32009, 400, 9]);
    expect(outcome.error?.details).toMatchObject([
      { reason: "VERSION_NOT_SUPPORTED", domain: "a2a-protocol.org", metadata: { supportedVersions: "1.0" } },
    ]);
    expect(JSON.stringify(outcome.error).length).toBeLessThan(1000);
    await expectAlive(agent);
  });

  it("is 0.3 where a call names none, unless the agent assumes another", async () => {
    const strict = await startAgent();
    const lenient = await startAgent({}, { agent: { assumeVersion: "1.0" } });
    for (const headers of [{}, { "a2a-version": "" }]) {
      expect(reasonOf(await everywhere(strict, "SendMessage", request, headers))).toBe("VERSION_NOT_SUPPORTED");
      expect((await everywhere(lenient, "SendMessage", request, headers)).value).toEqual(request);
    }
  });

  it("may be a query parameter, which gives way to the header", async () => {
    const agent = await startAgent();
    const ask = async (query: string, headers: Record<string, string> = {}): Promise<number> =>
      (await send(agent, { method: "GET", path: `/tasks/t1?${query}`, headers })).status;
    expect(await ask("A2A-Version=1.0")).toBe(200);
    expect(await ask("a2a-version=1.0.1")).toBe(200);
    expect(await ask("A2A-Version=0.3")).toBe(400);
    expect(await ask("A2A-Version=%zz")).toBe(400);
    expect(await ask("A2A-Version=0.3", version)).toBe(200);
    expect(await ask("A2A-Version=1.0", { "a2a-version": "0.3" })).toBe(400);
    expect(await ask("", { "a2a-version": " 1.0 " })).toBe(200);
    const body = JSON.stringify(rpc("SendMessage", request));
    const headers = { "content-type": "application/json" };
    const reply = await send(agent, { path: "/rpc?A2A-Version=1.0", headers, body });
    expect(reply.json).toHaveProperty("result");
  });

  it("is checked before the request is looked at", async () => {
    const agent = await startAgent();
    const outcome = await everywhere(agent, "SendMessage", {}, { "a2a-version": "0.3" });
    expect(reasonOf(outcome)).toBe("VERSION_NOT_SUPPORTED");
  });
});

describe("the extensions that a call asks for", () => {
  const needy = {
    ...card,
    capabilities: { ...card.capabilities, extensions: [{ uri: "urn:a", required: true }, { uri: "urn:b" }] },
  };

  it("have to contain the ones that the card requires", async () => {
    const agent = await startAgent({}, { agent: { card: needy } });
    for (const asked of [undefined, "", "urn:b", "urn:A", "urn:a/x", ",,,", "urn:a;q=1"]) {
      const headers = asked === undefined ? version : { ...version, "a2a-extensions": asked };
      const outcome = await everywhere(agent, "SendMessage", request, headers);
      expect(outcome.error?.codes).toEqual([-32008, 400, 9]);
      expect(outcome.error?.details).toMatchObject([
        { reason: "EXTENSION_SUPPORT_REQUIRED", metadata: { extension: "urn:a" } },
      ]);
    }
    for (const asked of ["urn:a", "urn:b,urn:a", "urn:a , urn:c", ",urn:a,,", "urn:a,urn:a"]) {
      const outcome = await everywhere(agent, "SendMessage", request, { ...version, "a2a-extensions": asked });
      expect(outcome.value).toEqual(request);
    }
  });

  it("reach the service once each, however many there are", async () => {
    let seen: readonly string[] = [];
    const agent = await startAgent({
      getTask: (_: unknown, context: { extensions: readonly string[] }) => {
        seen = context.extensions;
        return taskOf("t1");
      },
    });
    const list = Array.from({ length: 1000 }, (_, index) => `urn:x:${index % 500}`).join(",");
    await get(agent, "/tasks/t1", { "a2a-extensions": list });
    expect(seen).toHaveLength(500);
    await get(agent, "/tasks/t1", { "a2a-extensions": ["urn:a", "urn:b, urn:a"] });
    expect(seen).toEqual(["urn:a", "urn:b"]);
  });

  it("are named in the answer when they are in use, and only then", async () => {
    const use = (uri: string) => ({
      getTask: (_: unknown, context: { activateExtension(uri: string): void }) => {
        context.activateExtension(uri);
        return taskOf("t1");
      },
    });
    const agent = await startAgent(use("urn:a"));
    const overRest = await get(agent, "/tasks/t1");
    const overRpc = await post(agent, "/rpc", rpc("GetTask", { id: "t1" }));
    expect([overRest.headers["a2a-extensions"], overRpc.headers["a2a-extensions"]]).toEqual(["urn:a", "urn:a"]);
    const hostile = await startAgent(use("urn:a\r\nset-cookie: x=y"));
    const reply = await get(hostile, "/tasks/t1");
    expect([reply.status, reply.headers["set-cookie"]]).toEqual([500, undefined]);
    expect(hostile.faults).toHaveLength(1);
  });
});

describe("what the card does not declare", () => {
  const bare = { ...card, capabilities: {} };
  const task = { id: "t1" };

  it.each<[OperationName, Record<string, unknown>, string, number[]]>([
    ["SendStreamingMessage", request, "UNSUPPORTED_OPERATION", [-32004, 400, 9]],
    ["SubscribeToTask", task, "UNSUPPORTED_OPERATION", [-32004, 400, 9]],
    [
      "CreateTaskPushNotificationConfig",
      { taskId: "t", url: "u" },
      "PUSH_NOTIFICATION_NOT_SUPPORTED",
      [-32003, 400, 9],
    ],
    ["GetExtendedAgentCard", {}, "UNSUPPORTED_OPERATION", [-32004, 400, 9]],
  ])("is refused: %s", async (operation, params, reason, codes) => {
    for (const capabilities of [{}, { streaming: false, pushNotifications: false, extendedAgentCard: false }]) {
      const agent = await startAgent({}, { agent: { card: { ...bare, capabilities } } });
      const outcome = await everywhere(agent, operation, params);
      expect([reasonOf(outcome), outcome.error?.codes]).toEqual([reason, codes]);
      await expectAlive(agent);
    }
  });

  it("may be missing from the service all the same", async () => {
    const agent = await startAgent({ getExtendedAgentCard: undefined, getTask: undefined, subscribeToTask: 7 });
    const extended = await everywhere(agent, "GetExtendedAgentCard", {});
    expect([reasonOf(extended), extended.error?.codes]).toEqual([
      "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
      [-32007, 400, 9],
    ]);
    expect(reasonOf(await everywhere(agent, "GetTask", task))).toBe("UNSUPPORTED_OPERATION");
    expect(reasonOf(await everywhere(agent, "SubscribeToTask", task))).toBe("UNSUPPORTED_OPERATION");
    expect(agent.faults).toEqual([]);
  });
});

describe("a caller who may not call", () => {
  const refusing = (thrown: Error): Promise<TestAgent> =>
    startAgent({}, { agent: { authenticate: () => Promise.reject(thrown), challenge: 'Bearer realm="x"' } });

  it.each<OperationName>(["SendMessage", "SendStreamingMessage"])("needs credentials: %s", async (operation) => {
    const agent = await refusing(new UnauthenticatedError());
    const outcome = await everywhere(agent, operation, {});
    expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["UNAUTHENTICATED", [-32600, 401, 16]]);
    const overRpc = await post(agent, "/rpc", rpc(operation, {}));
    const overRest = await post(agent, "/message:send", {});
    for (const { status, headers } of [overRpc, overRest]) {
      expect([status, headers["www-authenticate"]]).toEqual([401, 'Bearer realm="x"']);
    }
    const { trailers } = await callGrpc(agent, "GetTask", encodeGetTaskRequest({ id: "t1" }));
    expect(trailers.get("www-authenticate")).toEqual(['Bearer realm="x"']);
    expect(agent.faults).toEqual([]);
  });

  it("is refused for good", async () => {
    const agent = await refusing(new PermissionDeniedError());
    const outcome = await everywhere(agent, "SendMessage", request);
    expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["PERMISSION_DENIED", [-32600, 403, 7]]);
    expect((await post(agent, "/rpc", rpc("SendMessage", request))).status).toBe(403);
    expect((await get(agent, "/tasks/t1")).headers["www-authenticate"]).toBeUndefined();
  });

  it("learns nothing from a hook that fails", async () => {
    const agent = await refusing(new Error("secret: ldap://10.0.0.1"));
    const outcome = await everywhere(agent, "SendMessage", request);
    expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(agent.faults).toHaveLength(3);
  });

  it("is let in by its headers or metadata, whatever these look like", async () => {
    const users: unknown[] = [];
    const agent = await startAgent(
      { getTask: (_: unknown, { user }: { user: unknown }) => (users.push(user), taskOf("t1")) },
      { agent: { authenticate: ({ headers }) => headers.get("Authorization") ?? "nobody" } },
    );
    await everywhere(agent, "GetTask", { id: "t1" }, { ...version, authorization: "Bearer a" });
    await everywhere(agent, "GetTask", { id: "t1" });
    expect(users.sort()).toEqual(["Bearer a", "Bearer a", "Bearer a", "nobody", "nobody", "nobody"]);
    const binary = metadataOf();
    binary.set("authorization-bin", Buffer.from([0, 255]));
    expect((await callGrpc(agent, "GetTask", encodeGetTaskRequest({ id: "t1" }), binary)).code).toBe(0);
  });
});
