import { onTestFinished, describe, expect, it } from "vitest";
import { startEchoAgent } from "../../../../examples/echo-agent/server.js";
import { startEchoAgent as startEchoAgent0_3 } from "../../../../examples/echo-agent-0.3/server.js";
import { signCard } from "../../../../generated/1.0/kit/index.js";
import {
  cardUrls,
  openClient,
  probeInterfaces,
  readCard,
  recorded,
  signatureStatus,
  toCurl,
  toJson,
} from "../../../../tools/agents/index.js";
import { startScripted } from "../../../support/scripted.js";
import { listen } from "../../../support/http.js";
import { jsonOf, keyPair } from "../../../support/keys.js";

async function echoAgent() {
  const agent = await startEchoAgent({ onError: () => undefined });
  onTestFinished(() => agent.close());
  return agent;
}

describe("readCard", () => {
  it("readCard returns the card of an agent of 1.0 without findings, and its three interfaces", async () => {
    const { url } = await echoAgent();
    const report = await readCard(url);
    expect(report).toMatchObject({ url: `${url}.well-known/agent-card.json`, version: "1.0" });
    expect(report.findings.filter(({ severity }) => severity !== "note")).toEqual([]);
    expect(report.interfaces.map(({ binding, isSupported }) => [binding, isSupported])).toEqual([
      ["JSONRPC", true],
      ["HTTP+JSON", true],
      ["GRPC", false],
    ]);
  });

  it("readCard converts the card of an agent of 0.3 to the models of 1.0", async () => {
    const agent = await startEchoAgent0_3({ onError: () => undefined });
    onTestFinished(() => agent.close());
    const { version, card, findings } = await readCard(agent.url);
    expect(version).toBe("0.3");
    expect(card?.supportedInterfaces[0]).toMatchObject({
      url: agent.url,
      protocolVersion: "0.3.0",
    });
    expect(findings.filter(({ severity }) => severity !== "note")).toEqual([]);
  });

  it("readCard finds the card of an agent of 0.2 at its well-known path, and calls the agent", async () => {
    const agent = await startScripted("0.2.6");
    onTestFinished(() => agent.close());
    const report = await readCard(agent.url);
    expect(report).toMatchObject({ url: `${agent.url}.well-known/agent.json`, version: "0.2" });
    const [target] = report.interfaces.filter(({ isSupported }) => isSupported);
    if (target === undefined) throw new Error("No interface is supported");
    agent.response = { kind: "task", id: "t-1", contextId: "c-1", status: { state: "working" } };
    const client = openClient(target);
    expect(await client.getTask({ id: "t-1" })).toMatchObject({
      id: "t-1",
      status: { state: "TASK_STATE_WORKING" },
    });
    client.close();
  });

  it("readCard returns an invalid card with its issues", async () => {
    const url = await listen((_request, response) => response.end('{"name": 7, "url": "agent"}'));
    const { card, findings } = await readCard(url);
    expect(card).toBeUndefined();
    expect(findings.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/name", "/url", "/skills"]),
    );
  });

  it("readCard does not send headers to the target of a redirect at another origin", async () => {
    const seen: unknown[] = [];
    const other = await listen((request, response) => {
      seen.push(request.headers["authorization"]);
      response.end("{}");
    });
    const url = await listen((_request, response) =>
      response.writeHead(302, { location: `${other}/card.json` }).end(),
    );
    const { url: found } = await readCard(url, { headers: { authorization: "Bearer secret" } });
    expect([found, seen]).toEqual([`${other}/card.json`, [undefined]]);
  });

  it("readCard stops at a card that is larger than the limit", async () => {
    const url = await listen((_request, response) => {
      const write = () => {
        while (response.write(" ".repeat(65_536)));
        response.once("drain", write);
      };
      write();
    });
    await expect(readCard(url, { maxBytes: 2 ** 20 })).rejects.toThrow(
      "more bytes than maxResponseBytes",
    );
  });

  it.each([
    [
      "agent.example",
      [
        "https://agent.example/.well-known/agent-card.json",
        "https://agent.example/.well-known/agent.json",
      ],
    ],
    [
      "localhost:4000",
      [
        "http://localhost:4000/.well-known/agent-card.json",
        "http://localhost:4000/.well-known/agent.json",
      ],
    ],
    ["https://agent.example/a/card.json#x", ["https://agent.example/a/card.json"]],
    [
      "http://[::1]:1/a/",
      [
        "http://[::1]:1/a/.well-known/agent-card.json",
        "http://[::1]:1/a/.well-known/agent.json",
        "http://[::1]:1/a/",
      ],
    ],
    ["file:///etc/passwd", []],
    ["", []],
  ])(
    "`readCard` looks for the card of %j at its well-known paths, unless it is the URL of a card",
    (target, urls) => {
      expect(cardUrls(target)).toEqual(urls);
    },
  );
});

describe("probeInterfaces", () => {
  it("probeInterfaces returns for each interface whether it responds, in the order of the card", async () => {
    const { url } = await echoAgent();
    const closed = "http://127.0.0.1:9";
    const listed = [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: closed, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      { url, protocolBinding: "SOAP", protocolVersion: "1.0" },
    ];
    const card = await listen((_request, response) =>
      response.end(JSON.stringify({ supportedInterfaces: listed })),
    );
    const results = await probeInterfaces(await readCard(card));
    expect(
      results.map(({ state }) => state),
      JSON.stringify(results),
    ).toEqual(["responds", "fails", "refuses", "unsupported"]);
    expect(results.every(({ ms }) => ms >= 0)).toBe(true);
  });

  it("probeInterfaces reports an interface as responding if it requires credentials", async () => {
    const body = { jsonrpc: "2.0", id: null, error: { code: -32000, message: "Sign in" } };
    const url = await listen(({ url: path }, response) => {
      const listed = [
        {
          url: `http://127.0.0.1:${String(response.socket?.localPort)}/rpc`,
          protocolBinding: "JSONRPC",
          protocolVersion: "1.0",
        },
      ];
      if (path === "/rpc")
        response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify(body));
      else response.end(JSON.stringify({ supportedInterfaces: listed }));
    });
    const [result] = await probeInterfaces(await readCard(url));
    expect(result).toMatchObject({ state: "responds", detail: "requires credentials" });
  });
});

describe("signatureStatus", () => {
  it("signatureStatus distinguishes absent, unverified, verified and invalid signatures", async () => {
    const { card } = await echoAgent();
    const { privateKey, publicKey } = await keyPair();
    const signed = await signCard(card, { key: privateKey, kid: "key-1" });
    const keys = [await jsonOf(publicKey, "key-1")];
    const states = [
      await signatureStatus(card),
      await signatureStatus(signed),
      await signatureStatus(signed, { keys }),
      await signatureStatus({ ...signed, name: "Another agent" }, { keys }),
    ];
    expect(states.map(({ state }) => state)).toEqual([
      "absent",
      "unverified",
      "verified",
      "invalid",
    ]);
    expect(states[1]?.signers).toMatchObject([{ alg: "ES256", kid: "key-1" }]);
  });
});

/** Records a stream with this text, and returns the exchange. */
async function streamed(text: string, options?: Parameters<typeof recorded>[1]) {
  const url = await listen((_request, response) =>
    response.setHeader("content-type", "text/event-stream").end(text),
  );
  const recorder = recorded(undefined, options);
  const response = await recorder.fetch(url, {});
  await response.text();
  return { response: recorder.exchanges[0]?.response };
}

describe("recorded", () => {
  const message = {
    messageId: "m-1",
    role: "ROLE_USER" as const,
    parts: [{ text: "Hello there" }],
  };

  async function echoed() {
    const { url } = await echoAgent();
    const recorder = recorded();
    const { interfaces } = await readCard(url);
    const [target] = interfaces;
    if (target === undefined) throw new Error("The card lists no interface");
    const headers = { authorization: "Bearer secret", "x-api-key": "secret" };
    const client = openClient(target, { fetch: recorder.fetch, headers });
    onTestFinished(() => client.close());
    const last = () => {
      const exchange = recorder.exchanges.at(-1);
      if (exchange === undefined) throw new Error("Nothing was recorded");
      return exchange;
    };
    return { client, recorder, last };
  }

  it("recorded records request, response and duration of a call", async () => {
    const { client, last } = await echoed();
    await client.sendMessage({ message });
    const { request, response, durationMs, error } = last();
    expect(request).toMatchObject({
      method: "POST",
      body: expect.stringContaining("Hello there") as string,
    });
    expect(response).toMatchObject({ status: 200, events: undefined, isTruncated: false });
    expect(JSON.parse(response?.body ?? "")).toMatchObject({ result: { task: {} } });
    expect(error).toBeUndefined();
    expect(durationMs).toBeGreaterThan(0);
  });

  it("recorded records each event of a stream with its time", async () => {
    const { client, last } = await echoed();
    let count = 0;
    for await (const event of client.sendStreamingMessage({ message }))
      count += Object.keys(event).length;
    const { response } = last();
    expect(response?.events).toHaveLength(count);
    expect(response?.events?.every(({ data }) => JSON.parse(data) !== undefined)).toBe(true);
    const times = response?.events?.map(({ atMs }) => atMs) ?? [];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it("recorded replaces credentials in curl lines and JSON, unless they are requested", async () => {
    const { client, last } = await echoed();
    await client.sendMessage({ message });
    expect(toCurl(last())).not.toContain("secret");
    expect(JSON.stringify(toJson(last()))).not.toContain("secret");
    expect(toCurl(last())).toContain("-H 'authorization: Bearer <authorization>'");
    expect(toCurl(last(), { credentials: true })).toContain("-H 'authorization: Bearer secret'");
  });

  it("recorded keeps at most the configured length of a body and number of exchanges", async () => {
    const url = await listen((_request, response) => response.end("x".repeat(100_000)));
    const recorder = recorded(undefined, { maxLength: 1_000, maxExchanges: 2 });
    for (let call = 0; call < 3; call += 1) {
      const response = await recorder.fetch(url, {});
      expect(await response.text()).toHaveLength(100_000);
    }
    expect(recorder.exchanges.map(({ id }) => id)).toEqual([2, 3]);
    expect(recorder.exchanges[0]?.response).toMatchObject({ bytes: 100_000, isTruncated: true });
    expect(recorder.exchanges[0]?.response?.body).toHaveLength(1_000);
  });

  it("recorded deletes the oldest exchanges if the responses together are long", async () => {
    const url = await listen((_request, response) => response.end("x".repeat(1_000)));
    const recorder = recorded(undefined, { maxLength: 100 });
    for (let call = 0; call < 20; call += 1) await (await recorder.fetch(url, {})).text();
    expect(recorder.exchanges[0]?.id).toBe(4);
  });

  it("recorded keeps a stream of 5,000 small events whole", async () => {
    const events = Array.from({ length: 5_000 }, () => `data: ${"x".repeat(400)}\n\n`);
    const { response } = await streamed(events.join(""));
    expect(response?.events).toHaveLength(5_000);
    expect(response).toMatchObject({ isTruncated: false, omitted: { earlier: 0, tooLong: 0 } });
  });

  it("recorded counts the events that it does not keep, and keeps the latest", async () => {
    const events = Array.from({ length: 10_003 }, (_, index) => `data: ${index}\n\n`);
    const { response } = await streamed(events.join(""));
    expect(response?.events?.[0]).toMatchObject({ data: "3" });
    expect(response).toMatchObject({ isTruncated: true, omitted: { earlier: 3, tooLong: 0 } });
  });

  it("recorded counts an event above the limit once, and keeps the next event", async () => {
    const long = `data: ${"x".repeat(300_000)}\ndata: ${"y".repeat(300_000)}`;
    const body = `data: 1\n\n${long}\n\ndata: 3\n\n`;
    const { response } = await streamed(body, { maxLength: 1_000 });
    expect(response?.events?.map(({ data }) => data)).toEqual(["1", "3"]);
    expect(response?.omitted).toEqual({ earlier: 0, tooLong: 1 });
  });

  it("recorded keeps the reason if the response is missing", async () => {
    const recorder = recorded();
    await expect(recorder.fetch("http://127.0.0.1:9", {})).rejects.toThrow("fetch failed");
    expect(recorder.exchanges[0]).toMatchObject({
      response: undefined,
      error: expect.any(String) as string,
      isAborted: false,
    });
  });

  it("recorded tells that the caller has ended a call", async () => {
    const controller = new AbortController();
    const url = await listen(() => controller.abort());
    const recorder = recorded();
    await expect(recorder.fetch(url, { signal: controller.signal })).rejects.toThrow("abort");
    expect(recorder.exchanges[0]).toMatchObject({ isAborted: true });
  });

  it("recorded quotes a curl line for the shell, so that a response cannot inject commands", () => {
    const request = {
      method: "POST",
      url: "http://a.example/$(id)",
      headers: { "x-note": "it's `id`" },
      body: "'; id #",
    };
    const exchange = {
      id: 1,
      startedAt: 0,
      request,
      response: undefined,
      error: undefined,
      isAborted: false,
      durationMs: undefined,
    };
    expect(toCurl(exchange)).toBe(
      `curl -sS -X POST 'http://a.example/$(id)' \\\n  -H 'x-note: it'\\''s \`id\`' \\\n  --data-raw ''\\''; id #'`,
    );
  });
});
