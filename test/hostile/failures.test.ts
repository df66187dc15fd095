import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents } from "./agent.js";
import { eventsOf, everywhere, expectAlive, reasonOf, transports } from "./everywhere.js";
import type { Body } from "./subject.js";
import { servedSubjects } from "./subjects.js";
import { failAtOnce, failFirst, secret, thrown } from "./thrown.js";
import { callGrpc, grpcOf, post, rest, rpcOf } from "./wire.js";

afterAll(stopAgents);

/** The codes of an error on JSON-RPC, HTTP+JSON and gRPC. */
type Row = readonly [name: string, codes: readonly [jsonRpc: number, http: number, grpc: number]];

const codes: readonly Row[] = [
  ["TaskNotFoundError", [-32001, 404, 5]],
  ["TaskNotCancelableError", [-32002, 400, 9]],
  ["ContentTypeNotSupportedError", [-32005, 400, 3]],
  ["InvalidAgentResponseError", [-32006, 500, 13]],
  ["JSONParseError", [-32700, 400, 3]],
  ["InvalidRequestError", [-32600, 400, 3]],
  ["InvalidParamsError", [-32602, 400, 3]],
  ["InternalError", [-32603, 500, 13]],
  ["UnauthenticatedError", [-31401, 401, 16]],
  ["PermissionDeniedError", [-31403, 403, 7]],
];
const own: Readonly<Record<string, readonly Row[]>> = {
  "1.0": [
    ["PushNotificationNotSupportedError", [-32003, 400, 9]],
    ["UnsupportedOperationError", [-32004, 400, 9]],
    ["ExtendedAgentCardNotConfiguredError", [-32007, 400, 9]],
    ["ExtensionSupportRequiredError", [-32008, 400, 9]],
    ["VersionNotSupportedError", [-32009, 400, 9]],
    ["MethodNotFoundError", [-32601, 404, 12]],
  ],
  "0.3.0": [
    ["PushNotificationNotSupportedError", [-32003, 400, 12]],
    ["UnsupportedOperationError", [-32004, 400, 12]],
    ["AuthenticatedExtendedCardNotConfiguredError", [-32007, 400, 9]],
    ["MethodNotFoundError", [-32601, 404, 12]],
  ],
};

type Settle = (value: unknown) => void;
/**
 * Return values of services that use promises of other libraries, created from the resolved value.
 */
const kept: [string, (value: unknown) => object][] = [
  ["resolves at once", (value) => ({ then: (resolve: Settle) => resolve(value) })],
  [
    "resolves later, and twice",
    (value) => ({ then: (resolve: Settle) => setTimeout(twice, 1, resolve, value) }),
  ],
  [
    "is a function",
    (value) => Object.assign(() => undefined, { then: (resolve: Settle) => resolve(value) }),
  ],
  [
    "resolves to another promise",
    (value) => ({ then: (resolve: Settle) => resolve(Promise.resolve(value)) }),
  ],
];
const broken: [string, () => object][] = [
  ["rejects", () => ({ then: (_: Settle, reject: Settle) => reject(new Error(secret)) })],
  ["throws when it is awaited", () => ({ then: failAtOnce(() => new Error(secret)) })],
  [
    "throws when its `then` is read",
    () => Object.defineProperty({}, "then", { get: failAtOnce(() => secret) }),
  ],
  [
    "throws when its `then` is read again",
    () => Object.defineProperty({}, "then", { get: failSecond() }),
  ],
];

function twice(resolve: Settle, value: unknown) {
  resolve(value);
  resolve(7);
}

function failSecond(): () => unknown {
  let count = 0;
  return () => (count++ === 0 ? () => undefined : failAtOnce(() => secret)());
}

describe.concurrent.each(servedSubjects)(
  "a service of $title that returns a promise of another kind",
  (subject) => {
    const task = subject.samples.task("t1");

    it.each(kept)("the agent awaits a promise that %s", async (_, make) => {
      const agent = await startAgent(subject, { getTask: () => make(task) });
      expect(await everywhere(agent, "GetTask", { id: "t1" })).toEqual({ value: task });
      expect(agent.faults).toEqual([]);
    });

    it.each(broken)(
      "the agent responds with an internal error to a promise that %s",
      async (_, make) => {
        const agent = await startAgent(subject, { getTask: () => make() });
        const outcome = await everywhere(agent, "GetTask", { id: "t1" });
        expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
        expect(agent.faults).toHaveLength(transports);
        await expectAlive(agent);
      },
    );

    it("a promise that never settles delays no other caller", async () => {
      const agent = await startAgent(subject, { getTask: () => ({ then: () => undefined }) });
      const { code } = await callGrpc(agent, {
        ...grpcOf(subject, "GetTask", { id: "t1" }),
        deadline: Date.now() + 50,
      });
      expect(code).toBe(4);
      await expectAlive(agent);
    });
  },
);

describe.concurrent.each(servedSubjects)("a service of $title that throws", (subject) => {
  const { samples, answers, classes, operations } = subject;
  const request = { message: samples.message };
  const task = samples.task("t1");

  it.each(thrown(classes))(
    "the response is an internal error that reveals nothing: %s",
    async (_, make) => {
      const agent = await startAgent(subject, {
        getTask() {
          throw make();
        },
      });
      const outcome = await everywhere(agent, "GetTask", { id: "t1" });
      expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
      expect(JSON.stringify(outcome)).not.toContain("secret");
      expect(agent.faults).toHaveLength(transports);
      await expectAlive(agent);
    },
  );

  it.each(thrown(classes))(
    "the response to a stream is an internal error before the first event: %s",
    async (_, make) => {
      for (const method of [failAtOnce, failFirst]) {
        const agent = await startAgent(subject, { sendStreamingMessage: method(make) });
        const outcome = await everywhere(agent, "SendStreamingMessage", request);
        expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
        expect(JSON.stringify(outcome)).not.toContain("secret");
        expect(agent.faults).toHaveLength(transports);
      }
    },
  );

  it.each(thrown(classes))("an error ends a stream: %s", async (_, make) => {
    const agent = await startAgent(subject, {
      async *sendStreamingMessage() {
        yield answers.task(task);
        await delay(1);
        throw make();
      },
    });
    const first = answers.task(task);
    const overRpc = await post(
      agent,
      "/rpc",
      rpcOf(subject, "SendStreamingMessage", request, "id"),
    );
    const [begun, failed] = eventsOf(overRpc.text);
    expect(begun).toEqual({ jsonrpc: "2.0", id: "id", result: first });
    expect(failed).toMatchObject({ jsonrpc: "2.0", id: "id", error: { code: -32603 } });
    expect(subject.rpcError((failed?.error ?? {}) as Body, 200).reason).toBe("INTERNAL");
    const overRest = await rest(agent, "SendStreamingMessage", request);
    const [event, error] = eventsOf(overRest.text);
    expect(operations.SendStreamingMessage.read(event)).toEqual(first);
    expect(subject.httpError(error)?.reason).toBe("INTERNAL");
    const overGrpc = await callGrpc(agent, grpcOf(subject, "SendStreamingMessage", request));
    expect([overGrpc.code, overGrpc.messages.length]).toEqual([13, 1]);
    expect(subject.grpcError(overGrpc).reason).toBe("INTERNAL");
    expect(overRpc.text + overRest.text + overGrpc.message).not.toContain("secret");
    expect(agent.faults).toHaveLength(transports);
    await expectAlive(agent);
  });

  it.each([...codes, ...(own[subject.version] ?? [])])(
    "the agent responds with %s and the codes %j",
    async (name, expected) => {
      const Thrown = Reflect.get(classes, name) as new () => Error;
      const agent = await startAgent(subject, { getTask: () => Promise.reject(new Thrown()) });
      const { error } = await everywhere(agent, "GetTask", { id: "t1" });
      expect([name, error?.codes]).toEqual([name, expected]);
      const { status } = await post(agent, "/rpc", rpcOf(subject, "GetTask", { id: "t1" }));
      expect(status).toBe(
        name === "UnauthenticatedError" ? 401 : name === "PermissionDeniedError" ? 403 : 200,
      );
    },
  );

  it("the agent responds with protocol errors unchanged", async () => {
    const { TaskNotFoundError } = classes;
    const options = {
      metadata: { taskId: "t\ud800€" },
      details: [{ "@type": "type.googleapis.com/x.Y", a: [1, null] }],
    };
    const agent = await startAgent(subject, {
      getTask: () =>
        Promise.reject(
          new TaskNotFoundError("No such task: 😀\r\nx", { metadata: { taskId: "t€" } }),
        ),
      sendMessage: () => Promise.reject(new TaskNotFoundError("y".repeat(20_000), options)),
    });
    const outcome = await everywhere(agent, "GetTask", { id: "t1" });
    expect(outcome.error).toMatchObject({
      codes: [-32001, 404, 5],
      message: "No such task: 😀\r\nx",
      reason: "TASK_NOT_FOUND",
    });
    expect(JSON.stringify(outcome.error?.rest)).toContain('{"taskId":"t€"}');
    const overRest = subject.httpError((await rest(agent, "SendMessage", request)).json);
    expect([overRest?.message, JSON.stringify(overRest?.rest)]).toEqual([
      "y".repeat(20_000),
      expect.stringContaining('"a":[1,null]'),
    ]);
    const overGrpc = await callGrpc(agent, grpcOf(subject, "SendMessage", request));
    expect([overGrpc.code, subject.grpcError(overGrpc).reason]).toEqual([5, "TASK_NOT_FOUND"]);
    expect(overGrpc.message.length).toBeLessThan(8000);
    expect(agent.faults).toEqual([]);
  });

  it("the agent responds with an internal error if the protocol does not define the error", async () => {
    const agent = await startAgent(subject, {
      getTask: () => Promise.reject(new classes.A2AError("odd")),
    });
    const { error } = await everywhere(agent, "GetTask", { id: "t1" });
    expect(error).toMatchObject({ codes: [-32603, 500, 2], message: "odd" });
  });
});
