import { describe, expect, it, onTestFinished } from "vitest";
import { agentCard } from "../../../examples/echo-agent-0.3/card.js";
import { grpc } from "../../../generated/0.3.0/client/grpc.js";
import {
  connect,
  createAgent,
  jsonRpc,
  rest,
  UnsupportedOperationError,
  type A2AClient,
  type A2AService,
  type Task,
} from "../../../generated/0.3.0/index.js";
import { grpcService } from "../../../generated/0.3.0/server/grpc.js";
import { nodeListener } from "../../../generated/0.3.0/server/node.js";
import { refusal } from "../../support/everywhere.js";
import { openPorts } from "../../support/ports.js";
import { userMessage } from "./sample.js";

const transports = [
  ["JSONRPC", jsonRpc],
  ["HTTP+JSON", rest],
  ["GRPC", grpc],
] as const;

const task: Task = { kind: "task", id: "t-1", contextId: "c-1", status: { state: "working" } };
const message = userMessage("hi");

/** Serves this service, and connects a client that speaks one transport to it. */
async function play(service: A2AService, transport: () => ReturnType<typeof jsonRpc>): Promise<A2AClient> {
  const { url, grpcUrl, http, grpc: server } = await openPorts();
  const card = agentCard({ url, grpcUrl, hasExtendedCard: true, hasUsers: false });
  const agent = createAgent({ card, service, onError: () => undefined });
  const { definition, implementation } = grpcService(agent);
  server.addService(definition, implementation);
  http.on("request", nodeListener(agent));
  const client = await connect(url, { transports: [transport()] });
  onTestFinished(() => client.close());
  return client;
}

/** Something that only JavaScript can give, since the types forbid it. */
function wrong(value: unknown): never {
  return value as never;
}

describe.each(transports)("over %s", (_binding, transport) => {
  it("a stream that breaks gives what came before, and then the error", async () => {
    const seen: string[] = [];
    const client = await play(
      {
        async *sendStreamingMessage() {
          await Promise.resolve();
          yield task;
          throw new UnsupportedOperationError("Enough");
        },
      },
      transport,
    );
    const read = async (): Promise<void> => {
      for await (const event of client.sendStreamingMessage({ message })) seen.push(event.kind);
    };
    expect(await refusal(read())).toEqual({ name: "UnsupportedOperationError", message: "Enough" });
    expect(seen).toEqual(["task"]);
  });

  it("what goes wrong inside of a stream does not come out", async () => {
    const client = await play(
      {
        async *subscribeToTask() {
          await Promise.resolve();
          yield task;
          throw new Error("The password is 1234");
        },
      },
      transport,
    );
    const read = async (): Promise<void> => {
      for await (const event of client.subscribeToTask({ id: "t-1" })) expect(event).toEqual(task);
    };
    expect(await refusal(read())).toEqual({ name: "InternalError", message: "Internal error" });
  });

  it.each([
    ["a task without its kind", { id: "t", contextId: "c", status: { state: "working" } }],
    ["a state of another version", { ...task, status: { state: "TASK_STATE_WORKING" } }],
    ["a part of no kind", { ...task, history: [{ ...message, parts: [{ text: "hi" }] }] }],
    ["nothing", undefined],
  ])("an answer that is %s is a fault of the agent", async (_what, answer) => {
    const client = await play({ getTask: () => wrong(answer), sendMessage: () => wrong(answer) }, transport);
    const [read, sent] = [await refusal(client.getTask({ id: "t" })), await refusal(client.sendMessage({ message }))];
    expect(read.name).toMatch(/^(Internal|InvalidAgentResponse)Error$/);
    expect(sent.name).toBe(read.name);
    expect(read.message).not.toContain("TASK_STATE_WORKING");
  });

  it("an event of no kind is a fault of the agent", async () => {
    const client = await play(
      {
        async *sendStreamingMessage() {
          await Promise.resolve();
          yield wrong({ kind: "status-update", taskId: "t" });
        },
      },
      transport,
    );
    const next = client.sendStreamingMessage({ message })[Symbol.asyncIterator]().next();
    expect((await refusal(next)).name).toMatch(/^(Internal|InvalidAgentResponse)Error$/);
  });

  it("a request that the types forbid is refused, by the transport or the agent", async () => {
    const client = await play({ sendMessage: () => task, getTask: () => task }, transport);
    for (const request of [
      { message: { ...message, role: "boss" } },
      { message: { ...message, parts: [] } },
      { message: { ...message, parts: [{ kind: "video" }] } },
      {},
    ]) {
      const refused = await refusal(client.sendMessage(wrong(request)));
      expect(refused, JSON.stringify(request)).toMatchObject({ name: "InvalidParamsError" });
    }
    expect((await refusal(client.getTask(wrong({})))).name).toBe("InvalidParamsError");
  });
});
