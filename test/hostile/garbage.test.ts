import { afterAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents } from "./agent.js";
import { eventsOf, everywhere, expectAlive, reasonOf, transports } from "./everywhere.js";
import { servedSubjects } from "./subjects.js";
import { failAtOnce, secret, trap } from "./thrown.js";
import { callGrpc, grpcOf, post, rest, rpcOf } from "./wire.js";

afterAll(stopAgents);

describe.concurrent.each(servedSubjects)(
  "a service of $title that returns invalid data",
  (subject) => {
    const { samples, answers, operations } = subject;
    const request = { message: samples.message };
    const task = samples.task("t1");
    const cyclic: Record<string, unknown> = { ...samples.task("t1") };
    cyclic["extra"] = cyclic;

    it.each<[string, unknown]>([
      ["nothing", undefined],
      ["null", null],
      ["text", secret],
      ["a number", 1],
      ["a function", () => secret],
      ["an empty object", {}],
      ["a list", [samples.task("t1")]],
      ["an invalid type", { ...samples.task("t1"), id: 1 }],
      ["an invalid state", { ...samples.task("t1"), status: { state: "WORKING" } }],
      ["names in snake_case", { ...samples.task("t1"), status: undefined, context_id: "c" }],
      ["metadata with a bigint", samples.task("t1", { a: 1n })],
      ["metadata with NaN", samples.task("t1", { a: NaN })],
      ["metadata with a date", samples.task("t1", { a: undefined as never })],
      ["metadata that is a cycle", samples.task("t1", cyclic)],
    ])("the agent reports an invalid response: %s", async (_, value) => {
      const agent = await startAgent(subject, { getTask: () => value });
      const outcome = await everywhere(agent, "GetTask", { id: "t1" });
      expect([reasonOf(outcome), outcome.error?.codes]).toEqual([
        "INVALID_AGENT_RESPONSE",
        [-32006, 500, 13],
      ]);
      expect(JSON.stringify(outcome)).not.toContain("secret");
      expect(agent.faults).toHaveLength(transports);
      await expectAlive(agent);
    });

    it.each<[string, unknown]>([
      [
        "a getter that throws",
        {
          ...samples.task("t1"),
          get history() {
            throw new Error(secret);
          },
        },
      ],
      ["a proxy that throws", new Proxy({}, trap)],
    ])("the agent responds with an internal error: %s", async (_, value) => {
      const agent = await startAgent(subject, { getTask: () => value });
      const outcome = await everywhere(agent, "GetTask", { id: "t1" });
      expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
      expect(JSON.stringify(outcome)).not.toContain("secret");
      await expectAlive(agent);
    });

    it.each<[string, unknown]>([
      ["nothing", undefined],
      ["an event", answers.working],
      ["a list of events", [answers.working]],
      ["an invalid iterator", { [Symbol.asyncIterator]: () => undefined }],
      ["an iterator without next", { [Symbol.asyncIterator]: () => ({}) }],
      [
        "an iterator with a next that throws",
        iteratorOf(() => {
          throw new Error(secret);
        }),
      ],
      ["an iterator with a next that returns undefined", iteratorOf(() => undefined)],
      [
        "an iterator with a result that throws",
        iteratorOf(() => ({
          get done() {
            throw new Error(secret);
          },
        })),
      ],
    ])("the agent ends a stream with an internal error: %s", async (_, value) => {
      const agent = await startAgent(subject, { sendStreamingMessage: () => value });
      const outcome = await everywhere(agent, "SendStreamingMessage", request);
      expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
      expect(agent.faults).toHaveLength(transports);
      await expectAlive(agent);
    });

    it("the agent ends a stream at an invalid event and closes the source", async () => {
      let closed = 0;
      const agent = await startAgent(subject, {
        async *sendStreamingMessage() {
          try {
            yield answers.task(task);
            yield answers.invalid;
            yield answers.working;
          } finally {
            closed++;
          }
        },
      });
      const overRpc = await post(agent, "/rpc", rpcOf(subject, "SendStreamingMessage", request));
      expect(eventsOf(overRpc.text)).toMatchObject([{ result: {} }, { error: { code: -32006 } }]);
      const [event, error, ...others] = eventsOf(
        (await rest(agent, "SendStreamingMessage", request)).text,
      );
      expect([operations.SendStreamingMessage.read(event), others]).toEqual([
        answers.task(task),
        [],
      ]);
      expect(subject.httpError(error)?.reason).toBe("INVALID_AGENT_RESPONSE");
      const overGrpc = await callGrpc(agent, grpcOf(subject, "SendStreamingMessage", request));
      expect([overGrpc.code, overGrpc.messages.length, closed]).toEqual([13, 1, 3]);
    });

    it("a service may yield no event at all", async () => {
      const agent = await startAgent(subject, {
        sendStreamingMessage: () => ReadableStream.from([]),
      });
      expect(await everywhere(agent, "SendStreamingMessage", request)).toEqual({ value: [] });
    });

    it("the agent responds with an error if its card cannot be created", async () => {
      for (const broken of [() => Promise.reject(new Error(secret)), () => undefined as never]) {
        const agent = await startAgent(subject, {}, { agent: { card: broken } });
        const reply = await fetch(`http://127.0.0.1:${agent.port}/.well-known/agent-card.json`);
        expect(reply.status).toBe(500);
        expect(await reply.text()).not.toContain("secret");
        expect(agent.faults).toHaveLength(1);
      }
    });

    it("the agent responds with an error if reporting an error fails", async () => {
      const onError = (): never => {
        throw new Error(secret);
      };
      const agent = await startAgent(
        subject,
        { getTask: failAtOnce(() => new Error(secret)) },
        { agent: { onError } },
      );
      expect(reasonOf(await everywhere(agent, "GetTask", { id: "t1" }))).toBe("INTERNAL");
    });
  },
);

function iteratorOf(next: () => unknown): unknown {
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
