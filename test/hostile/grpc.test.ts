import { compressionAlgorithms } from "@grpc/grpc-js";
import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Stream } from "node:http2";
import type { Metadata } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import type { Caller } from "../../library/runtime/server/context.js";
import { shareAgent, startAgent, type TestAgent } from "./agent.js";
import { field, wrap } from "./bytes.js";
import { servedSubjects } from "./subjects.js";
import { begin, callGrpc, channel, codeOf, grpcOf, metadataOf, open } from "./wire.js";

describe.each(servedSubjects)("gRPC of $title", (subject) => {
  const { samples, operations, numbers } = subject;
  const { message } = samples;
  const good = operations.SendMessage.encode({ message });
  let agent: TestAgent;

  shareAgent((started) => (agent = started), subject, {
    cancelTask: () => new Promise(() => undefined),
  });

  describe("unusual but valid bytes", () => {
    it.each<[string, Uint8Array]>([
      ["an unknown field", Buffer.concat([good, field(15, "x")])],
      ["an unknown group", Buffer.concat([good, Buffer.from([0x7b, 0x7c])])],
      ["the message in two halves", Buffer.concat([good, field(numbers.message, "")])],
      ["its first field repeated and empty", Buffer.concat([good, field(1, "")])],
      ["empty metadata", Buffer.concat([good, field(numbers.metadata, "")])],
    ])("the bytes are accepted as a request: %s", async (_, bytes) => {
      expect((await callGrpc(agent, { method: "SendMessage", bytes })).code).toBe(0);
    });
  });

  describe("a message that is too large", () => {
    it("the transport refuses the message, with and without an announced length", async () => {
      const parts = [samples.textPart("x".repeat(5_000_000))];
      const large = grpcOf(subject, "SendMessage", { message: { ...message, parts } });
      expect((await callGrpc(agent, large)).code).toBe(8);
    });
  });

  describe("a message with many values", () => {
    const struct = (bytes: Uint8Array) => Buffer.concat([good, field(numbers.metadata, bytes)]);
    const lists = wrap(Buffer.alloc(1_800_000, Buffer.from([10, 0])), 6, 2);
    const users = { agent: { authenticate: ({ headers }: Caller) => headers.get("x-user") } };
    const of = (user: string) => metadataOf({ ...subject.headers, "x-user": user });

    it.each<[string, Uint8Array]>([
      [
        "empty values",
        struct(
          field(
            1,
            Buffer.concat([field(1, "k"), wrap(Buffer.alloc(2_400_000, field(1, "")), 6, 2)]),
          ),
        ),
      ],
      [
        "empty lists",
        struct(
          field(
            1,
            Buffer.concat([
              field(1, "k"),
              wrap(Buffer.alloc(3_600_000, field(1, field(6, ""))), 6, 2),
            ]),
          ),
        ),
      ],
      [
        "empty parts",
        Buffer.concat([good, field(numbers.message, Buffer.alloc(4_000_000, field(5, "")))]),
      ],
      ["unknown fields", Buffer.concat([good, Buffer.alloc(3_600_000, field(99, ""))])],
    ])("the agent refuses the message before it has decoded all of it: %s", async (_, bytes) => {
      const { code, message: text } = await callGrpc(await startAgent(subject), {
        method: "SendMessage",
        bytes,
      });
      expect([code, text]).toEqual([
        8,
        expect.stringMatching(/The request contains more than \d+ (?:values|objects)/),
      ]);
    });

    it("many compressed messages of a caller are refused before they are decoded, and other callers are served", async () => {
      const own = await startAgent(subject, {}, users);
      const client = channel(own, {
        "grpc.default_compression_algorithm": compressionAlgorithms.gzip,
      });
      const bytes = struct(field(1, Buffer.concat([field(1, "k"), lists])));
      const send = (metadata: Metadata, sent: Uint8Array = bytes) =>
        codeOf(client, subject, { method: "SendMessage", bytes: sent, metadata });
      expect(await send(of("mallory"), good)).toBe(0);
      const codes = await Promise.all(Array.from({ length: 60 }, () => send(of("mallory"))));
      expect(codes.filter((code) => code === 8).length).toBeGreaterThan(0);
      expect(await send(of("ada"), good)).toBe(0);
      client.close();
    });
  });

  describe("a method", () => {
    it("a method stops waiting at the deadline of the caller, whether past or near", async () => {
      for (const ahead of [-1000, 0, 50]) {
        const waiting = grpcOf(subject, "CancelTask", { id: "t1" });
        const { code } = await callGrpc(agent, { ...waiting, deadline: Date.now() + ahead });
        expect(code).toBe(4);
      }
    });

    it("a method may be canceled repeatedly and at any time", async () => {
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

  describe("HTTP/2 without valid gRPC", () => {
    /** Sends a call as HTTP/2 knows it, and gives its status: of HTTP, or of gRPC. */
    async function raw(headers: Record<string, string>, body?: Uint8Array) {
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
      ["a truncated frame", {}, frame(good).subarray(0, 8)],
      ["a truncated frame header", {}, Buffer.from([0, 0])],
      ["two messages", {}, Buffer.concat([frame(good), frame(good)])],
      ["a wrong length", {}, frame(good, 0, 0xffffffff)],
      ["an invalid flag", {}, frame(good, 7)],
      ["compression that was not announced", {}, frame(good, 1)],
      ["invalid compression", { "grpc-encoding": "gzip" }, frame(good, 1)],
      ["an unknown encoding", { "grpc-encoding": "snappy" }, frame(good, 1)],
      ["an invalid timeout", { "grpc-timeout": "soon" }, frame(good)],
      ["another content type", { "content-type": "application/json" }, frame(good)],
      ["GET", { ":method": "GET" }, undefined],
      ["details that are not base64", { "x-bin": "***" }, frame(good)],
      ["an invalid path", { ":path": "*" }, frame(good)],
    ])("the server responds to %s", async (_, headers, body) => {
      expect(String(await raw(headers, body))).not.toBe("undefined");
    });

    it("the server survives bytes that are not HTTP/2", async () => {
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
