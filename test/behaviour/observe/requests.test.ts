import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  connect,
  createAgent,
  fetchHandler,
  jsonRpc,
  rest,
  TaskNotFoundError,
  UnauthenticatedError,
} from "../../../generated/1.0/index.js";
import { grpc } from "../../../generated/1.0/client/grpc.js";
import type { Message, RequestReport } from "../../../generated/1.0/index.js";
import { httpHandler } from "../../../generated/1.0/server/http.js";
import { nodeListener as adapter } from "../../../library/runtime/http/adapters/node.js";
import { listen } from "../../support/http.js";
import { call, send } from "../../support/raw.js";
import { byToken, cardAt, observedAgent } from "./agent.js";
import { aMessage } from "../../support/messages.js";

const version = { "a2a-version": "1.0", authorization: "Bearer ada" };
const task = { id: "t-1", status: { state: "TASK_STATE_WORKING" } } as const;
const message: Message = aMessage("hi");
const transports = { JSONRPC: jsonRpc(), "HTTP+JSON": rest(), GRPC: grpc() };
const bindings = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

/** The members of a report that do not depend on time. */
function gist({ binding, operation, outcome, error, status }: RequestReport): unknown {
  return [binding, operation?.name, outcome, error?.reason, status];
}

async function start(
  service: Parameters<typeof observedAgent>[0]["service"] = { getTask: () => task },
) {
  const agent = await observedAgent({ authenticate: byToken, service });
  const reported = (count: number) =>
    vi.waitFor(() => {
      expect(agent.reports).toHaveLength(count);
    });
  return { ...agent, reported };
}

/** Reads a stream to its end, or leaves it after some events. */
async function readAll(events: AsyncIterable<unknown>, most = Infinity) {
  let count = 0;
  for await (const event of events) if (event !== undefined && (count += 1) >= most) return;
}

async function clientOf(card: ReturnType<typeof cardAt>, binding: (typeof bindings)[number]) {
  const client = await connect(card, { transports: [transports[binding]], headers: version });
  onTestFinished(() => {
    client.close();
  });
  return client;
}

describe.each(bindings)("an observer of calls over %s", (binding) => {
  it("the observer receives one report with operation, version, sizes and user of a call", async () => {
    const { card, reports, reported } = await start();
    const client = await clientOf(card, binding);
    await client.getTask({ id: "t-1" });
    await reported(1);
    const [report] = reports;
    expect(report).toMatchObject({ binding, version: "1.0", outcome: "ok", error: undefined });
    expect(report?.operation?.name).toBe("GetTask");
    expect(report?.context?.user).toBe("ada");
    expect(report?.durationMs).toBeGreaterThan(0);
    expect(report?.responseBytes).toBeGreaterThan(8);
    if (binding !== "HTTP+JSON") expect(report?.requestBytes).toBeGreaterThan(4);
  });

  it("the observer receives the error of the service, which is not a refusal", async () => {
    const { card, reports, reported } = await start({
      getTask: () => {
        throw new TaskNotFoundError();
      },
    });
    const client = await clientOf(card, binding);
    await expect(client.getTask({ id: "t-1" })).rejects.toThrow(TaskNotFoundError);
    await reported(1);
    expect(reports[0]).toMatchObject({ outcome: "failed", error: { reason: "TASK_NOT_FOUND" } });
  });

  it("the observer receives one report about a call without access", async () => {
    const { card, reports, reported } = await start();
    const client = await connect(card, { transports: [transports[binding]] });
    await expect(client.getTask({ id: "t-1" })).rejects.toThrow(UnauthenticatedError);
    client.close();
    await reported(1);
    const status = binding === "GRPC" ? undefined : 401;
    expect(reports[0]).toMatchObject({
      binding,
      outcome: "refused",
      status,
      error: { reason: "UNAUTHENTICATED" },
    });
    expect(reports[0]?.operation).toBeUndefined();
  });

  it("the observer receives the report about a stream at its end", async () => {
    const { card, reports, reported } = await start({
      async *sendStreamingMessage() {
        yield { task: { ...task, contextId: "c" } };
        expect(reports).toHaveLength(0);
        yield {
          statusUpdate: {
            taskId: "t-1",
            contextId: "c",
            status: { state: "TASK_STATE_COMPLETED" },
          },
        };
      },
    });
    const client = await clientOf(card, binding);
    await readAll(client.sendStreamingMessage({ message }));
    await reported(1);
    expect(reports[0]).toMatchObject({ binding, outcome: "ok" });
    expect(reports[0]?.operation?.name).toBe("SendStreamingMessage");
    expect(reports[0]?.responseBytes).toBeGreaterThan(20);
  });

  it("the observer receives the error of a stream that fails after its first event", async () => {
    const { card, reports, reported } = await start({
      async *sendStreamingMessage() {
        yield { task: { ...task, contextId: "c" } };
        throw new TaskNotFoundError();
      },
    });
    const client = await clientOf(card, binding);
    await expect(readAll(client.sendStreamingMessage({ message }))).rejects.toThrow(
      TaskNotFoundError,
    );
    await reported(1);
    expect(reports[0]).toMatchObject({ outcome: "failed", error: { reason: "TASK_NOT_FOUND" } });
  });

  it("the observer receives one report about a caller that leaves its stream", async () => {
    const { card, reports, reported } = await start({
      async *sendStreamingMessage(_, { signal }) {
        yield { task: { ...task, contextId: "c" } };
        await once(signal, "abort");
      },
    });
    const client = await clientOf(card, binding);
    await readAll(client.sendStreamingMessage({ message }), 1);
    await reported(1);
    expect(reports[0]).toMatchObject({ outcome: "disconnected", error: undefined });
  });

  it("the observer receives one report about a caller that leaves before the response", async () => {
    const left = new AbortController();
    const { card, reports, reported } = await start({
      getTask: async (_, { signal }) => {
        left.abort();
        await once(signal, "abort");
        return task;
      },
    });
    const client = await clientOf(card, binding);
    await expect(client.getTask({ id: "t-1" }, { signal: left.signal })).rejects.toThrow();
    await reported(1);
    expect(reports[0]).toMatchObject({ outcome: "disconnected", operation: { name: "GetTask" } });
  });
});

describe("an observer of requests over HTTP", () => {
  it("the observer receives one report about each request that is not a valid call", async () => {
    const { url, reports } = await start();
    await send("POST", url, "{", version);
    await call(url, "Unknown", {}, version);
    await call(url, "GetTask", {}, version);
    await call(url, "GetTask", { id: "t-1" }, { ...version, "a2a-version": "7.0" });
    await send("PUT", `${url}tasks/t-1`, {}, version);
    await send("GET", `${url}nothing`, undefined, version);
    await send("POST", url, "x".repeat(11_000_000), version).catch(() => undefined);
    await vi.waitFor(() => {
      expect(reports.map(gist)).toEqual([
        ["JSONRPC", undefined, "refused", "JSON_PARSE", 200],
        ["JSONRPC", undefined, "refused", "METHOD_NOT_FOUND", 200],
        ["JSONRPC", "GetTask", "refused", "INVALID_PARAMS", 200],
        ["JSONRPC", "GetTask", "refused", "VERSION_NOT_SUPPORTED", 200],
        ["HTTP+JSON", undefined, "refused", "METHOD_NOT_FOUND", 405],
        ["HTTP+JSON", undefined, "refused", "METHOD_NOT_FOUND", 404],
        ["JSONRPC", undefined, "refused", "INVALID_REQUEST", 413],
      ]);
    });
  });

  it("the observer receives one report about the card, a preflight and an unknown path, which are not calls", async () => {
    const reports: RequestReport[] = [];
    const agent = createAgent({
      card: cardAt("http://127.0.0.1/", ""),
      observe: (report) => reports.push(report),
      service: { getTask: () => task },
    });
    const url = await listen(adapter(httpHandler(agent, { rest: false, cors: true })));
    const card = await send("GET", `${url}/.well-known/agent-card.json`);
    await send("DELETE", `${url}/.well-known/agent-card.json`);
    await send("OPTIONS", `${url}/`, undefined, {
      origin: "https://a.test",
      "access-control-request-method": "POST",
    });
    const missing = await send("GET", `${url}/nothing`);
    expect([missing.status, missing.text]).toEqual([404, "Not Found\n"]);
    expect(reports.map(gist)).toEqual([
      [undefined, undefined, "ok", undefined, 200],
      [undefined, undefined, "refused", undefined, 405],
      [undefined, undefined, "ok", undefined, 204],
      [undefined, undefined, "refused", undefined, 404],
    ]);
    expect(reports[0]?.responseBytes).toBe(Buffer.byteLength(card.text));
    expect(reports[3]?.responseBytes).toBe(10);
  });

  it("the observer receives no report about a request that the next handler gets", async () => {
    const reports: RequestReport[] = [];
    const agent = createAgent({
      card: cardAt("http://127.0.0.1/", ""),
      observe: (report) => reports.push(report),
      service: { getTask: () => task },
    });
    const listener = adapter(httpHandler(agent, { rest: false }));
    const url = await listen((request, response) => {
      listener(request, response, () => response.end("other"));
    });
    expect((await send("GET", `${url}/other`)).text).toBe("other");
    expect(reports).toEqual([]);
  });

  it("the observer receives one report about a connection that is cut while the body arrives", async () => {
    const { url, reports, reported } = await start();
    const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    const head = [
      "POST / HTTP/1.1",
      "Host: a",
      "Content-Type: application/json",
      "Content-Length: 100",
    ];
    socket.write(
      `${head.join("\r\n")}\r\nA2A-Version: 1.0\r\nAuthorization: Bearer ada\r\n\r\n{"json`,
      () => {
        socket.destroy();
      },
    );
    await reported(1);
    expect(reports[0]).toMatchObject({ binding: "JSONRPC", outcome: "disconnected" });
  });

  it("the observer counts the bytes of bodies, not their characters", async () => {
    const { url, reports } = await start({ getTask: ({ id }) => ({ ...task, id }) });
    const text = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "GetTask",
      params: { id: "äö€😀".repeat(200) },
    });
    const response = await send("POST", url, text, version);
    await send("POST", url, text.replaceAll("äö€😀", ""), version);
    expect(reports[0]).toMatchObject({
      requestBytes: Buffer.byteLength(text),
      responseBytes: Buffer.byteLength(response.text),
    });
  });

  it("the observer also receives reports from the handler for Web requests", async () => {
    const reports: RequestReport[] = [];
    const handler = fetchHandler(
      createAgent({
        card: cardAt("http://a.test/", ""),
        observe: (report) => reports.push(report),
        service: { getTask: () => task },
      }),
      { rest: false },
    );
    await handler(new Request("http://a.test/nothing"));
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "t" } });
    const headers = { "content-type": "application/json", "a2a-version": "1.0" };
    await handler(new Request("http://a.test/", { method: "POST", headers, body }));
    expect(reports.map(gist)).toEqual([
      [undefined, undefined, "refused", undefined, 404],
      ["JSONRPC", "GetTask", "ok", undefined, 200],
    ]);
    expect(reports[1]?.requestBytes).toBe(body.length);
  });

  it.each([
    [
      "throws",
      (): never => {
        throw new Error("no disk");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no disk"))],
  ])("the observer harms no call if it %s", async (_, observe) => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => {
      logged.mockRestore();
    });
    const { url } = await observedAgent({ observe, service: { getTask: () => task } });
    const { text } = await call(url, "GetTask", { id: "t-1" }, version);
    expect(JSON.parse(text)).toMatchObject({ result: { id: "t-1" } });
    await vi.waitFor(() => {
      expect(logged).toHaveBeenCalledOnce();
    });
  });
});
