import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { messageBytes } from "./bytes.js";
import { everywhere, expectAlive, responseOf } from "./everywhere.js";
import { subjects } from "./subjects.js";
import { callGrpc, post, rpc, rpcOf } from "./wire.js";
import { processorTime } from "../support/processor-time.js";

interface RpcReply {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
}

describe.each(subjects)("A2A $version", (subject) => {
  const { samples, answers } = subject;
  const { message } = samples;
  const method = subject.operations.SendMessage.jsonRpc;
  let agent: TestAgent;

  beforeAll(async () => {
    agent = await startAgent(subject);
  });

  afterEach(async () => {
    expect(agent.faults).toEqual([]);
    await expectAlive(agent);
  });

  afterAll(stopAgents);

  async function call(body: unknown): Promise<RpcReply> {
    const { status, headers, json } = await post(agent, "/rpc", body);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json");
    return json as RpcReply;
  }

  const toldOf = ({ error = {} }: RpcReply) => subject.rpcError(error, 200);

  describe("a JSON-RPC request", () => {
    const good = { jsonrpc: "2.0", id: 1, method, params: { message } };
    const without = (key: keyof typeof good): object => ({ ...good, [key]: undefined });

    it.each<[string, unknown, unknown]>([
      ["null", null, null],
      ["text", '"hello"', null],
      ["a number", 1, null],
      ["an empty batch", [], null],
      ["a batch", [good, good], null],
      ["an empty object", {}, null],
      ["no jsonrpc", without("jsonrpc"), 1],
      ["jsonrpc 1.0", { ...good, jsonrpc: "1.0" }, 1],
      ["jsonrpc as a number", { ...good, jsonrpc: 2.0 }, 1],
      ["no id", without("id"), null],
      ["id null", { ...good, id: null }, null],
      ["a fraction as id", { ...good, id: 1.5 }, null],
      ["true as id", { ...good, id: true }, null],
      ["an object as id", { ...good, id: {} }, null],
      ["a list as id", { ...good, id: [1] }, null],
      ["an infinite id", JSON.stringify(good).replace('"id":1', '"id":1e999'), null],
      ["no method", without("method"), 1],
      ["a number as method", { ...good, method: 7 }, 1],
      ["a list as method", { ...good, method: [method] }, 1],
      ["a response", { jsonrpc: "2.0", id: 1, result: {} }, 1],
      ["members that hide in __proto__", `{"__proto__":${JSON.stringify(good)}}`, null],
    ])("is invalid: %s", async (_, body, id) => {
      const reply = await call(body);
      expect(reply).toMatchObject({ jsonrpc: "2.0", id, error: { code: -32600 } });
      expect(toldOf(reply).reason).toBe("INVALID_REQUEST");
    });

    it.each([
      "",
      "sendMessage",
      "tasks/send",
      `${method} `,
      method.toUpperCase(),
      "constructor",
      "__proto__",
      "toString",
      "undefined",
      "\0",
    ])("names a method that there is not: %j", async (unknown) => {
      const reply = await call(rpc(unknown, { message }, "x"));
      expect(reply).toMatchObject({ id: "x", error: { code: -32601 } });
      expect(toldOf(reply).reason).toBe("METHOD_NOT_FOUND");
    });

    it.each([0, -1, 9007199254740991, "", "a\u0000b", "ä€😀", "\ud800", "x".repeat(10_000)])(
      "gets back its id: %j",
      async (id) => {
        expect(await call(rpc(method, { message }, id))).toEqual({
          jsonrpc: "2.0",
          id,
          result: answers.message(message),
        });
      },
    );

    it("may have members that nobody knows, and the last of two equal ones counts", async () => {
      expect(await call({ ...good, extra: {}, toString: 1 })).toHaveProperty("result");
      const twice = `{"id":1,"id":2,"jsonrpc":"2.0","method":"Nope","method":"${method}","params":${JSON.stringify({ message })}}`;
      expect(await call(twice)).toEqual({ jsonrpc: "2.0", id: 2, result: answers.message(message) });
    });

    it.each<[string, unknown]>([
      ["null", null],
      ["text", "hello"],
      ["a number", 1],
      ["a list", [{ message }]],
      ["an empty list", []],
    ])("has params that are no object: %s", async (_, params) => {
      const reply = await call(rpc(method, params));
      expect(reply.error?.["code"]).toBe(-32602);
      expect(toldOf(reply)).toMatchObject({ reason: "INVALID_PARAMS", fields: [""] });
      const overStream = await post(agent, "/rpc", rpcOf(subject, "SendStreamingMessage", params));
      expect(responseOf(overStream)).toEqual(reply);
    });

    it("may leave out its params where the operation needs none", async () => {
      expect(await call(rpcOf(subject, "GetExtendedAgentCard"))).toHaveProperty("result", samples.card);
      const reply = await call(rpcOf(subject, "GetTask"));
      expect(reply.error?.["code"]).toBe(-32602);
      expect(toldOf(reply).fields).toEqual(["id"]);
    });
  });

  describe("a request that lacks what it needs", () => {
    const emptyPart = { message: { ...message, parts: [samples.textPart("a"), {}] } };
    const own: [string, object, string[]][] =
      subject.version === "1.0" ? [["an empty part", emptyPart, ["message.parts.1"]]] : [];

    it.each<[string, object, string[]]>([
      ["no message", {}, ["message"]],
      ["no parts", { message: { ...message, parts: [] } }, ["message.parts"]],
      ...own,
    ])("names each field, the same on every transport: %s", async (_, request, fields) => {
      const { error } = await everywhere(agent, "SendMessage", request as Record<string, unknown>);
      expect(error?.codes).toEqual([-32602, 400, 3]);
      expect(error).toMatchObject({ reason: "INVALID_PARAMS", fields });
    });

    it("gets the first issues only, as many as a header can carry", async () => {
      const parts = new Array<object>(5000).fill({});
      const request = { message: { ...message, parts } };
      const reply = await call(rpc(method, request));
      expect(toldOf(reply)).toMatchObject({ reason: "INVALID_PARAMS" });
      expect(toldOf(reply).fields.length).toBeGreaterThan(5);
      const overRest = await post(agent, `${subject.base}/message:send`, request);
      expect(subject.httpError(overRest.json)).toMatchObject({ reason: "INVALID_PARAMS" });
      const emptyParts = messageBytes(subject, ...parts.map(() => new Uint8Array()));
      const overGrpc = await callGrpc(agent, { method: "SendMessage", bytes: emptyParts });
      expect([overGrpc.code, subject.grpcError(overGrpc).reason]).toEqual([3, "INVALID_PARAMS"]);
      for (const error of [reply.error, overRest.text, subject.grpcError(overGrpc)]) {
        expect(JSON.stringify(error).length).toBeLessThan(6000);
      }
    });

    it("is refused in time however much is wrong with it", async () => {
      const parts = new Array<object>(1_000_000).fill({});
      const body = JSON.stringify(rpc(method, { message: { ...message, parts } }));
      const started = processorTime();
      expect((await call(body)).error?.["code"]).toBe(-32602);
      expect(processorTime() - started).toBeLessThan(2000);
    });
  });
});
