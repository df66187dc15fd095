import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { aCard } from "../../../support/cards.js";
import { all, failureOf } from "../../../support/everywhere.js";
import { events, gatewayTo, gatewayToService, message, output, result, task } from "./upstream.js";

describe("calls through a gateway", () => {
  it("the caller's credentials are passed on, and no other headers", async () => {
    const seen: (Record<string, string> | undefined)[] = [];
    const { connected } = await gatewayTo((request) => {
      seen.push(Object.fromEntries(request.headers));
      return Response.json({ jsonrpc: "2.0", id: 1, result: task });
    });
    const client = await connected({
      authorization: "Bearer caller",
      cookie: "a=b",
      "x-forwarded-for": "1.2.3.4",
    });
    await client.getTask({ id: "t" });
    expect(seen[0]).toMatchObject({ authorization: "Bearer caller", "a2a-version": "1.0" });
    expect(Object.keys(seen[0] ?? {})).not.toContain("cookie");
    expect(Object.keys(seen[0] ?? {})).not.toContain("x-forwarded-for");
  });

  it("API keys in headers that the card declares are passed on", async () => {
    const card = aCard("http://agent.test", {
      securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } } },
      securityRequirements: [{ schemes: { key: { list: [] } } }],
    });
    const seen: (string | null)[] = [];
    const { connected, errors } = await gatewayTo(
      (request) => {
        seen.push(request.headers.get("x-key"));
        return Response.json({ jsonrpc: "2.0", id: 1, result: task });
      },
      {},
      card,
    );
    await (await connected({ "x-key": "abc" })).getTask({ id: "t" });
    expect(seen).toEqual(["abc"]);
    // The upstream decides which callers it admits, so the missing check is not a mistake.
    expect(errors).toEqual([]);
  });

  it("the option `headers` replaces the caller's headers, but not headers of the connection", async () => {
    const seen: Record<string, string>[] = [];
    const { connected } = await gatewayTo(
      (request) => {
        seen.push(Object.fromEntries(request.headers));
        return Response.json({ jsonrpc: "2.0", id: 1, result: task });
      },
      {
        headers: ({ headers }) => ({
          Authorization: "Bearer gateway",
          "x-caller": headers.get("authorization") ?? "",
          Host: "evil.test",
          "Content-Length": "3",
          "Transfer-Encoding": "chunked",
          "A2A-Version": "9.9",
        }),
      },
    );
    const client = await connected({ authorization: "Bearer caller" });
    expect(await client.getTask({ id: "t" })).toEqual(task);
    expect(seen[0]).toMatchObject({
      authorization: "Bearer gateway",
      "x-caller": "Bearer caller",
      "a2a-version": "1.0",
    });
    expect(JSON.stringify(seen)).not.toMatch(/evil|chunked|9\.9/);
  });

  it("a gateway with its own credentials warns if it admits every caller", async () => {
    const card = aCard("http://agent.test", {
      securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
      securityRequirements: [{ schemes: { token: { list: [] } } }],
    });
    const headers = () => ({ authorization: "Bearer gateway" });
    const open = await gatewayToService({}, { headers }, card);
    expect(open.errors.map(String)).toEqual([
      expect.stringContaining("every caller is admitted: set the option authenticate") as string,
    ]);
    const authenticate = () => undefined;
    const closed = await gatewayToService({}, { headers, agent: { authenticate } }, card);
    expect(closed.errors).toEqual([]);
    expect(await failureOf(closed.client.getTask({ id: "t" }))).toMatchObject({
      name: "UnauthenticatedError",
    });
    const passing = await gatewayToService({}, { agent: { authenticate } }, card);
    expect(await failureOf(passing.client.getTask({ id: "t" }))).toMatchObject({
      name: "UnauthenticatedError",
    });
  });

  it.each(["JSONRPC", "HTTP+JSON"])(
    "callers get the upstream's 401 and its challenge over %s",
    async (protocolBinding) => {
      const { own } = output;
      const challenge = 'Bearer scope="read", resource_metadata="https://id.test"';
      class Refused extends own.UnauthenticatedError {
        override readonly challenge = challenge;
      }
      const refusing = {
        getTask: () => {
          throw new Refused("Who are you?");
        },
        sendStreamingMessage: () => {
          throw new Refused("Who are you?");
        },
      };
      const interfaces = [{ url: "http://agent.test", protocolBinding, protocolVersion: "1.0" }];
      const { fetch, client } = await gatewayToService(refusing, {}, aCard(interfaces));
      expect(await failureOf(client.getTask({ id: "t" }))).toMatchObject({
        name: "UnauthenticatedError",
        message: "Who are you?",
      });
      const headers = { "a2a-version": "1.0", "content-type": "application/json" };
      const body = JSON.stringify({ message });
      for (const request of [
        new Request("http://gateway.test/tasks/t", { headers }),
        new Request("http://gateway.test/message:stream", { headers, body, method: "POST" }),
      ]) {
        const response = await fetch(request);
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toBe(challenge);
      }
      const hidden = await gatewayToService(
        refusing,
        { headers: () => ({ authorization: "Bearer gateway" }) },
        aCard(interfaces),
      );
      const response = await hidden.fetch(new Request("http://gateway.test/tasks/t", { headers }));
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
    },
  );

  it("extensions are requested, and the active extensions of the upstream are reported", async () => {
    const uri = "https://extensions.test/time";
    const other = "https://extensions.test/other";
    const requested: (readonly string[])[] = [];
    const { client } = await gatewayToService({
      sendMessage(_, context) {
        requested.push(context.extensions);
        context.activateExtension(uri);
        context.activateExtension("https://extensions.test/unasked");
        return { task };
      },
      async *sendStreamingMessage(_, context) {
        context.activateExtension(uri);
        await after(0);
        yield { task };
      },
    });
    const active: (readonly string[])[] = [];
    const options = {
      extensions: [uri, other],
      onExtensions: (uris: readonly string[]) => active.push(uris),
    };
    await client.sendMessage({ message }, options);
    await all(client.sendStreamingMessage({ message }, options));
    expect(requested).toEqual([[uri, other]]);
    expect(active).toEqual([[uri], [uri]]);
  });

  it("a call of the upstream is aborted when the caller leaves", async () => {
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const { client } = await gatewayTo(
      (request) =>
        new Promise<Response>((_, reject) => {
          request.signal.addEventListener("abort", () => {
            leave();
            reject(new DOMException("left", "AbortError"));
          });
          controller.abort();
        }),
    );
    const controller = new AbortController();
    await failureOf(client.sendMessage({ message }, { signal: controller.signal }));
    await left;
  });
});

describe("a gateway in front of an agent that deviates", () => {
  it("unknown values reach the caller, and unknown members are removed", async () => {
    const later = { ...task, status: { state: "TASK_STATE_PAUSED" } };
    const more = { ...later, vendor: { a: [1] } };
    const whole = await gatewayTo(() => Response.json({ jsonrpc: "2.0", id: 1, result: more }));
    const stream = await gatewayTo(() => events(result({ task: more })));
    const headers = { "a2a-version": "1.0", "content-type": "application/json" };
    const got = await whole.fetch(new Request("http://gateway.test/tasks/t", { headers }));
    expect(await got.json()).toEqual(later);
    const body = JSON.stringify({ message });
    const streamed = await stream.fetch(
      new Request("http://gateway.test/message:stream", { method: "POST", headers, body }),
    );
    expect(await streamed.text()).toContain(JSON.stringify(later));
  });

  it("a card with incomplete skills is completed", async () => {
    const skills = [{ id: "s", name: "S", description: "Does." }];
    const card = { ...aCard("http://agent.test"), skills };
    const fetch = () => Promise.resolve(Response.json(card));
    const gateway = await output.own.gateway({
      upstream: "http://agent.test",
      url: "http://gateway.test",
      connect: { fetch },
    });
    const completed = skills.map((skill) => ({ ...skill, tags: [] }));
    expect(gateway.card.skills).toEqual(completed);
    const response = await gateway.fetch(
      new Request("http://gateway.test/.well-known/agent-card.json"),
    );
    expect(await response.json()).toMatchObject({ skills: completed });
    gateway.close();
  });
});
