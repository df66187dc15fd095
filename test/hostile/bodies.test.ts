import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { expectAlive } from "./everywhere.js";
import { subjects } from "./subjects.js";
import { headOf, open, post, readAll, rpcOf, send, webPost } from "./wire.js";

describe.each(subjects)("A2A $version", (subject) => {
  const { message } = subject.samples;
  const sendPath = `${subject.base}/message:send`;
  let agent: TestAgent;

  beforeAll(async () => {
    agent = await startAgent(subject, {}, { limits: { maxBodyBytes: 1_000_000 } });
  });

  afterEach(async () => {
    expect(agent.faults).toEqual([]);
    await expectAlive(agent);
  });

  afterAll(stopAgents);

  const goodRpc = JSON.stringify(rpcOf(subject, "SendMessage", { message }));
  const goodRest = JSON.stringify({ message });

  /** Posts to the JSON-RPC endpoint and to the same operation over HTTP+JSON. */
  async function postBoth(rpcBody: string | Uint8Array, restBody = rpcBody, headers: Record<string, string> = {}) {
    const [overRpc, overRest] = await Promise.all([
      post(agent, "/rpc", rpcBody, headers),
      post(agent, sendPath, restBody, headers),
    ]);
    const { error } = (overRpc.json ?? {}) as { error?: { code: number } };
    return {
      rpc: { status: overRpc.status, code: error?.code },
      rest: { status: overRest.status, reason: subject.httpError(overRest.json)?.reason },
    };
  }

  const accepted = { rpc: { status: 200, code: undefined }, rest: { status: 200, reason: undefined } };
  const notJson = { rpc: { status: 200, code: -32700 }, rest: { status: 400, reason: "JSON_PARSE" } };
  const otherType = { rpc: { status: 415, code: -32005 }, rest: { status: 400, reason: "CONTENT_TYPE_NOT_SUPPORTED" } };
  const tooLarge = { rpc: { status: 413, code: -32600 }, rest: { status: 413, reason: "INVALID_REQUEST" } };

  describe("a body that is not JSON", () => {
    const nested = (open: string, close: string, levels = 10_000): string => open.repeat(levels) + close.repeat(levels);

    it.each<[string, string | Uint8Array]>([
      ["text", "hello"],
      ["a lone brace", "{"],
      ["a truncated request", goodRpc.slice(0, -5)],
      ["two values", "{} {}"],
      ["a trailing comma", '{"a":1,}'],
      ["a comment", "/* */ {}"],
      ["single quotes", "{'a':1}"],
      ["NaN", '{"a":NaN}'],
      ["a control character in text", '{"a":"\n"}'],
      ["white space", " \n "],
      ["a byte order mark and nothing else", "\ufeff{"],
      ["two byte order marks", "\ufeff\ufeff{}"],
      ["UTF-16", Buffer.from(goodRpc, "utf16le")],
      ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
      ["an overlong encoding", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
      ["half of a surrogate pair in bytes", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
      ["a character cut off", Buffer.from([0x22, 0xe2, 0x82])],
      ["lists nested deep and not closed", "[".repeat(500_000)],
      ["objects nested deep and not closed", '{"a":'.repeat(100_000)],
      ["brackets that do not match", nested("[", "}")],
      ["null bytes", "\0\0\0"],
      ["a form", "message=hello"],
    ])("is a parse error: %s", async (_, body) => {
      expect(await postBoth(body)).toEqual(notJson);
    });

    it("is a parse error without a body on JSON-RPC, and an invalid request on HTTP+JSON", async () => {
      const reply = await postBoth("");
      expect(reply.rpc).toEqual(notJson.rpc);
      expect(reply.rest).toEqual({ status: 400, reason: "INVALID_PARAMS" });
    });

    it("may start with a byte order mark, over every kind of server", async () => {
      expect(await postBoth(`\ufeff${goodRpc}`, `\ufeff${goodRest}`)).toEqual(accepted);
      const answer = await agent.fetch(webPost(agent, "/rpc", {}, { body: `\ufeff${goodRpc}` }));
      expect(await answer.json()).toHaveProperty("result");
    });
  });

  describe("the media type of a body", () => {
    it.each([
      ...subject.mediaTypes,
      "APPLICATION/JSON",
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
      'application/json; charset="utf-8"; x=y',
      "application/json;",
      " application/json ",
    ])("may be %j", async (type) => {
      expect(await postBoth(goodRpc, goodRest, { "content-type": type })).toEqual(accepted);
    });

    it.each([
      "text/plain",
      "text/json",
      "application/jsonx",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json, text/plain",
      "application/grpc",
      "json",
      "*/*",
      "; application/json",
    ])("may not be %j", async (type) => {
      expect(await postBoth(goodRpc, goodRest, { "content-type": type })).toEqual(otherType);
      expect(await postBoth("{", "{", { "content-type": type })).toEqual(otherType);
    });

    it("has to be there where there is a body", async () => {
      const overRpc = await send(agent, { path: "/rpc", headers: subject.headers, body: goodRpc });
      const overRest = await send(agent, { path: sendPath, headers: subject.headers, body: goodRest });
      expect([overRpc.status, overRest.status]).toEqual([415, 400]);
    });

    it.each(["gzip", "br", "GZIP", "identity, gzip", "nonsense"])("is refused with encoding %s", async (encoding) => {
      expect(await postBoth(goodRpc, goodRest, { "content-encoding": encoding })).toEqual(otherType);
    });
  });

  describe("a body that is too large", () => {
    it.each([1_000_001, 12_000_000])("is refused when %i bytes are announced", async (size) => {
      expect(await postBoth("x".repeat(size))).toEqual(tooLarge);
    });

    it.each([1_000_001, 12_000_000])("is refused when %i bytes come in chunks", async (size) => {
      expect(await postBoth("x".repeat(size), undefined, { "transfer-encoding": "chunked" })).toEqual(tooLarge);
    });

    it("is refused before it is sent", async () => {
      const head = `POST /rpc HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9999999\r\n\r\n`;
      const text = await readAll(open(agent, head));
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
      expect(text.toLowerCase()).toContain("connection: close");
    });

    it("is refused over Web requests, and its sender is told to stop", async () => {
      let sent = 0;
      let stopped = false;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 100_000;
          controller.enqueue(new Uint8Array(100_000).fill(32));
        },
        cancel() {
          stopped = true;
        },
      });
      const init = { method: "POST", body, duplex: "half", headers: { "content-type": "application/json" } } as const;
      const answer = await agent.fetch(new Request("http://agent/rpc", init));
      expect(answer.status).toBe(413);
      expect(stopped).toBe(true);
      expect(sent).toBeLessThan(2_000_000);
    });

    it("is accepted at exactly the limit", async () => {
      const fill = (text: string): string => text + " ".repeat(1_000_000 - text.length);
      expect(await postBoth(fill(goodRpc), fill(goodRest))).toEqual(accepted);
    });
  });

  describe("a body that breaks off", () => {
    it.each(["/rpc", sendPath, `${subject.base}/tasks/t1:cancel`])("leaves the agent alone: %s", async (path) => {
      for (const cut of [0, 1, goodRpc.length - 1]) {
        const announced = open(agent, headOf(agent, path, `content-length: ${goodRpc.length}`), goodRpc.slice(0, cut));
        const chunked = open(
          agent,
          headOf(agent, path, "transfer-encoding: chunked"),
          `5\r\n${goodRpc.slice(0, 5)}\r\n`,
        );
        const reset = open(agent, headOf(agent, path, "content-length: 100"), "{");
        await new Promise((resolve) => setTimeout(resolve, 20));
        announced.destroy();
        chunked.destroy();
        reset.resetAndDestroy();
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    });

    it("is answered when only the sending half of the connection ends", async () => {
      const socket = open(agent, headOf(agent, "/rpc", `content-length: ${goodRpc.length}`), goodRpc.slice(0, 20));
      socket.end();
      expect(await readAll(socket)).toMatch(/^$|^HTTP\/1\.1 400 /);
    });

    it("is cut off by the server where it comes too slowly", async () => {
      const patient = await startAgent(subject);
      patient.http.headersTimeout = 100;
      patient.http.requestTimeout = 200;
      const slow = open(patient, headOf(agent, "/rpc", "content-length: 100"), "{");
      const drip = setInterval(() => slow.write(" "), 20);
      const text = await readAll(slow);
      clearInterval(drip);
      expect(text).toMatch(/^HTTP\/1\.1 (?:400|408) /);
    });
  });

  describe("framing that HTTP does not allow", () => {
    it.each([
      ["two lengths", "content-length: 5\r\ncontent-length: 6\r\n\r\n{}"],
      ["a length and chunks", "content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
      ["a negative length", "content-length: -1\r\n\r\n{}"],
      ["a length in hexadecimal", "content-length: 0x10\r\n\r\n{}"],
      ["a broken chunk", "transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"],
      ["a header without a colon", "garbage\r\n\r\n{}"],
      ["a header with a null byte", "a2a-version: 1.0\0\r\n\r\n{}"],
    ])("is refused by the server: %s", async (_, rest) => {
      const text = await readAll(open(agent, `POST /rpc HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${rest}`));
      expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    });
  });
});
