import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  dataFrame,
  frame,
  frameOf,
  frameType,
  headersFrame,
} from "../../bench/servers/http2-frames.js";
import { all, shop, started, streamOf } from "../behaviour/services/shop.js";
import { framed, send, session, start } from "../unit/library/runtime/bindings/wire-calls.js";
import { attacked, expectIdle } from "./fuzz/services.js";

const { connectOrders, createServiceServer, grpc, jsonRpc, NotFoundError, rest, serveOrders } =
  await shop();

const [getOrder, countItems, echo, watchOrder] = [
  "GetOrder",
  "CountItems",
  "Echo",
  "WatchOrder",
].map((method) => `/shop.v1.Orders/${method}`) as [string, string, string, string];

/** Starts the attacked services, and checks them when the test ends. */
async function serving() {
  const state = await attacked();
  const url = await started(createServiceServer(state.services));
  const client = session(url);
  return { state, url, client };
}

/** Expects that a server still responds, and that its services are idle. */
async function expectAlive({ state, url }: Awaited<ReturnType<typeof serving>>) {
  expect(await send(session(url), getOrder, framed(""))).toMatchObject({ code: 0 });
  await expectIdle(state);
}

/** Returns a client that is closed when the test ends. */
function connected(url: string, transport: (typeof transports)[number][1]) {
  const client = connectOrders(url, { transport: transport() });
  onTestFinished(() => {
    client.close();
  });
  return client;
}

const transports = [
  ["HTTP+JSON", rest],
  ["JSON-RPC", jsonRpc],
  ["gRPC", grpc],
] as const;

describe("deadlines of calls", () => {
  it.each([
    ["0n", 4],
    ["0S", 4],
    ["1n", 4],
    ["99999999H", 0],
    ["999999999H", 13],
    ["-1S", 13],
    ["1e3S", 13],
    ["1", 13],
    ["", 13],
  ])("a call with the time-out %j ends with the code %i", async (timeout, code) => {
    const served = await serving();
    const reply = await send(served.client, getOrder, framed(""), { "grpc-timeout": timeout });
    expect(reply.code).toBe(code);
    await expectAlive(served);
  });

  it.each(transports)(
    "a client over %s may have time-outs of 0, of a negative number, and of years",
    async (_, transport) => {
      const served = await serving();
      const client = connected(served.url, transport);
      for (const timeoutMs of [0, -1, -Infinity])
        await expect(client.getOrder({ id: "1" }, { timeoutMs })).rejects.toMatchObject({
          name: "TimeoutError",
        });
      for (const timeoutMs of [3e11, 1e15, Number.MAX_VALUE, Infinity]) {
        expect(await client.getOrder({ id: "1" }, { timeoutMs })).toEqual({ id: "1" });
        expect(await all(client.watchOrder({ id: "1" }, { timeoutMs }))).toHaveLength(2);
      }
      await expectAlive(served);
    },
  );
});

describe("callers that break the order of a call", () => {
  it.each([
    ["no message", "", 12, "No request"],
    ["a second message", framed("").toString("hex").repeat(2), 12, "Too many requests"],
    ["half a message", "0000000005", 13, "The request is incomplete"],
    ["half a prefix", "0000", 13, "The request is incomplete"],
    ["an unknown flag", "0700000000", 13, "invalid flags 7"],
    ["a message that is not an order", "00000000030a01ff", 3, "message OrderRequest"],
  ])("a unary call with %s gets a status", async (_, bytes, code, text) => {
    const served = await serving();
    const reply = await send(served.client, getOrder, Buffer.from(bytes, "hex"));
    expect(reply.code).toBe(code);
    expect(reply.headers["grpc-message"] ?? "").toContain(text);
    await expectAlive(served);
  });

  it.each([
    ["resets the call", (call: ReturnType<typeof start>) => call.stream.close(8)],
    ["disconnects", (call: ReturnType<typeof start>) => call.stream.session?.destroy()],
  ])("the service of a stream ends if its caller %s in the middle", async (_, leave) => {
    const served = await serving();
    for (const path of [countItems, echo]) {
      const client = session(served.url);
      const call = start(client, path);
      call.stream.write(framed(""));
      await vi.waitFor(() => expect(served.state.open).toBe(1));
      leave(call);
      await vi.waitFor(() => expect(served.state.open).toBe(0));
    }
    await expectAlive(served);
  });

  it("a stream without messages is a call without messages, and half a message is an error", async () => {
    const served = await serving();
    expect(await send(served.client, countItems)).toMatchObject({ code: 0, messages: [""] });
    expect(await send(served.client, echo)).toMatchObject({ code: 0, messages: [] });
    const half = Buffer.concat([framed(""), Buffer.from("000000", "hex")]);
    expect(await send(served.client, countItems, half)).toMatchObject({ code: 13 });
    expect(await send(served.client, echo, half)).toMatchObject({ code: 13 });
    await expectAlive(served);
  });

  it("data after the end of a request ends the stream or the connection, but no other", async () => {
    const served = await serving();
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(served.url).port) });
    onTestFinished(() => void socket.destroy());
    const refused = refusal(socket);
    const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    const fields = { "content-type": "application/grpc", te: "trailers" };
    const data = dataFrame(framed(""));
    const frames = [headersFrame(echo, fields), data, data].map(onFirstStream);
    socket.write(
      Buffer.concat([preface, frame(frameType.settings, 0, Buffer.alloc(0)), ...frames]),
    );
    await refused;
    await expectAlive(served);
  });
});

function onFirstStream(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(1, 5);
  return copy;
}

/** Waits until a server resets a stream, or closes the connection. */
async function refusal(socket: Socket): Promise<void> {
  const closed = once(socket, "close");
  let rest = Buffer.alloc(0);
  const reset = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let found = frameOf(rest, 0); found !== undefined; found = frameOf(rest, 0)) {
        if (found.type === frameType.reset || found.type === frameType.goAway) resolve();
        rest = rest.subarray(found.end);
      }
    });
  });
  await Promise.race([closed, reset]);
}

describe("metadata with unusual values", () => {
  it("bytes and unusual values of metadata reach the service as text", async () => {
    const seen: unknown[] = [];
    const orders = serveOrders({
      service: {
        getOrder({ id = "" }, { headers }) {
          seen.push(headers.get("x-raw-bin"), headers.get("x-text"));
          return { id };
        },
      },
    });
    const client = session(await started(createServiceServer(orders)));
    for (const [bin, text] of [
      ["AAH/", "a"],
      ["%", "\u00e9"],
      ["", ""],
    ] as const)
      await send(client, getOrder, framed(""), { "x-raw-bin": bin, "x-text": text });
    expect(seen).toEqual(["AAH/", "a", "%", "\u00e9", "", ""]);
  });

  it.each(transports)(
    "a client over %s refuses headers that no transport can carry, and names them",
    async (_, transport) => {
      const served = await serving();
      const client = connected(served.url, transport);
      for (const headers of [{ "x-line": "a\r\nb" }, { "x-\u00fc": "a" }, { "": "a" }]) {
        const thrown: unknown = await client
          .getOrder({ id: "1" }, { headers })
          .catch((error: unknown) => error);
        expect(String(thrown), JSON.stringify(headers)).toMatch(/header|metadata/i);
      }
      await expectAlive(served);
    },
  );

  it("a service that sets an invalid header sends an internal error, and the server continues", async () => {
    const faults: unknown[] = [];
    const orders = serveOrders({
      onError: (error) => faults.push(error),
      service: {
        getOrder(_, { responseHeaders }) {
          responseHeaders.set("x-line", "a\r\nb");
          return {};
        },
        async *watchOrder(_, { responseTrailers }) {
          yield* streamOf({ id: "1" });
          responseTrailers.set("x-\u00fc", "a");
          throw new NotFoundError("The order is lost");
        },
      },
    });
    const url = await started(createServiceServer(orders));
    const client = session(url);
    expect(await send(client, getOrder, framed(""))).toMatchObject({ code: 13 });
    expect(await send(client, watchOrder, framed(""))).toMatchObject({ code: 13 });
    expect(faults).toHaveLength(2);
  });
});
