import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { binding } from "../../examples/websocket/frames.js";
import { webSocket, WebSocketTransport } from "../../examples/websocket/client.js";
import { serveWebSocket } from "../../examples/websocket/server.js";
import {
  type AgentCard,
  connect,
  createAgent,
  type RequestReport,
} from "../../generated/1.0/index.js";
import { withExtensions } from "../../generated/1.0/kit/client/index.js";
import {
  completed,
  extension,
  inputRequired,
  taskService,
  textOf,
  working,
} from "../../generated/1.0/kit/index.js";
import { all, failureOf } from "../support/everywhere.js";
import { gist } from "../support/kit.js";
import { aCard } from "../support/cards.js";
import { aMessage } from "../support/messages.js";
import { portOf } from "../support/ports.js";

const say = aMessage;

/** Starts an agent that is only served over WebSocket. */
async function start() {
  const canceled: string[] = [];
  const reports: RequestReport[] = [];
  const note = extension<string>({ uri: "https://example.com/extensions/note/v1" });
  const service = taskService({
    async *run({ message, pending, signal, state, extensions }) {
      const text = textOf(message);
      if (text === "ask" && state === undefined) return inputRequired("Who?", { state: {} });
      yield working("Thinking");
      if (text === "wait") {
        signal.addEventListener("abort", () => canceled.push(textOf(message)));
        yield working(textOf(await pending.next()));
      }
      const done = completed(`${text}, ${String(extensions.length)}`);
      return note.get(message) === undefined ? done : note.set(done, note.get(message) ?? "");
    },
  });
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `ws://127.0.0.1:${portOf(http)}/`;
  const card: AgentCard = aCard([{ url, protocolBinding: binding, protocolVersion: "1.0" }]);
  const observe = (report: RequestReport): unknown => reports.push(report);
  const agent = createAgent({ card, service, extensions: [note], observe });
  const server = new WebSocketServer({ server: http, maxPayload: 1024 * 1024 });
  serveWebSocket(server, agent);
  onTestFinished(async () => {
    for (const socket of server.clients) socket.terminate();
    await service.close();
    await new Promise((resolve) => http.close(resolve));
  });
  const open = async (interceptors: Parameters<typeof withExtensions>[0] = []) => {
    const client = await connect(card, {
      transports: [webSocket()],
      interceptors: [withExtensions(interceptors)],
    });
    onTestFinished(() => client.close());
    return client;
  };
  return { url, card, note, canceled, reports, open };
}

describe("the example of a custom binding over WebSocket", () => {
  it("A client makes calls, streams and calls with extensions over one connection", async () => {
    const { note, open, reports } = await start();
    const client = await open([note]);
    const [{ task }, events] = await Promise.all([
      client.sendMessage({ message: note.set(say("one"), "value") }),
      all(client.sendStreamingMessage({ message: say("two") })),
    ]);
    expect([task && textOf(task), note.get(task?.status.message)]).toEqual(["one, 1", "value"]);
    expect(events.map(gist)).toEqual(["task submitted", "working Thinking", "completed two, 1"]);
    expect((await client.getTask({ id: task?.id ?? "" })).id).toBe(task?.id);
    expect(reports.map(({ operation, outcome }) => [operation?.name, outcome]).toSorted()).toEqual([
      ["GetTask", "ok"],
      ["SendMessage", "ok"],
      ["SendStreamingMessage", "ok"],
    ]);
  });

  it("A protocol error reaches the client as its class", async () => {
    const { open, reports } = await start();
    const client = await open();
    expect(await failureOf(client.getTask({ id: "none" }))).toMatchObject({
      name: "TaskNotFoundError",
      jsonRpcCode: -32001,
    });
    expect(reports.map(({ outcome, error }) => [outcome, error?.name])).toEqual([
      ["failed", "TaskNotFoundError"],
    ]);
    const wrong = new WebSocketTransport(client.card?.supportedInterfaces[0]?.url ?? "");
    onTestFinished(() => wrong.close());
    const call = {
      name: "Nothing",
      operation: { name: "Nothing" },
      headers: { "a2a-version": "1.0" },
    };
    expect(
      await failureOf(wrong.unary(call as unknown as Parameters<typeof wrong.unary>[0])),
    ).toMatchObject({
      name: "MethodNotFoundError",
    });
    const old = {
      ...call,
      operation: { name: "GetTask" },
      request: { id: "x" },
      headers: { "a2a-version": "0.3" },
    };
    expect(
      await failureOf(wrong.unary(old as unknown as Parameters<typeof wrong.unary>[0])),
    ).toMatchObject({
      name: "VersionNotSupportedError",
    });
  });

  it("A client that leaves a stream, or aborts it, ends the call on the agent", async () => {
    const { open, reports } = await start();
    const client = await open();
    for await (const event of client.sendStreamingMessage({ message: say("wait") }))
      if (event.statusUpdate) break;
    const aborting = new AbortController();
    const stream = client.sendStreamingMessage(
      { message: say("wait") },
      { signal: aborting.signal },
    );
    const reading = (async () => {
      for await (const event of stream)
        if (event.statusUpdate !== undefined) aborting.abort(new Error("Enough"));
    })();
    expect(await failureOf(reading)).toEqual(new Error("Enough"));
    await client.listTasks({});
    expect(reports.map(({ operation, outcome }) => `${operation?.name ?? ""} ${outcome}`)).toEqual([
      ...["SendStreamingMessage disconnected", "SendStreamingMessage disconnected", "ListTasks ok"],
    ]);
  });

  it("A live call carries messages in both directions, and each event once", async () => {
    const { url } = await start();
    const transport = new WebSocketTransport(url);
    onTestFinished(() => transport.close());
    const { events, send } = transport.live(say("ask"));
    const seen: string[] = [];
    for await (const event of events) {
      seen.push(gist(event));
      const taskId = event.task?.id ?? event.statusUpdate?.taskId ?? "";
      if (seen.at(-1) === "input_required Who?") await send(taskId, say("wait"));
      if (seen.at(-1) === "working Thinking") await send(taskId, say("more"));
    }
    expect(seen).toEqual([
      ...["task submitted", "input_required Who?", "task input_required"],
      ...["working Thinking", "working more", "completed wait, 0"],
    ]);
  });

  it("A connection with an invalid frame is closed, and its calls are rejected", async () => {
    const { url, open } = await start();
    for (const frame of ["no json", "null", "{}", '{"id":1,"method":"GetTask"}']) {
      const socket = new WebSocket(url);
      await once(socket, "open");
      socket.send(frame);
      const [code] = (await once(socket, "close")) as [number];
      expect(code).toBe(1007);
    }
    expect((await (await open()).listTasks({})).tasks).toEqual([]);
  });
});
