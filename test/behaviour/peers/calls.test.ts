import { describe, expect, it } from "vitest";
import {
  A2AClient,
  connect,
  createAgent,
  fetchHandler,
  jsonRpc,
  jsonRpcTransport,
  rest,
  restTransport,
  type AgentCard,
} from "../../../generated/1.0/index.js";
import { failureOf } from "../../support/everywhere.js";
import { serve } from "../../support/http.js";
import { card, taskOf } from "../../hostile/sample.js";

const transports = [jsonRpcTransport, restTransport] as const;

async function messageOf(call: Promise<unknown>) {
  return ((await failureOf(call)) as Error).message;
}

describe("a call that the agent redirects", () => {
  it.each(transports)("the error names the target of the redirect: %o", async (open) => {
    const { url, requests } = await serve(({ url: path = "" }, response) =>
      response.writeHead(307, { location: `${path}/` }).end(),
    );
    const message = await messageOf(
      new A2AClient({ transport: open(`${url}/agent`) }).getTask({ id: "t" }),
    );
    const called = `${url}${String(requests[0]?.url)}`;
    expect(message).toBe(
      `${called} responded with a redirect to ${called}/, which calls do not follow: ` +
        "correct the URL of the server (HTTP status 307)",
    );
    expect(requests).toHaveLength(1);
  });

  it("the error has no target if the target is not a URL", async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(302, { location: "http://[" }).end(),
    );
    const message = await messageOf(
      new A2AClient({ transport: jsonRpcTransport(url) }).getTask({ id: "t" }),
    );
    expect(message).toContain("a redirect to another URL, which calls do not follow");
  });
});

describe("the error for a response that is not of the protocol", () => {
  const bodies: readonly [type: string, body: string, shown: string][] = [
    ["text/plain", "404 page\n not found", ": 404 page not found"],
    ["text/plain", "x".repeat(1000), `: ${"x".repeat(199)}…`],
    ["application/json", JSON.stringify({ detail: "Not Found" }), ": Not Found"],
    ["application/json", JSON.stringify({ error: { message: "No route" } }), ": No route"],
    ["application/json", JSON.stringify({ error: { message: 1 } }), ""],
    ["text/html", "<p>Not found</p>", ""],
    ["text/plain", "", ""],
  ];
  it.each(bodies)("the error for %s with the body %j ends with %j", async (type, body, shown) => {
    const { url } = await serve((_, response) =>
      response.writeHead(404, { "content-type": type }).end(body),
    );
    const message = await messageOf(
      new A2AClient({ transport: jsonRpcTransport(url) }).getTask({ id: "t" }),
    );
    expect(message).toBe(`${url} responded with an unknown error format (HTTP status 404)${shown}`);
  });

  it("the error for an empty response over JSON-RPC says that it is empty", async () => {
    const { url } = await serve((_, response) => response.writeHead(200).end());
    const message = await messageOf(
      new A2AClient({ transport: jsonRpcTransport(url) }).getTask({ id: "t" }),
    );
    expect(message).toContain(`${url} responded with an empty body (HTTP status 200)`);
  });

  it("the error for invalid JSON contains the position of the mistake", async () => {
    const { url } = await serve((_, response) => response.writeHead(200).end('{"jsonrpc":"2.0",}'));
    const message = await messageOf(
      new A2AClient({ transport: jsonRpcTransport(url) }).getTask({ id: "t" }),
    );
    expect(message).toMatch(/something other than JSON: .*position 17/);
  });
});

describe("options of connect", () => {
  const url = "http://agent.test/";
  const served: AgentCard = {
    ...card,
    supportedInterfaces: [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    ],
  };
  const handler = fetchHandler(
    createAgent({ card: served, service: { getTask: () => taskOf("t") } }),
  );
  const fetch = (address: string, init: RequestInit) => handler(new Request(address, init));
  const other = (): Promise<Response> => Promise.reject(new Error("the other fetch"));

  it.each([jsonRpc, rest])(
    "`fetch` applies to the factories in `transports`: %o",
    async (factory) => {
      const client = await connect(url, { fetch, transports: [factory()] });
      expect(await client.getTask({ id: "t" })).toEqual(taskOf("t"));
      const absent = await connect(url, { fetch, transports: [factory({ fetch: undefined })] });
      expect(await absent.getTask({ id: "t" })).toEqual(taskOf("t"));
    },
  );

  it.each([jsonRpc, rest])("options of a factory take precedence: %o", async (factory) => {
    const client = await connect(url, { fetch, transports: [factory({ fetch: other })] });
    expect(await messageOf(client.getTask({ id: "t" }))).toContain("the other fetch");
  });

  it("limits apply to the card and to calls", async () => {
    expect(await messageOf(connect(url, { fetch, maxResponseBytes: 10 }))).toContain(
      "maxResponseBytes",
    );
    const client = await connect(served, { fetch, maxResponseBytes: 10 });
    expect(await messageOf(client.getTask({ id: "t" }))).toContain("maxResponseBytes");
  });
});
