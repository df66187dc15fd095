import { describe, expect, it } from "vitest";
import {
  A2AClient,
  createAgent,
  fetchHandler,
  jsonRpcTransport,
} from "../../../generated/1.0/index.js";
import { failureOf } from "../../support/everywhere.js";
import { card, taskOf } from "../../hostile/sample.js";

const agent = createAgent({
  card,
  service: {
    getTask: ({ id }) => taskOf(id),
    cancelTask: ({ id }) => taskOf(`canceled ${id}`),
    sendMessage: () => ({ task: taskOf("sent") }),
  },
});
const handle = fetchHandler(agent);

/** A request whose headers are an object. */
type Ask = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> };

/** Sends a request to the agent. Returns the status and the text of the response. */
async function ask(path: string, init: Ask = {}): Promise<[status: number, text: string]> {
  const headers = { "a2a-version": "1.0", ...init.headers };
  const response = await handle(new Request(`http://agent.test${path}`, { ...init, headers }));
  return [response.status, await response.text()];
}

const body = JSON.stringify({
  message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] },
});
const post = { method: "POST", body, headers: { "content-type": "application/json" } };

describe("the paths of an agent", () => {
  it.each(["/message:send/", "/message%3Asend", "/message%3asend/"])(
    "the error for the path %s names the path of the operation",
    async (path) => {
      expect(await ask(path, post)).toEqual([
        404,
        expect.stringContaining("The path is unknown: use /message:send"),
      ]);
    },
  );

  it.each<[method: string, path: string, status: number, text: string]>([
    ["GET", "/tasks/t/", 404, "use /tasks/t"],
    ["POST", "/tasks/t:cancel/", 404, "use /tasks/t:cancel"],
    // The escaped colon is part of the id.
    ["GET", "/tasks/t%3Acancel", 200, '"t:cancel"'],
    ["POST", "/tasks/t%3Acancel", 405, "The path only supports GET"],
    ["POST", "/message%3Asend%3Aagain", 404, "The path is unknown"],
    ["POST", "/message:send//", 404, "The path is unknown"],
  ])("%s %s has the status %i", async (method, path, status, text) => {
    expect(await ask(path, { ...post, method, body: method === "GET" ? null : body })).toEqual([
      status,
      expect.stringContaining(text),
    ]);
  });

  it("the error for the path of the card with a slash at the end names the path of the card", async () => {
    const path = "/.well-known/agent-card.json";
    expect(await ask(`${path}/`)).toEqual([
      404,
      expect.stringContaining(`The path is unknown: use ${path}`),
    ]);
  });

  it("the error for an unknown path names the path of JSON-RPC, and the client shows it", async () => {
    const fetch = (url: string, init: RequestInit) => handle(new Request(url, init));
    const client = new A2AClient({
      transport: jsonRpcTransport("http://agent.test/a2a", { fetch }),
    });
    expect(await failureOf(client.getTask({ id: "t" }))).toHaveProperty(
      "message",
      "http://agent.test/a2a responded with an unknown error format (HTTP status 404): " +
        "The path is unknown in version 1.0; the agent serves 1.0; JSON-RPC is served at the path /",
    );
  });
});

describe("the error for a content type", () => {
  const known = "send application/a2a+json or application/json";
  it.each<[path: string, headers: Record<string, string>, problem: string]>([
    [
      "/",
      { "content-type": "text/plain" },
      `The content type text/plain is not supported: ${known}`,
    ],
    [
      "/",
      { "content-type": "application/json-rpc" },
      "The content type application/json-rpc is not",
    ],
    [
      "/",
      { "content-type": "application/json", "content-encoding": "gzip" },
      "The content encoding gzip is not supported: send plain application/json",
    ],
    [
      "/",
      { "content-type": "x".repeat(5000) },
      `The content type ${"x".repeat(79)}… is not supported`,
    ],
  ])(
    "an agent names the received type and the supported types at %s: %j",
    async (path, headers, problem) => {
      expect(await ask(path, { ...post, headers })).toEqual([
        415,
        expect.stringContaining(problem),
      ]);
    },
  );

  it("an agent names the supported types if the request has none", async () => {
    const bytes = new TextEncoder().encode(body);
    expect(await ask("/message:send", { method: "POST", body: bytes })).toEqual([
      400,
      expect.stringContaining(`The header Content-Type is missing: ${known}`),
    ]);
  });
});

it("the error for an unknown method names the method and the served versions", async () => {
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/send", params: {} });
  const [, text] = await ask("/", { ...post, body: request });
  expect(JSON.parse(text)).toMatchObject({
    error: { code: -32601, message: "tasks/send is not a method of 1.0" },
  });
});
