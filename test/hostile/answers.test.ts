import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { CallContext } from "../../generated/1.0/server/index.js";
import { startAgent, stopAgents } from "./agent.js";
import { eventsOf, expectAlive, isStream } from "./everywhere.js";
import { subjects } from "./subjects.js";
import { get, headOf, open, post, readAll, rest, rpcOf, send, webPost } from "./wire.js";

afterAll(stopAgents);

describe.concurrent.each(subjects)("A2A $version", (subject) => {
  const { samples, answers, base, operations } = subject;
  const { card, message } = samples;
  const request = { message };
  const [restType = ""] = subject.mediaTypes;

  describe("a stream of events", () => {
    it("a stream has the required headers, and one line of data for each event", async () => {
      const agent = await startAgent(subject);
      const overRest = await rest(agent, "SendStreamingMessage", request);
      expect(overRest.headers).toMatchObject({
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "transfer-encoding": "chunked",
      });
      expect(overRest.headers["content-length"]).toBeUndefined();
      expect(overRest.text).toMatch(/^(?:data: [^\r\n]+\n\n){3}$/);
      const overRpc = await post(
        agent,
        "/rpc",
        rpcOf(subject, "SendStreamingMessage", request, "é"),
      );
      expect(overRpc.text).toMatch(
        /^(?:data: \{"jsonrpc":"2.0","id":"é","result":[^\r\n]+\n\n){3}$/,
      );
      expect(eventsOf(overRpc.text).map(({ result }) => result)).toEqual(
        eventsOf(overRest.text).map(operations.SendStreamingMessage.read),
      );
    });

    it("a silent stream is kept open by comments", async () => {
      const quiet = {
        async *sendStreamingMessage() {
          yield answers.task(samples.task("t1"));
          await delay(120);
          yield answers.completed;
        },
      };
      const agent = await startAgent(subject, quiet, { limits: { keepAliveMs: 20 } });
      const { text } = await rest(agent, "SendStreamingMessage", request);
      expect(text).toMatch(/^data: [^\n]+\n\n(?:: [^\n]*\n\n)+data: [^\n]+\n\n$/);
      const silent = await startAgent(subject, quiet, { limits: { keepAliveMs: 0 } });
      expect((await rest(silent, "SendStreamingMessage", request)).text).toMatch(
        /^(?:data: [^\n]+\n\n){2}$/,
      );
    });

    it("a stream starts immediately, before its second event", async () => {
      let isLeft = false;
      const agent = await startAgent(subject, {
        async *sendStreamingMessage(_: unknown, { signal }: CallContext) {
          yield answers.task(samples.task("t1"));
          await delay(10_000, undefined, { signal }).finally(() => (isLeft = true));
        },
      });
      const controller = new AbortController();
      const { signal } = controller;
      const { headers } = webPost(agent, "/", {});
      const init = { method: "POST", body: JSON.stringify(request), headers, signal };
      const response = await fetch(`http://127.0.0.1:${agent.port}${base}/message:stream`, init);
      const first = await response.body?.getReader().read();
      expect(new TextDecoder().decode(first?.value as Uint8Array)).toContain('"t1"');
      controller.abort();
      await vi.waitFor(() => expect(isLeft).toBe(true));
      await expectAlive(agent);
      expect(agent.faults).toEqual([]);
    });

    it("a stream does not use chunked encoding for a caller with HTTP/1.0", async () => {
      const agent = await startAgent(subject);
      const body = JSON.stringify(request);
      const head = headOf(agent, `${base}/message:stream`, `content-length: ${body.length}`);
      const text = await readAll(open(agent, head.replace("HTTP/1.1", "HTTP/1.0") + body));
      expect(text.toLowerCase()).not.toContain("transfer-encoding");
      expect(text.split("\r\n\r\n")[1]).toMatch(/^(?:data: [^\r\n]+\n\n){3}$/);
    });

    it("a stream that fails before its first event is a plain error, except over JSON-RPC if the version requires one event", async () => {
      const agent = await startAgent(subject);
      const overRest = await rest(agent, "SendStreamingMessage", {});
      expect([overRest.status, overRest.headers["content-type"]]).toEqual([400, restType]);
      const overRpc = await post(agent, "/rpc", rpcOf(subject, "SendStreamingMessage", {}));
      expect([overRpc.status, isStream(overRpc)]).toEqual([200, subject.errorEvents]);
      if (subject.errorEvents)
        expect(overRpc.text).toMatch(/^data: \{"jsonrpc":"2.0","id":1,"error":[^\r\n]+\n\n$/);
      else expect(overRpc.headers["content-type"]).toBe("application/json");
    });

    it("a stream is the same over Web requests", async () => {
      const agent = await startAgent(subject);
      const overNode = await rest(agent, "SendStreamingMessage", request);
      const overWeb = await agent.fetch(webPost(agent, `${base}/message:stream`, request));
      expect(await overWeb.text()).toBe(overNode.text);
      for (const name of ["content-type", "cache-control", "x-accel-buffering"]) {
        expect(overWeb.headers.get(name)).toBe(overNode.headers[name]);
      }
    });
  });

  describe("the agent card", () => {
    const path = "/.well-known/agent-card.json";

    it("the card has an ETag for revalidation", async () => {
      const agent = await startAgent(subject);
      const whole = await get(agent, path);
      expect(whole.json).toEqual(card);
      expect(whole.headers).toMatchObject({
        "content-type": "application/json",
        "cache-control": "max-age=300",
      });
      const etag = whole.headers.etag ?? "";
      expect(etag).toMatch(/^"[\w-]+"$/);
      for (const condition of [
        etag,
        `W/${etag}`,
        `"x", ${etag}`,
        `${etag},"y"`,
        "*",
        [etag, '"z"'],
      ]) {
        const reply = await get(agent, path, { "if-none-match": condition });
        expect([reply.status, reply.text, reply.headers.etag]).toEqual([304, "", etag]);
        expect(reply.headers["content-length"]).toBeUndefined();
      }
      for (const condition of [
        "",
        '""',
        etag.slice(1, -1),
        etag.toUpperCase() + "x",
        '"x"',
        ",,,",
        "\x80",
      ]) {
        expect((await get(agent, path, { "if-none-match": condition })).status).toBe(200);
      }
    });

    it("HEAD describes the card without sending it", async () => {
      const agent = await startAgent(subject);
      const whole = await get(agent, path);
      const head = await send(agent, { method: "HEAD", path });
      expect([head.status, head.text]).toEqual([200, ""]);
      for (const name of ["etag", "content-length", "content-type", "cache-control"]) {
        expect(head.headers[name]).toBe(whole.headers[name]);
      }
      const headers = { "if-none-match": whole.headers.etag ?? "" };
      expect((await send(agent, { method: "HEAD", path, headers })).status).toBe(304);
      const overWeb = await agent.fetch(new Request(`http://agent${path}`, { method: "HEAD" }));
      expect([overWeb.status, await overWeb.text()]).toEqual([200, ""]);
    });

    it("the card requires no version, and may require credentials", async () => {
      const agent = await startAgent(subject);
      expect((await send(agent, { method: "GET", path })).status).toBe(200);
      expect(
        (await send(agent, { method: "GET", path, headers: { "a2a-version": "9.9" } })).status,
      ).toBe(200);
      const closed = await startAgent(
        subject,
        {},
        {
          agent: {
            card: () => Promise.reject(new subject.classes.UnauthenticatedError()),
            challenge: "Basic",
          },
        },
      );
      const reply = await get(closed, path);
      expect([reply.status, reply.headers["www-authenticate"], reply.headers.etag]).toEqual([
        401,
        "Basic",
        undefined,
      ]);
      expect(closed.faults).toEqual([]);
    });

    it("the ETag of the card changes with its content", async () => {
      let name = "a";
      const agent = await startAgent(subject, {}, { agent: { card: () => ({ ...card, name }) } });
      const before = (await get(agent, path)).headers.etag ?? "";
      name = "b";
      const after = await get(agent, path, { "if-none-match": before });
      expect([after.status, after.headers.etag === before]).toEqual([200, false]);
    });

    it("pages of other origins may read the card only if the agent allows it", async () => {
      const agent = await startAgent(subject);
      expect((await get(agent, path)).headers["access-control-allow-origin"]).toBeUndefined();
      const shared = await startAgent(subject, {}, { cors: true });
      expect((await get(shared, path)).headers["access-control-allow-origin"]).toBe("*");
      const headers = { origin: "https://app.example", "access-control-request-method": "GET" };
      expect((await send(shared, { method: "OPTIONS", path, headers })).status).toBe(204);
    });
  });

  describe("a response", () => {
    it("a response names its length in bytes and has the media type of its transport", async () => {
      const agent = await startAgent(subject);
      const long = { message: { ...message, parts: [samples.textPart("ä€😀")] } };
      for (const [reply, type] of [
        [await rest(agent, "SendMessage", long), restType],
        [await post(agent, "/rpc", rpcOf(subject, "SendMessage", long)), "application/json"],
      ] as const) {
        expect(reply.headers["content-type"]).toBe(type);
        expect(reply.headers["content-length"]).toBe(String(Buffer.byteLength(reply.text)));
      }
    });

    it("a response reveals nothing about the server", async () => {
      const agent = await startAgent(subject);
      const { headers } = await get(agent, `${base}/tasks/t1`);
      expect(Object.keys(headers).sort()).toEqual([
        "cache-control",
        "connection",
        "content-length",
        "content-type",
        "date",
      ]);
    });
  });
});
