import { EventEmitter, once } from "node:events";
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  dataFrame,
  frame,
  frameOf,
  frameType,
  headersFrame,
  setting,
} from "../../bench/servers/http2-frames.js";
import type { Caller } from "../../library/runtime/server/context.js";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { expectAlive } from "./everywhere.js";
import { servedSubjects } from "./subjects.js";
import { flood, watcher, endless } from "./visits.js";
import { open } from "./wire.js";

const [subject] = servedSubjects.filter(({ isTogether }) => isTogether);
if (subject === undefined) throw new Error("Missing version on one port");
const { samples, operations } = subject;
const good = operations.SendMessage.encode({ message: samples.message });

const start = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const [pingType, windowUpdateType, continuationType] = [6, 8, 9];
const endOfHeaders = 4;
const MiB = 2 ** 20;

function preface(...settings: Buffer[]): Buffer {
  return Buffer.concat([start, frame(frameType.settings, 0, Buffer.concat(settings))]);
}

/** Sets the stream of a frame. */
function on(stream: number, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(stream, 5);
  return copy;
}

function framed(bytes: Uint8Array, flag = 0): Buffer {
  const head = Buffer.from([flag, 0, 0, 0, 0]);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function headers(method: string, more: Readonly<Record<string, string>> = {}): Buffer {
  return headersFrame(`/${subject?.grpcService ?? ""}/${method}`, {
    "content-type": "application/grpc",
    te: "trailers",
    ...subject?.headers,
    ...more,
  });
}

/** The memory of the process, including blocks of bytes. */
function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Calls a function with the type of each frame that a connection receives. */
function onFrames(socket: Socket, use: (type: number) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let found = frameOf(rest, 0); found !== undefined; found = frameOf(rest, 0)) {
      use(found.type);
      rest = rest.subarray(found.end);
    }
  });
}

/** Waits until the server has closed a connection, or has refused to read any more of it. */
function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    onFrames(socket, (type) => {
      if (type === frameType.goAway) resolve();
    });
    socket.on("close", () => resolve());
  });
}

/** Opens a connection with the client of Node. */
function client(agent: TestAgent): ClientHttp2Session {
  const session = connect(`http://${agent.grpc}`);
  onTestFinished(() => session.destroy());
  return session.on("error", () => undefined);
}

/** Starts a call with the client of Node. */
function request(
  session: ClientHttp2Session,
  more: Readonly<Record<string, string>> = {},
  method = "SendMessage",
) {
  return session
    .request({
      ":method": "POST",
      ":path": `/${subject?.grpcService ?? ""}/${method}`,
      "content-type": "application/grpc",
      ...subject?.headers,
      ...more,
    })
    .on("error", () => undefined);
}

describe("attacks on a connection over HTTP/2", () => {
  let agent: TestAgent;
  let calls = 0;

  beforeAll(async () => {
    const authenticate = (_: Caller) => ((calls += 1), "mallory");
    agent = await startAgent(subject, {}, { agent: { authenticate } });
  });

  afterAll(async () => {
    expect(agent.faults).toEqual([]);
    await expectAlive(agent);
    await stopAgents();
  });

  const ids = (count: number) => Array.from({ length: count }, (_, index) => 2 * index + 1);

  it("a caller that opens and resets many calls is disconnected", async () => {
    const before = calls;
    const request = headers("SendMessage");
    const reset = frame(frameType.reset, 0, Buffer.from([0, 0, 0, 8]));
    const socket = open(agent, preface());
    for (const id of ids(20_000)) socket.write(Buffer.concat([on(id, request), on(id, reset)]));
    await ended(socket);
    expect(calls - before).toBeLessThan(2_000);
    socket.destroy();
  });

  it.each<[string, Buffer]>([
    ["settings of a stream", on(1, frame(frameType.settings, 1, Buffer.alloc(0)))],
    ["a short ping", frame(pingType, 0, Buffer.alloc(3))],
    ["a window update of 0", on(1, frame(windowUpdateType, 0, Buffer.alloc(4)))],
  ])("a request with %s in the same packet ends only its connection", async (_, invalid) => {
    for (const type of ["application/grpc", "application/json", "text/plain"]) {
      const request = on(1, headers("SendMessage", { "content-type": type }));
      const socket = open(agent, Buffer.concat([preface(), request, invalid]));
      await ended(socket);
      socket.destroy();
    }
    await expectAlive(agent);
  });

  it.each<[string, Buffer]>([
    ["pings", frame(pingType, 0, Buffer.alloc(8))],
    ["settings", frame(frameType.settings, 0, setting(4, 65_535))],
  ])("many %s of a caller that does not read take no memory", async (_, bytes) => {
    const before = memory();
    const socket = open(agent, preface());
    socket.pause();
    const many = Buffer.alloc(bytes.length * 10_000, bytes);
    for (let writes = 0; writes < 200 && !socket.destroyed; writes += 1)
      await new Promise((resolve) => socket.write(many, resolve));
    expect(memory() - before).toBeLessThan(64 * MiB);
    await expectAlive(agent);
    socket.destroy();
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    [
      "with long values",
      Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [`x-${index}`, "a".repeat(120)]),
      ),
    ],
    [
      "with many names",
      Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`x-${index}`, ""])),
    ],
  ])("a call with too much metadata is refused: %s", async (_, more) => {
    const before = calls;
    const socket = open(agent, preface());
    const block = headers("SendMessage", more).subarray(9);
    // A frame contains at most 16 KiB.
    const pieces = Array.from({ length: Math.ceil(block.length / 16_000) }, (_piece, index) =>
      block.subarray(index * 16_000, (index + 1) * 16_000),
    );
    for (const [index, piece] of pieces.entries()) {
      const flags = index === pieces.length - 1 ? endOfHeaders : 0;
      socket.write(on(1, frame(index === 0 ? frameType.headers : continuationType, flags, piece)));
    }
    const refused = new Promise((resolve) => {
      onFrames(socket, (type) => {
        if (type === frameType.reset || type === frameType.goAway) resolve(type);
      });
      socket.on("close", resolve);
    });
    await refused;
    expect(calls).toBe(before);
    socket.destroy();
  });

  it("a caller whose metadata never ends is disconnected", async () => {
    const socket = open(agent, preface());
    const [first, next] = [frameType.headers, continuationType].map((type) =>
      on(1, frame(type, 0, Buffer.from([0, 1, 97, 1, 97]))),
    );
    socket.write(first ?? "");
    for (let count = 0; count < 10_000 && !socket.destroyed; count += 1) socket.write(next ?? "");
    await ended(socket);
    socket.destroy();
  });

  it.each<[string, Buffer]>([
    ["random bytes", Buffer.from("garbage\uffff".repeat(50))],
    ["a frame of unknown length", Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])],
    ["data for no call", on(5, dataFrame(Buffer.from("x")))],
    ["a call with an even number", on(2, headers("SendMessage"))],
    ["a window above the limit", frame(8, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff]))],
    [
      "invalid compressed metadata",
      on(1, frame(frameType.headers, endOfHeaders, Buffer.from([0xff, 0xff]))),
    ],
  ])("a caller that sends %s is disconnected", async (_, bytes) => {
    const socket = open(agent, preface(), bytes);
    await ended(socket);
    socket.destroy();
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ["a call", { "content-type": "application/grpc" }],
    ["a call in another format", { "content-type": "application/grpc+json" }],
    [
      "a request that waits for 100",
      { "content-type": "application/json", expect: "100-continue" },
    ],
  ])(
    "%s that is reset in the first packet of its connection leaves the agent alive",
    async (_, fields) => {
      const reset = frame(frameType.reset, 0, Buffer.from([0, 0, 0, 8]));
      const socket = open(agent);
      socket.write(Buffer.concat([preface(), on(1, headersFrame("/x", fields)), on(1, reset)]));
      await expectAlive(agent);
      socket.destroy();
    },
  );

  it("half a frame delays only its own connection", async () => {
    const socket = open(agent, preface(), on(1, headers("SendMessage")).subarray(0, 30));
    await expectAlive(agent);
    socket.destroy();
  });

  it("a bomb is refused at the limit of a message, and takes no memory", async () => {
    const bomb = gzipSync(Buffer.alloc(256 * MiB));
    const before = memory();
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, memory())), 1);
    const stream = request(client(agent), { "grpc-encoding": "gzip" });
    stream.end(framed(bomb, 1));
    const [head] = (await once(stream, "response")) as [IncomingHttpHeaders];
    clearInterval(timer);
    expect(head["grpc-status"]).toBe("8");
    expect(peak - before).toBeLessThan(48 * MiB);
  });
});

describe("a caller that never opens its window", () => {
  const closedWindow = preface(setting(4, 0));
  const node = { unreadTimeoutMs: 200 };
  afterAll(stopAgents);

  it("the service of a stream is paused, and then aborted", async () => {
    const { seen, sendStreamingMessage } = flood(subject);
    const agent = await startAgent(subject, { sendStreamingMessage }, { node });
    const socket = open(agent, closedWindow);
    socket.write(on(1, headers("SendStreamingMessage")));
    socket.write(on(1, dataFrame(framed(good))));
    socket.resume();
    await vi.waitFor(() => expect(seen).toMatchObject({ returned: 1, aborted: 1 }));
    expect(seen.produced).toBeLessThan(20);
    await expectAlive(agent);
    socket.destroy();
  });

  it("a stream continues after its caller has read everything", async () => {
    const gates = new EventEmitter();
    const event = (size: number) =>
      subject.answers.artifact([subject.samples.textPart("x".repeat(size))]);
    // The last event exceeds the window of the caller by just enough to let the service wait.
    const [size, count] = [10_000, 13];
    async function* sendStreamingMessage() {
      const resumed = once(gates, "resume");
      for (let sent = 0; sent < count; sent += 1) {
        yield event(size);
        await setImmediate();
      }
      gates.emit("pause");
      await resumed;
      yield event(1);
    }
    const agent = await startAgent(subject, { sendStreamingMessage }, { node });
    const stream = request(client(agent), {}, "SendStreamingMessage");
    stream.end(framed(good));
    await once(gates, "pause");
    let length = 0;
    stream.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > size * count) gates.emit("resume");
    });
    const [trailers] = (await once(stream, "trailers")) as [IncomingHttpHeaders];
    expect(trailers["grpc-status"]).toBe("0");
  });

  it("the responses of many calls are discarded", async () => {
    const text = "x".repeat(100_000);
    const sendMessage = () =>
      subject.answers.message({ ...samples.message, parts: [samples.textPart(text)] });
    const agent = await startAgent(subject, { sendMessage }, { node });
    const socket = open(agent, closedWindow);
    let resets = 0;
    onFrames(socket, (type) => {
      if (type === frameType.reset) resets += 1;
    });
    for (let id = 1; id < 200; id += 2)
      socket.write(
        Buffer.concat([on(id, headers("SendMessage")), on(id, dataFrame(framed(good)))]),
      );
    await vi.waitFor(() => expect(resets).toBe(100));
    socket.destroy();
  });

  it("the bodies of callers without credentials are not read", async () => {
    const agent = await startAgent(subject, {}, { agent: { authenticate: () => undefined } });
    const stream = request(client(agent));
    stream.write(framed(Buffer.alloc(2 * MiB)));
    const [head] = (await once(stream, "response")) as [IncomingHttpHeaders];
    expect(head["grpc-status"]).toBe("16");
    // The client could only send what fits into the window of the server.
    expect(stream.writableLength).toBeGreaterThan(MiB);
  });

  it("a body over HTTP/2 must arrive in time", async () => {
    const agent = await startAgent(subject, {}, { node: { requestTimeoutMs: 100 } });
    const stream = client(agent).request({
      ":method": "POST",
      ":path": "/rpc",
      "content-type": "application/json",
    });
    stream.on("error", () => undefined).write("{");
    const [head] = (await once(stream, "response")) as [IncomingHttpHeaders];
    expect(head[":status"]).toBe(408);
    await once(stream, "close");
  });

  it("the streams of a connection that is cut without notice are aborted", async () => {
    const { seen, watch } = watcher();
    const sendStreamingMessage = endless(subject, seen, watch);
    const agent = await startAgent(subject, { sendStreamingMessage }, { node });
    const socket = open(agent, preface());
    for (let id = 1; id < 100; id += 2) {
      socket.write(on(id, headers("SendStreamingMessage")));
      socket.write(on(id, dataFrame(framed(good))));
    }
    await vi.waitFor(() => expect(seen.begun).toBe(50));
    socket.resetAndDestroy();
    await vi.waitFor(() => expect(seen).toMatchObject({ returned: 50, aborted: 50 }));
  });
});
