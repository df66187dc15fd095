import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { UnauthenticatedError } from "../../generated/1.0/index.js";
import type { CallContext } from "../../generated/1.0/server/index.js";
import { card, startAgent, statusOf, stopAgents, taskOf } from "./agent.js";
import { eventsOf, message } from "./everywhere.js";
import { get, open, post, readAll, rpc, send } from "./wire.js";

afterEach(stopAgents);

const request = { message };

describe("a stream of events", () => {
  it("has the headers that streams need, and one line of data for each event", async () => {
    const agent = await startAgent();
    const overRest = await post(agent, "/message:stream", request);
    expect(overRest.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "transfer-encoding": "chunked",
    });
    expect(overRest.headers["content-length"]).toBeUndefined();
    expect(overRest.text).toMatch(/^(?:data: [^\r\n]+\n\n){3}$/);
    const overRpc = await post(agent, "/rpc", rpc("SendStreamingMessage", request, "é"));
    expect(overRpc.text).toMatch(/^(?:data: \{"jsonrpc":"2.0","id":"é","result":[^\r\n]+\n\n){3}$/);
    expect(eventsOf(overRpc.text).map(({ result }) => result)).toEqual(eventsOf(overRest.text));
  });

  it("is kept open by comments while it is silent", async () => {
    const quiet = {
      async *sendStreamingMessage() {
        yield { task: taskOf("t1") };
        await delay(120);
        yield statusOf("TASK_STATE_COMPLETED");
      },
    };
    const agent = await startAgent(quiet, { limits: { keepAliveMs: 20 } });
    const { text } = await post(agent, "/message:stream", request);
    expect(text).toMatch(/^data: [^\n]+\n\n(?:: [^\n]*\n\n){2,8}data: [^\n]+\n\n$/);
    const silent = await startAgent(quiet, { limits: { keepAliveMs: 0 } });
    expect((await post(silent, "/message:stream", request)).text).toMatch(/^(?:data: [^\n]+\n\n){2}$/);
  });

  it("begins at once, before its second event", async () => {
    const agent = await startAgent({
      async *sendStreamingMessage(_: unknown, { signal }: CallContext) {
        yield { task: taskOf("t1") };
        await delay(10_000, undefined, { signal });
      },
    });
    const headers = { "content-type": "application/json", "a2a-version": "1.0" };
    const controller = new AbortController();
    const response = await fetch(`http://127.0.0.1:${agent.port}/message:stream`, {
      method: "POST",
      body: JSON.stringify(request),
      headers,
      signal: controller.signal,
    });
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value as Uint8Array)).toContain('"t1"');
    controller.abort();
    await delay(20);
    expect(agent.faults).toEqual([]);
  });

  it("does not use chunks towards a caller of HTTP/1.0", async () => {
    const agent = await startAgent();
    const body = JSON.stringify(request);
    const head = `POST /message:stream HTTP/1.0\r\na2a-version: 1.0\r\ncontent-type: application/json`;
    const text = await readAll(open(agent, `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
    expect(text.toLowerCase()).not.toContain("transfer-encoding");
    expect(text.split("\r\n\r\n")[1]).toMatch(/^(?:data: [^\r\n]+\n\n){3}$/);
  });

  it("that fails before its first event is no stream", async () => {
    const agent = await startAgent();
    const overRest = await post(agent, "/message:stream", {});
    expect([overRest.status, overRest.headers["content-type"]]).toEqual([400, "application/a2a+json"]);
    const overRpc = await post(agent, "/rpc", rpc("SendStreamingMessage", {}));
    expect([overRpc.status, overRpc.headers["content-type"]]).toEqual([200, "application/json"]);
  });

  it("is the same over Web requests", async () => {
    const agent = await startAgent();
    const overNode = await post(agent, "/message:stream", request);
    const headers = { "content-type": "application/json", "a2a-version": "1.0" };
    const init = { method: "POST", body: JSON.stringify(request), headers };
    const overWeb = await agent.fetch(new Request("http://agent/message:stream", init));
    expect(await overWeb.text()).toBe(overNode.text);
    for (const name of ["content-type", "cache-control", "x-accel-buffering"]) {
      expect(overWeb.headers.get(name)).toBe(overNode.headers[name]);
    }
  });
});

describe("the agent card", () => {
  const path = "/.well-known/agent-card.json";

  it("has a tag that revalidates it", async () => {
    const agent = await startAgent();
    const whole = await get(agent, path);
    expect(whole.json).toEqual(card);
    expect(whole.headers).toMatchObject({ "content-type": "application/json", "cache-control": "max-age=300" });
    const etag = whole.headers.etag ?? "";
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, `${etag},"y"`, "*", [etag, '"z"']]) {
      const reply = await get(agent, path, { "if-none-match": condition });
      expect([reply.status, reply.text, reply.headers.etag]).toEqual([304, "", etag]);
      expect(reply.headers["content-length"]).toBeUndefined();
    }
    for (const condition of ["", '""', etag.slice(1, -1), etag.toUpperCase() + "x", '"x"', ",,,", "\x80"]) {
      expect((await get(agent, path, { "if-none-match": condition })).status).toBe(200);
    }
  });

  it("is described by HEAD without being sent", async () => {
    const agent = await startAgent();
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

  it("does not ask for a version, and may ask for credentials", async () => {
    const agent = await startAgent();
    expect((await send(agent, { method: "GET", path })).status).toBe(200);
    expect((await send(agent, { method: "GET", path, headers: { "a2a-version": "9.9" } })).status).toBe(200);
    const closed = await startAgent(
      {},
      { agent: { card: () => Promise.reject(new UnauthenticatedError()), challenge: "Basic" } },
    );
    const reply = await get(closed, path);
    expect([reply.status, reply.headers["www-authenticate"], reply.headers.etag]).toEqual([401, "Basic", undefined]);
    expect(closed.faults).toEqual([]);
  });

  it("changes its tag with its content", async () => {
    let name = "a";
    const agent = await startAgent({}, { agent: { card: () => ({ ...card, name }) } });
    const before = (await get(agent, path)).headers.etag ?? "";
    name = "b";
    const after = await get(agent, path, { "if-none-match": before });
    expect([after.status, after.headers.etag === before]).toEqual([200, false]);
  });

  it("is open to pages of other origins only where the agent says so", async () => {
    const agent = await startAgent();
    expect((await get(agent, path)).headers["access-control-allow-origin"]).toBeUndefined();
    const shared = await startAgent({}, { cardPage: { cors: true } });
    expect((await get(shared, path)).headers["access-control-allow-origin"]).toBe("*");
    expect((await send(shared, { method: "OPTIONS", path })).status).toBe(204);
  });
});

describe("an answer", () => {
  it("names its own length in bytes and is of the media type of its binding", async () => {
    const agent = await startAgent();
    const parts = [{ text: "ä€😀" }];
    for (const [path, body, type] of [
      ["/message:send", { message: { ...message, parts } }, "application/a2a+json"],
      ["/rpc", rpc("SendMessage", { message: { ...message, parts } }), "application/json"],
    ] as const) {
      const { headers, text } = await post(agent, path, body);
      expect(headers["content-type"]).toBe(type);
      expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)));
    }
  });

  it("says nothing of the server", async () => {
    const agent = await startAgent();
    const { headers } = await get(agent, "/tasks/t1");
    expect(Object.keys(headers).sort()).toEqual(["connection", "content-length", "content-type", "date"]);
  });
});
