import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Stream } from "node:http2";
import { describe, expect, it } from "vitest";
import { shareAgent, type TestAgent } from "./agent.js";
import { field } from "./bytes.js";
import { subjects } from "./subjects.js";
import { begin, callGrpc, channel, grpcOf, open } from "./wire.js";

describe.each(subjects)("gRPC of $version", (subject) => {
  const { samples, operations, numbers } = subject;
  const { message } = samples;
  const good = operations.SendMessage.encode({ message });
  let agent: TestAgent;

  shareAgent((started) => (agent = started), subject, { cancelTask: () => new Promise(() => undefined) });

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
