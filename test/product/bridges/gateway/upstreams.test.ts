import { setTimeout as after } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { A2AService, AgentCard, AgentOptions } from "../../../../generated/1.0/index.js";
import { adaptedOutput, type AdaptedOutput } from "../../../support/adapted.js";
import { aCard } from "../../../support/cards.js";
import { all, drain, failureOf } from "../../../support/everywhere.js";
import { serve } from "../../../support/http.js";
import { say } from "./conversation.js";

const message = say("hello");
const status = { state: "TASK_STATE_WORKING" } as const;
const task = { id: "t", contextId: "c", status };
type Options = Parameters<AdaptedOutput["own"]["gateway"]>[0];

let output: AdaptedOutput;
beforeAll(async () => {
  output = await adaptedOutput();
});

/** Returns a gateway in front of a function that takes requests, and a client for the gateway. */
async function gatewayTo(
  upstream: (request: Request) => Response | Promise<Response>,
  more: Partial<Options> = {},
  card: AgentCard = aCard("http://agent.test"),
) {
  const errors: unknown[] = [];
  const gateway = await output.own.gateway({
    upstream: card,
    url: "http://gateway.test",
    ...more,
    connect: {
      fetch: async (url, init) => upstream(new Request(url, init)),
      ...more.connect,
    },
    agent: { onError: (error) => errors.push(error), ...more.agent },
  });
  onTestFinished(() => {
    gateway.close();
  });
  const connected = (headers: Record<string, string> = {}) =>
    output.own.connect(gateway.card, {
      headers,
      fetch: (url, init) => gateway.fetch(new Request(url, init)),
    });
  return { ...gateway, errors, connected, client: await connected() };
}

/** Returns a gateway in front of a service of this version. */
function gatewayToService(service: A2AService, more?: Partial<Options>, card?: AgentCard) {
  const found = card ?? aCard("http://agent.test");
  const options: AgentOptions = { card: found, service, onError: () => undefined };
  const agent = output.own.createAgent(options);
  return gatewayTo(output.own.fetchHandler(agent), more, found);
}

const events = (...values: readonly string[]) =>
  new Response(values.map((value) => `data: ${value}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
const result = (value: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, result: value });

describe("an upstream that fails", () => {
  const internals = /agent\.test|10\.0\.0\.7|ECONN|secret|fetch/i;

  it("callers of an unreachable upstream get an internal error without details", async () => {
    const { client, errors, fetch } = await gatewayTo(() => {
      throw Object.assign(new TypeError("fetch failed"), {
        cause: new Error("connect ECONNREFUSED 10.0.0.7:443"),
      });
    });
    const failure = await failureOf(client.getTask({ id: "t" }));
    expect(failure).toMatchObject({ name: "InternalError" });
    expect(String(failure)).not.toMatch(internals);
    const response = await fetch(
      new Request("http://gateway.test/tasks/t", { headers: { "a2a-version": "1.0" } }),
    );
    expect(response.status).toBe(502);
    expect(await response.text()).not.toMatch(internals);
    // Only the operator sees the cause.
    expect(errors).toContainEqual(expect.objectContaining({ name: "TransportError" }));
    expect((await drain(client.sendStreamingMessage({ message }))).failure).toMatchObject({
      name: "InternalError",
    });
  });

  it.each([
    ["responds with HTML", () => new Response("<html>10.0.0.7 secret</html>", { status: 500 })],
    ["responds with half of its JSON", () => new Response('{"jsonrpc":"2.0","result":{"sec')],
    ["responds with another type", () => new Response(result({ secret: 1 }))],
    ["redirects", () => new Response(null, { status: 302, headers: { location: "http://x" } })],
  ])("callers see nothing of the response of an upstream that %s", async (_, respond) => {
    const { client } = await gatewayTo(() => {
      const response = respond();
      if (response.status === 200) response.headers.set("content-type", "application/json");
      return response;
    });
    const failure = await failureOf(client.getTask({ id: "t" }));
    expect(failure).toMatchObject({
      name: expect.stringMatching(/^(?:InternalError|InvalidAgentResponseError)$/) as string,
    });
    expect(`${String(failure)}${JSON.stringify(failure)}`).not.toMatch(internals);
  });

  it("a stream that breaks off ends the stream of the caller with an error", async () => {
    const { client } = await gatewayTo(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            start(controller) {
              controller.enqueue(new TextEncoder().encode(`data: ${result({ task })}\n\n`));
            },
            pull(controller) {
              controller.error(new Error("read ECONNRESET 10.0.0.7"));
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
    const { elements, failure } = await drain(client.sendStreamingMessage({ message }));
    expect(elements).toEqual([{ task }]);
    expect(failure).toMatchObject({ name: "InternalError" });
    expect(String(failure)).not.toMatch(internals);
  });

  it("an invalid event ends the stream of the caller with an error", async () => {
    const { client, errors } = await gatewayTo(() =>
      events(result({ task }), result({ statusUpdate: { secret: 1 } })),
    );
    const { elements, failure } = await drain(client.sendStreamingMessage({ message }));
    expect(elements).toEqual([{ task }]);
    expect(failure).toMatchObject({ name: "InvalidAgentResponseError" });
    expect(String(failure)).not.toMatch(/secret|statusUpdate/);
    expect(errors).toHaveLength(1);
  });

  it("responses and the first event of a stream have a time-out", async () => {
    const { client, fetch } = await gatewayTo(() => new Promise(() => undefined), {
      timeoutMs: 20,
    });
    const expected = {
      name: "InternalError",
      message: "The agent behind this gateway did not respond in time",
    };
    expect(await failureOf(client.getTask({ id: "t" }))).toMatchObject(expected);
    expect((await drain(client.sendStreamingMessage({ message }))).failure).toMatchObject(expected);
    const response = await fetch(
      new Request("http://gateway.test/tasks/t", { headers: { "a2a-version": "1.0" } }),
    );
    expect(response.status).toBe(504);
  });

  it("responses and events have the limits of the client", async () => {
    const large = { ...task, metadata: { text: "x".repeat(5_000) } };
    const { client } = await gatewayTo(
      (request) =>
        request.headers.get("accept")?.includes("event-stream") === true
          ? events(result({ task: large }))
          : Response.json({ jsonrpc: "2.0", id: 1, result: large }),
      { connect: { maxResponseBytes: 1_000, maxEventBytes: 1_000 } },
    );
    expect(await failureOf(client.getTask({ id: "t" }))).toMatchObject({ name: "InternalError" });
    expect((await drain(client.sendStreamingMessage({ message }))).failure).toMatchObject({
      name: "InternalError",
    });
  });

  it("an endless stream is read as fast as the caller reads, and ends when the caller leaves", async () => {
    let sent = 0;
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const { client } = await gatewayTo(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            async pull(controller) {
              await after(0);
              sent += 1;
              const update = { taskId: "t", contextId: "c", status };
              const event = sent === 1 ? { task } : { statusUpdate: update };
              controller.enqueue(new TextEncoder().encode(`data: ${result(event)}\n\n`));
            },
            cancel() {
              leave();
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
    for await (const event of client.sendStreamingMessage({ message }))
      if (event.statusUpdate !== undefined) break;
    await left;
    // The platform reads ahead a little.
    expect(sent).toBeLessThan(50);
  });

  it("a caller can leave the stream of an upstream that is silent", async () => {
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const { client } = await gatewayToService({
      async *sendStreamingMessage(_, { signal }) {
        signal.addEventListener("abort", leave);
        yield { task };
        await new Promise(() => undefined);
      },
    });
    for await (const event of client.sendStreamingMessage({ message })) {
      expect(event).toEqual({ task });
      break;
    }
    await left;
  });

  it("an unreachable upstream is a clear error at the start", async () => {
    const { url } = await serve((_, response) => response.writeHead(404).end());
    const options = { upstream: `${url}/none`, url: "http://gateway.test" };
    expect(await failureOf(output.own.gateway(options))).toMatchObject({
      name: "TransportError",
      message: expect.stringContaining(url) as string,
    });
  });

  it("a card without usable interfaces is refused at the start", async () => {
    const interfaces = [{ url: "x:1", protocolBinding: "PIGEON", protocolVersion: "1.0" }];
    const options = { upstream: aCard(interfaces), url: "http://gateway.test" };
    expect(await failureOf(output.own.gateway(options))).toMatchObject({ name: "TransportError" });
  });
});

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

describe("the upstream of a gateway", () => {
  it("a client may be the upstream", async () => {
    const { own } = output;
    const card = aCard("http://agent.test");
    const agent = own.fetchHandler(own.createAgent({ card, service: { getTask: () => task } }));
    const fetch = (url: string, init: RequestInit) => agent(new Request(url, init));
    const { client } = await gatewayTo(() => Response.error(), {
      upstream: await own.connect(card, { fetch }),
    });
    expect(await client.getTask({ id: "t" })).toEqual(task);
  });

  it("a client without a card is refused", async () => {
    const { own } = output;
    const upstream = new own.A2AClient({ transport: own.jsonRpcTransport("http://agent.test") });
    expect(await failureOf(own.gateway({ upstream, url: "http://gateway.test" }))).toMatchObject({
      name: "TypeError",
      message: "upstream must have a card: pass a client that `connect` has created",
    });
  });
});

describe("the card of a gateway", () => {
  const signed = {
    signatures: [{ protected: "e30", signature: "abc" }],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
  };

  it("the card has the gateway's interfaces, and no signatures and webhooks", async () => {
    const { card, report } = await gatewayToService({}, {}, aCard("http://agent.test", signed));
    expect(
      card.supportedInterfaces.map(({ url, protocolBinding }) => [url, protocolBinding]),
    ).toEqual([
      ["http://gateway.test", "JSONRPC"],
      ["http://gateway.test", "HTTP+JSON"],
    ]);
    expect(card).not.toHaveProperty("signatures");
    expect(card.capabilities).toEqual({ ...signed.capabilities, pushNotifications: false });
    expect(report).toEqual([
      "Webhooks are not passed on, although the upstream supports them: set `push.secret`.",
      "The signatures of the card are removed, because they cover the addresses: sign the card " +
        "again in `card`.",
    ]);
  });

  it("the extended card is changed in the same way", async () => {
    const card = aCard("http://agent.test", signed);
    const { client } = await gatewayToService(
      { getExtendedAgentCard: () => ({ ...card, description: "More" }) },
      { card: (each) => ({ ...each, name: "Gateway" }) },
      card,
    );
    const extended = await client.getExtendedAgentCard();
    expect(extended).toMatchObject({ name: "Gateway", description: "More" });
    expect(JSON.stringify(extended)).not.toContain("agent.test");
  });

  it("the option `card` may sign the card again", async () => {
    const { signCard } = output.own;
    const { privateKey } = await crypto.subtle.generateKey(
      { name: "ECDSA", namedCurve: "P-256" },
      true,
      ["sign", "verify"],
    );
    const { card, report } = await gatewayToService(
      {},
      { card: (each) => signCard(each, { key: privateKey, alg: "ES256", kid: "k" }) },
      aCard("http://agent.test", { signatures: signed.signatures }),
    );
    expect(card.signatures).toHaveLength(1);
    expect(card.signatures).not.toEqual(signed.signatures);
    expect(report).toEqual([]);
  });

  it("the report names what the version, the bindings and the credentials lose", async () => {
    const { own, adapters } = output;
    const upstream = Object.values(adapters).map(({ spoken }) => spoken);
    const interfaces = [
      { url: "http://agent.test", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      { url: "agent.test:443", protocolBinding: "GRPC", protocolVersion: "0.3" },
    ];
    const securitySchemes = {
      tls: { mtlsSecurityScheme: {} },
      key: { apiKeySecurityScheme: { location: "query", name: "key" } },
    };
    const gateway = await own.gateway({
      upstream: aCard(interfaces, { securitySchemes }),
      url: "http://gateway.test",
      versions: { upstream },
    });
    expect(gateway.report).toEqual([
      "Version 0.3 of the upstream does not have ListTasks: callers receive the error for an " +
        "unsupported operation.",
      "Callers cannot use GRPC, which the upstream serves: serve `agent` over it.",
      "The client certificates of callers (tls) end at the gateway.",
      "API keys in the query (key) are not passed on: send them in `headers`.",
    ]);
    gateway.close();
  });

  it("the card and the calls are below the path of the URL", async () => {
    const { fetch, close } = await gatewayToService(
      { getTask: () => task },
      { url: "http://gateway.test/agents/one/" },
    );
    const card = await output.own.fetchCard("http://gateway.test/agents/one/", {
      fetch: (url, init) => fetch(new Request(url, init)),
    });
    expect(card.supportedInterfaces[0]?.url).toBe("http://gateway.test/agents/one/");
    const client = await output.own.connect(card, {
      fetch: (url, init) => fetch(new Request(url, init)),
    });
    expect(await client.getTask({ id: "t" })).toEqual(task);
    expect((await fetch(new Request("http://gateway.test/tasks/t"))).status).toBe(404);
    close();
  });
});

it("a gateway whose path a proxy removes has the path in its card only", async () => {
  const { card, fetch } = await gatewayToService(
    { getTask: () => task },
    { url: "http://gateway.test/one", path: "/" },
  );
  expect(card.supportedInterfaces[0]?.url).toBe("http://gateway.test/one");
  const headers = { "a2a-version": "1.0" };
  const response = await fetch(new Request("http://gateway.test/tasks/t", { headers }));
  expect(await response.json()).toEqual(task);
});

it.each(["ftp://gateway.test", "gateway.test", "http://gateway.test/?a=b"])(
  "the URL %s of a gateway is refused",
  async (url) => {
    const options = { upstream: aCard("http://agent.test"), url };
    expect(await failureOf(output.own.gateway(options))).toMatchObject({
      name: "TypeError",
      message: expect.stringContaining("url must be an HTTP URL without a query") as string,
    });
  },
);
