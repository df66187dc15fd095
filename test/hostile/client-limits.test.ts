import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, jsonRpcTransport, A2AClient } from "../../generated/1.0/index.js";
import { all, refusal } from "../support/everywhere.js";
import { serve } from "../support/http.js";
import { processorTime } from "../support/processor-time.js";
import { card } from "./sample.js";

/** Makes a response look like a redirect in a browser. */
function opaque(target: Response, key: string): unknown {
  return key === "type" ? "opaqueredirect" : Reflect.get(target, key, target);
}

const secret = { "x-api-key": "secret", authorization: "Bearer secret", cookie: "a=secret" };

function clientOf(url: string) {
  return new A2AClient({ transport: jsonRpcTransport(url), headers: secret });
}

describe("a call", () => {
  it.each([301, 302, 303, 307, 308])(
    "a call does not follow a redirect with status %i",
    async (status) => {
      const elsewhere = await serve((_request, response) => response.end());
      const { url } = await serve((_request, response) =>
        response.writeHead(status, { location: elsewhere.url }).end(),
      );
      expect(await refusal(clientOf(url).getTask({ id: "t" }))).toMatchObject({
        name: "TransportError",
      });
      expect(elsewhere.requests).toEqual([]);
    },
  );
});

describe("discovery of a card", () => {
  it("discovery follows a redirect to another origin without the headers of the caller", async () => {
    const elsewhere = await serve((_request, response) => response.end(JSON.stringify(card)));
    const location = `${elsewhere.url}/card.json`;
    const { url, requests } = await serve((_request, response) =>
      response.writeHead(302, { location }).end(),
    );
    await connect(url, { headers: secret });
    expect(requests[0]?.headers).toMatchObject(secret);
    expect(JSON.stringify(elsewhere.requests[0]?.headers)).not.toContain("secret");
  });

  it("discovery keeps the headers on the same origin", async () => {
    const { url, requests } = await serve((request, response) => {
      if (request.url === "/there.json") response.end(JSON.stringify(card));
      else response.writeHead(308, { location: "/there.json" }).end();
    });
    await connect(url, { headers: secret });
    expect(requests[1]?.headers).toMatchObject(secret);
  });

  it("discovery sends no headers of the caller if the platform follows redirects without reporting the target", async () => {
    const seen: RequestInit[] = [];
    const fetch = (_url: string, init: RequestInit) => {
      seen.push(init);
      const response = Response.json(card);
      return Promise.resolve(
        init.redirect === "follow" ? response : new Proxy(response, { get: opaque }),
      );
    };
    await connect("https://agent.example", { fetch, headers: secret });
    expect(seen.map(({ redirect }) => redirect)).toEqual(["manual", "follow"]);
    expect(JSON.stringify(seen[1]?.headers)).not.toContain("secret");
  });

  it("discovery ends after five redirects", async () => {
    const { url, requests } = await serve((_request, response) =>
      response.writeHead(302, { location: "/x.json" }).end(),
    );
    expect(await refusal(connect(url))).toMatchObject({ name: "TransportError" });
    expect(requests).toHaveLength(6);
  });
});

describe("a small compressed body that is large in memory", () => {
  async function answering(body: string, type: string) {
    const packed = gzipSync(body);
    const headers = { "content-type": type, "content-encoding": "gzip" };
    const { url } = await serve((_request, response) =>
      response.writeHead(200, headers).end(packed),
    );
    return clientOf(url);
  }

  it.each<[string, string]>([
    ["lists in lists", "[".repeat(2 ** 23)],
    ["empty objects", `[${"{},".repeat(2 ** 21)}{}]`],
    ["numbers", `[${"1,".repeat(2 ** 22)}1]`],
  ])("the body is refused before it is parsed: %s", async (_what, body) => {
    const client = await answering(body, "application/json");
    const before = processorTime();
    expect((await refusal(client.getTask({ id: "t" }))).message).toContain("maxValues");
    expect(processorTime() - before).toBeLessThan(2000);
  });

  it.each<[string, string]>([
    ["numbers", "1,"],
    ["strings with quotes in them, cut at any position", '"\\\\\\"[",'],
  ])("the body is refused while it arrives, and need not end: %s", async (_what, piece) => {
    let sent = 0;
    let isCanceled = false;
    const chunk = new TextEncoder().encode(piece.repeat(2 ** 14)).slice(0, -1);
    const rest = new TextEncoder().encode(piece).slice(-1);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("[")),
      pull(controller) {
        sent += chunk.length + rest.length;
        controller.enqueue(chunk);
        controller.enqueue(rest);
      },
      cancel: () => void (isCanceled = true),
    });
    const transport = jsonRpcTransport("http://agent.test", {
      fetch: async () => new Response(body),
      maxResponseBytes: Infinity,
    });
    const before = processorTime();
    expect((await refusal(new A2AClient({ transport }).getTask({ id: "t" }))).message).toContain(
      "maxValues",
    );
    expect(isCanceled).toBe(true);
    // As many bytes as a million values take.
    expect(sent).toBeLessThan((2 ** 20 + 2 ** 16) * piece.length);
    expect(processorTime() - before).toBeLessThan(1000);
  });

  it("the body ends with the time-out of the call between its chunks", async () => {
    const chunk = new TextEncoder().encode("a".repeat(2 ** 16));
    const stop = new AbortController();
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('"')),
      pull(controller) {
        if (chunks++ === 40) stop.abort(new Error("The time is up"));
        controller.enqueue(chunk);
      },
    });
    const transport = jsonRpcTransport("http://agent.test", {
      fetch: async () => new Response(body),
      maxResponseBytes: Infinity,
    });
    const client = new A2AClient({ transport });
    expect((await refusal(client.getTask({ id: "t" }, { signal: stop.signal }))).message).toBe(
      "The time is up",
    );
  });

  it("the body is accepted if it is one long string with any content", async () => {
    const text = "1,2;[{".repeat(2 ** 19);
    const told = {
      id: "t",
      contextId: "c",
      status: { state: "TASK_STATE_WORKING" },
      metadata: { text },
    };
    const client = await answering(
      JSON.stringify({ jsonrpc: "2.0", id: 1, result: told }),
      "application/json",
    );
    expect(await client.getTask({ id: "t" })).toEqual(told);
  });

  it("the body is refused as an event of many lines, which use memory", async () => {
    const client = await answering("data: \n".repeat(2 ** 22), "text/event-stream");
    expect((await refusal(all(client.subscribeToTask({ id: "t" })))).message).toContain(
      "maxEventBytes",
    );
  });
});

it("many calls with one signal cause no warning", async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warned);
  onTestFinished(() => void process.off("warning", warned));
  const { signal } = new AbortController();
  const { url } = await serve((_request, response) => response.end("{}"));
  const client = clientOf(url);
  await Promise.all(
    Array.from({ length: 30 }, () => refusal(client.getTask({ id: "t" }, { signal }))),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});
