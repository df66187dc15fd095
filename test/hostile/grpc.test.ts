import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Stream } from "node:http2";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { field, nestedValue, numberField, wrap } from "./bytes.js";
import { expectAlive } from "./everywhere.js";
import { subjects } from "./subjects.js";
import { begin, callGrpc, channel, grpcOf, open } from "./wire.js";

describe.each(subjects)("gRPC of $version", (subject) => {
  const { samples, operations, numbers } = subject;
  const { message } = samples;
  const good = operations.SendMessage.encode({ message });
  let agent: TestAgent;

  beforeAll(async () => {
    agent = await startAgent(subject, { cancelTask: () => new Promise(() => undefined) });
  });

  afterEach(async () => {
    expect(agent.faults).toEqual([]);
    await expectAlive(agent);
  });

  afterAll(stopAgents);

  describe("bytes that are no request", () => {
    const groups = Buffer.alloc(10_000, 0x0b);
    const metadataOfValue = (value: Uint8Array): Uint8Array =>
      wrap(Buffer.concat([field(1, "k"), field(2, value)]), 1, numbers.metadata);

    it.each<[string, Uint8Array]>([
      ["one byte", Uint8Array.of(0x12)],
      ["random bytes", Uint8Array.of(0xff, 0xff, 0xff, 0xff)],
      ["a message cut off", good.slice(0, -1)],
      ["a length beyond the end", Uint8Array.of(0x12, 0x7f, 0x00)],
      ["a length of four gigabytes", Uint8Array.of(0x12, 0xff, 0xff, 0xff, 0xff, 0x0f)],
      ["a varint without end", new Uint8Array(40).fill(0xff)],
      ["field number 0", Uint8Array.of(0x00, 0x00)],
      ["wire type 6", Uint8Array.of(0x16)],
      ["wire type 7", Uint8Array.of(0x17)],
      ["a group without end", Uint8Array.of(0x0b)],
      ["a group that another one ends", Uint8Array.of(0x0b, 0x14)],
      ["groups nested deep", groups],
      ["structs nested deep", metadataOfValue(nestedValue(10_000, "struct"))],
      ["lists nested deep", metadataOfValue(nestedValue(10_000, "list"))],
      ["JSON", Buffer.from(JSON.stringify({ message }))],
    ])("are invalid params: %s", async (_, bytes) => {
      const reply = await callGrpc(agent, { method: "SendMessage", bytes });
      const told = subject.grpcError(reply);
      expect([reply.code, told.reason]).toEqual([3, "INVALID_PARAMS"]);
      expect(told.message).toMatch(/^The request is not a \w+ in protobuf$/);
      if (subject.grpcDetails) expect(told.fields).toEqual([""]);
    });

    it.each<[string, Uint8Array]>([
      ["an unknown field", Buffer.concat([good, field(15, "x")])],
      ["an unknown group", Buffer.concat([good, Buffer.from([0x7b, 0x7c])])],
      ["the message in two halves", Buffer.concat([good, field(numbers.message, "")])],
      ["its first field once more and empty", Buffer.concat([good, field(1, "")])],
      ["empty metadata", Buffer.concat([good, field(numbers.metadata, "")])],
    ])("may yet be one: %s", async (_, bytes) => {
      expect((await callGrpc(agent, { method: "SendMessage", bytes })).code).toBe(0);
    });

    it("may hold an enum number that nobody knows, which validation refuses", async () => {
      const bytes = wrap(numberField(4, 99), numbers.message);
      const reply = await callGrpc(agent, { method: "SendMessage", bytes });
      expect(reply.code).toBe(3);
      const { message: text, fields } = subject.grpcError(reply);
      expect([...fields, text].join()).toContain("role");
    });
  });

  describe("a message that is too large", () => {
    it("is refused by the transport, announced or not", async () => {
      const parts = [samples.textPart("x".repeat(5_000_000))];
      const large = grpcOf(subject, "SendMessage", { message: { ...message, parts } });
      expect((await callGrpc(agent, large)).code).toBe(8);
    });
  });

  describe("a method", () => {
    it.each(["Nope", "", "constructor", "sendMessage", "SendMessage/x", "__proto__"])(
      "that there is not is unimplemented: %j",
      async (method) => {
        expect((await callGrpc(agent, { method, bytes: good })).code).toBe(12);
      },
    );

    it("stops waiting at the deadline of the caller, past or near", async () => {
      for (const ahead of [-1000, 0, 50]) {
        const waiting = grpcOf(subject, "CancelTask", { id: "t1" });
        const { code } = await callGrpc(agent, { ...waiting, deadline: Date.now() + ahead });
        expect(code).toBe(4);
      }
    });

    it("may be canceled at any moment, often", async () => {
      const client = channel(agent);
      for (let index = 0; index < 50; index++) {
        const waiting = grpcOf(subject, "CancelTask", { id: "t1" });
        const call = begin(
          client,
          subject,
          index % 2 === 0 ? waiting : { method: "SendStreamingMessage", bytes: good },
        );
        call.on("error", () => undefined).on("data", () => undefined);
        const ended = new Promise((resolve) => call.on("status", resolve));
        if (index % 3 === 0) call.cancel();
        else setTimeout(() => call.cancel(), index % 5);
        await ended;
      }
      client.close();
    });
  });

  describe("HTTP/2 without gRPC manners", () => {
    /** Sends a call as HTTP/2 knows it, and gives its status: of HTTP, or of gRPC. */
    async function raw(headers: Record<string, string>, body?: Uint8Array): Promise<unknown> {
      const session = connectHttp2(`http://${agent.grpc}`);
      session.on("error", () => undefined);
      const stream: ClientHttp2Stream = session.request({
        ":method": "POST",
        ":path": `/${subject.grpcService}/SendMessage`,
        "content-type": "application/grpc",
        te: "trailers",
        ...subject.headers,
        ...headers,
      });
      const seen: Record<string, unknown> = {};
      stream.on("error", (error: Error) => (seen["error"] = error.message));
      stream.on("response", (received: object) => void Object.assign(seen, received));
      stream.on("trailers", (received: object) => void Object.assign(seen, received));
      stream.resume().end(body);
      await new Promise((resolve) => stream.on("close", resolve));
      session.close();
      return seen["grpc-status"] ?? seen[":status"] ?? seen["error"];
    }

    const frame = (bytes: Uint8Array, flag = 0, length = bytes.length): Buffer => {
      const head = Buffer.alloc(5);
      head.writeUInt8(flag, 0);
      head.writeUInt32BE(length, 1);
      return Buffer.concat([head, bytes]);
    };

    it.each<[string, Record<string, string>, Uint8Array | undefined]>([
      ["no message", {}, undefined],
      ["a frame cut off", {}, frame(good).subarray(0, 8)],
      ["a head cut off", {}, Buffer.from([0, 0])],
      ["two messages", {}, Buffer.concat([frame(good), frame(good)])],
      ["a length that lies", {}, frame(good, 0, 0xffffffff)],
      ["a flag that is none", {}, frame(good, 7)],
      ["compression that was not announced", {}, frame(good, 1)],
      ["compression that is none", { "grpc-encoding": "gzip" }, frame(good, 1)],
      ["an encoding that nobody knows", { "grpc-encoding": "snappy" }, frame(good, 1)],
      ["a timeout that is none", { "grpc-timeout": "soon" }, frame(good)],
      ["another content type", { "content-type": "application/json" }, frame(good)],
      ["GET", { ":method": "GET" }, undefined],
      ["details that are no base64", { "x-bin": "***" }, frame(good)],
      ["a path that is none", { ":path": "*" }, frame(good)],
    ])("gets an answer all the same: %s", async (_, headers, body) => {
      expect(String(await raw(headers, body))).not.toBe("undefined");
    });

    it("may not be HTTP/2 at all", async () => {
      const [host = "", port = ""] = agent.grpc.split(":");
      expect(host).toBe("127.0.0.1");
      for (const text of [
        "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
        "\0".repeat(100),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nxxxxxxxxxxxx",
      ]) {
        const socket = open({ port: Number(port) }, text);
        socket.resume().end();
        await once(socket, "close");
      }
    });
  });
});
