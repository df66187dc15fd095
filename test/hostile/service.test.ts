import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { A2AError, TaskNotFoundError } from "../../generated/1.0/index.js";
import { startAgent, statusOf, stopAgents, taskOf } from "./agent.js";
import { eventsOf, everywhere, expectAlive, message, reasonOf } from "./everywhere.js";
import { callGrpc, post, rpc } from "./wire.js";
import { encodeSendMessageRequest } from "../../generated/1.0/protobuf.js";

afterEach(stopAgents);

const secret = "secret at /srv/agent.ts:7";
const request = { message };

/** Things that code throws, on purpose or not. */
const thrown: [string, () => unknown][] = [
  ["an error", () => new Error(secret)],
  ["text", () => secret],
  ["undefined", () => undefined],
  ["null", () => null],
  ["a number", () => 42],
  ["a symbol", () => Symbol(secret)],
  ["a function", () => () => secret],
  ["an object", () => ({ message: secret, code: -32001 })],
  [
    "a getter that throws",
    () => ({
      get message() {
        throw new Error(secret);
      },
    }),
  ],
  ["a proxy that throws at every touch", () => new Proxy({}, trap)],
  ["an error with a cause that points to itself", () => circular()],
  ["an error without a prototype", () => ({ __proto__: null })],
  ["a promise", () => Promise.resolve(secret)],
  [
    "what looks like an error of the protocol",
    () => ({ name: "TaskNotFoundError", reason: "TASK_NOT_FOUND", message: secret }),
  ],
  ["an error of the protocol with a cycle in it", () => new TaskNotFoundError(secret, { details: [cyclicDetail()] })],
  ["an error of the protocol with a bigint", () => new TaskNotFoundError(secret, { metadata: { id: 1n as never } })],
  ["an error of the protocol with wrong details", () => new TaskNotFoundError(secret, { details: [7] as never })],
  ["an error of the protocol with a status that is none", () => new TaskNotFoundError(secret, { httpStatus: 7 })],
  ["an error of the protocol with a message that throws", unreadable],
];

const trap: ProxyHandler<object> = {
  get: () => {
    throw new Error(secret);
  },
  has: () => {
    throw new Error(secret);
  },
  ownKeys: () => {
    throw new Error(secret);
  },
  getPrototypeOf: () => {
    throw new Error(secret);
  },
};

function unreadable(): TaskNotFoundError {
  const get = (): never => {
    throw new Error(secret);
  };
  return Object.defineProperty(new TaskNotFoundError(), "message", { get });
}

function circular(): Error {
  const error = new Error(secret);
  error.cause = error;
  return error;
}

function cyclicDetail(): never {
  const detail: Record<string, unknown> = { "@type": "x" };
  detail["self"] = detail;
  return detail as never;
}

describe("a service that throws", () => {
  it.each(thrown)("is an internal error without a word about it: %s", async (_, make) => {
    const agent = await startAgent({
      getTask() {
        throw make();
      },
    });
    const outcome = await everywhere(agent, "GetTask", { id: "t1" });
    expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(agent.faults).toHaveLength(3);
    await expectAlive(agent);
  });

  it.each(thrown)("is the same before the first event of a stream: %s", async (_, make) => {
    for (const method of [failAtOnce, failFirst]) {
      const agent = await startAgent({ sendStreamingMessage: method(make) });
      const outcome = await everywhere(agent, "SendStreamingMessage", request);
      expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
      expect(JSON.stringify(outcome)).not.toContain("secret");
      expect(agent.faults).toHaveLength(3);
    }
  });

  it.each(thrown)("ends a stream with the error: %s", async (_, make) => {
    const agent = await startAgent({
      async *sendStreamingMessage() {
        yield { task: taskOf("t1") };
        await delay(1);
        throw make();
      },
    });
    const first = { task: taskOf("t1") };
    const overRpc = await post(agent, "/rpc", rpc("SendStreamingMessage", request, "id"));
    expect(eventsOf(overRpc.text)).toMatchObject([
      { jsonrpc: "2.0", id: "id", result: first },
      { jsonrpc: "2.0", id: "id", error: { code: -32603, data: [{ reason: "INTERNAL" }] } },
    ]);
    const overRest = await post(agent, "/message:stream", request);
    expect(eventsOf(overRest.text)).toMatchObject([first, { error: { code: 500, details: [{ reason: "INTERNAL" }] } }]);
    const overGrpc = await callGrpc(agent, "SendStreamingMessage", encodeSendMessageRequest(request as never));
    expect([overGrpc.code, overGrpc.messages.length]).toEqual([13, 1]);
    expect(overGrpc.status.details).toMatchObject([{ reason: "INTERNAL" }]);
    expect(overRpc.text + overRest.text + overGrpc.message).not.toContain("secret");
    expect(agent.faults).toHaveLength(3);
    await expectAlive(agent);
  });

  it("answers with the errors of the protocol as they are", async () => {
    const options = {
      metadata: { taskId: "t\ud800€" },
      details: [{ "@type": "type.googleapis.com/x.Y", a: [1, null] }],
    };
    const agent = await startAgent({
      getTask: () => Promise.reject(new TaskNotFoundError("No such task: 😀\r\nx", { metadata: { taskId: "t€" } })),
      sendMessage: () => Promise.reject(new TaskNotFoundError("y".repeat(20_000), options)),
    });
    const outcome = await everywhere(agent, "GetTask", { id: "t1" });
    expect(outcome.error).toMatchObject({
      codes: [-32001, 404, 5],
      message: "No such task: 😀\r\nx",
      details: [{ reason: "TASK_NOT_FOUND", domain: "a2a-protocol.org", metadata: { taskId: "t€" } }],
    });
    const overRest = await post(agent, "/message:send", request);
    expect(overRest.json).toMatchObject({ error: { message: "y".repeat(20_000), details: [{}, { a: [1, null] }] } });
    const overGrpc = await callGrpc(agent, "SendMessage", encodeSendMessageRequest(request as never));
    expect([overGrpc.code, overGrpc.status.details.length]).toEqual([5, 1]);
    expect(agent.faults).toEqual([]);
  });

  it("gives an error that the protocol does not have as an internal one", async () => {
    const agent = await startAgent({ getTask: () => Promise.reject(new A2AError("odd")) });
    const { error } = await everywhere(agent, "GetTask", { id: "t1" });
    expect(error).toMatchObject({ codes: [-32603, 500, 2], message: "odd" });
  });
});

const failAtOnce = (make: () => unknown) => () => {
  throw make();
};

const failFirst = (make: () => unknown) =>
  // eslint-disable-next-line require-yield
  async function* () {
    await delay(0);
    throw make();
  };

describe("a service that gives garbage", () => {
  const cyclic: Record<string, unknown> = { ...taskOf("t1") };
  cyclic["extra"] = cyclic;

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["text", secret],
    ["a number", 1],
    ["a function", () => secret],
    ["an empty object", {}],
    ["a list", [taskOf("t1")]],
    ["a wrong type", { ...taskOf("t1"), id: 1 }],
    ["a wrong state", { ...taskOf("t1"), status: { state: "working" } }],
    ["names in snake_case", { ...taskOf("t1"), status: undefined, context_id: "c" }],
    ["metadata with a bigint", taskOf("t1", { a: 1n as never })],
    ["metadata with NaN", taskOf("t1", { a: NaN })],
    ["metadata with a date", taskOf("t1", { a: undefined as never })],
    ["metadata that is a cycle", taskOf("t1", cyclic as never)],
  ])("answers that the answer is not valid: %s", async (_, value) => {
    const agent = await startAgent({ getTask: () => value });
    const outcome = await everywhere(agent, "GetTask", { id: "t1" });
    expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INVALID_AGENT_RESPONSE", [-32006, 500, 13]]);
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(agent.faults).toHaveLength(3);
    await expectAlive(agent);
  });

  it.each<[string, unknown]>([
    [
      "a getter that throws",
      {
        ...taskOf("t1"),
        get history() {
          throw new Error(secret);
        },
      },
    ],
    ["a proxy that throws", new Proxy({}, trap)],
  ])("answers with an internal error: %s", async (_, value) => {
    const agent = await startAgent({ getTask: () => value });
    const outcome = await everywhere(agent, "GetTask", { id: "t1" });
    expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
    expect(JSON.stringify(outcome)).not.toContain("secret");
    await expectAlive(agent);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["an event", statusOf("TASK_STATE_WORKING")],
    ["a list of events", [statusOf("TASK_STATE_WORKING")]],
    ["an iterator that is none", { [Symbol.asyncIterator]: () => undefined }],
    ["an iterator without next", { [Symbol.asyncIterator]: () => ({}) }],
    [
      "an iterator with a next that throws",
      iteratorOf(() => {
        throw new Error(secret);
      }),
    ],
    ["an iterator with a next that gives undefined", iteratorOf(() => undefined)],
    [
      "an iterator with a result that throws",
      iteratorOf(() => ({
        get done() {
          throw new Error(secret);
        },
      })),
    ],
  ])("answers a stream with an internal error: %s", async (_, value) => {
    const agent = await startAgent({ sendStreamingMessage: () => value });
    const outcome = await everywhere(agent, "SendStreamingMessage", request);
    expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
    expect(agent.faults).toHaveLength(3);
    await expectAlive(agent);
  });

  it("ends a stream at an event that is not valid, and closes the source", async () => {
    let closed = 0;
    const agent = await startAgent({
      async *sendStreamingMessage() {
        try {
          yield { task: taskOf("t1") };
          yield { task: taskOf("t1"), message };
          yield statusOf("TASK_STATE_WORKING");
        } finally {
          closed++;
        }
      },
    });
    const overRpc = await post(agent, "/rpc", rpc("SendStreamingMessage", request));
    expect(eventsOf(overRpc.text)).toMatchObject([{ result: {} }, { error: { code: -32006 } }]);
    const overRest = await post(agent, "/message:stream", request);
    expect(eventsOf(overRest.text)).toMatchObject([{ task: {} }, { error: { code: 500 } }]);
    const overGrpc = await callGrpc(agent, "SendStreamingMessage", encodeSendMessageRequest(request as never));
    expect([overGrpc.code, overGrpc.messages.length, closed]).toEqual([13, 1, 3]);
  });

  it("may give no event at all", async () => {
    const agent = await startAgent({ sendStreamingMessage: () => ReadableStream.from([]) });
    expect(await everywhere(agent, "SendStreamingMessage", request)).toEqual({ value: [] });
  });

  it("may have a card that cannot be made", async () => {
    for (const broken of [() => Promise.reject(new Error(secret)), () => undefined as never]) {
      const agent = await startAgent({}, { agent: { card: broken } });
      const reply = await fetch(`http://127.0.0.1:${agent.port}/.well-known/agent-card.json`);
      expect(reply.status).toBe(500);
      expect(await reply.text()).not.toContain("secret");
      expect(agent.faults).toHaveLength(1);
    }
  });

  it("may fail while it reports a fault", async () => {
    const onError = (): never => {
      throw new Error(secret);
    };
    const agent = await startAgent({ getTask: failAtOnce(() => new Error(secret)) }, { agent: { onError } });
    expect(reasonOf(await everywhere(agent, "GetTask", { id: "t1" }))).toBe("INTERNAL");
  });
});

function iteratorOf(next: () => unknown): unknown {
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
