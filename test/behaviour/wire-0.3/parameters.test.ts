import { describe, expect, it } from "vitest";
import { agentCard } from "../../../examples/echo-agent-0.3/card.js";
import { grpc } from "../../../generated/0.3.0/client/grpc.js";
import { connect, createAgent, jsonRpc, rest, type CallContext, type Task } from "../../../generated/0.3.0/index.js";
import { grpcService } from "../../../generated/0.3.0/server/grpc.js";
import { nodeListener } from "../../../generated/0.3.0/server/node.js";
import { bytesOf, callGrpc, long } from "../../support/grpc.js";
import { openPorts } from "../../support/ports.js";
import { call, jsonOf, send } from "../../support/raw.js";

const uri = "https://example.com/ext/1";
const task: Task = { kind: "task", id: "t-1", contextId: "c-1", status: { state: "working" } };

/** Serves an agent that keeps what it is told about each call, and activates one extension. */
async function serve(): Promise<{ url: string; grpcUrl: string; contexts: CallContext[] }> {
  const { url, grpcUrl, http, grpc: grpcServer } = await openPorts();
  const contexts: CallContext[] = [];
  const capabilities = { streaming: true, extensions: [{ uri, required: true }] };
  const agent = createAgent({
    card: agentCard({ url, grpcUrl, capabilities, hasExtendedCard: true, hasUsers: false }),
    service: {
      getTask(_request, context) {
        contexts.push(context);
        if (context.extensions.includes(uri)) context.activateExtension(uri);
        return task;
      },
    },
  });
  const { definition, implementation } = grpcService(agent);
  grpcServer.addService(definition, implementation);
  http.on("request", nodeListener(agent));
  return { url, grpcUrl, contexts };
}

describe("extensions", () => {
  it.each([
    ["JSONRPC", jsonRpc],
    ["HTTP+JSON", rest],
    ["GRPC", grpc],
  ])("are asked for over %s in the header of 0.3", async (_binding, transport) => {
    const { url, contexts } = await serve();
    const client = await connect(url, { transports: [transport()] });
    await client.getTask({ id: "t-1" }, { extensions: [uri, "urn:b"] });
    client.close();
    expect(contexts.map(({ extensions }) => extensions)).toEqual([[uri, "urn:b"]]);
    expect(contexts[0]?.headers.get("X-A2A-Extensions")).toMatch(/^https:\/\/example\.com\/ext\/1, ?urn:b$/);
    expect(contexts[0]?.headers.get("A2A-Extensions")).toBeUndefined();
  });

  it("that are in use are named in the same header of the answer", async () => {
    const { url, grpcUrl } = await serve();
    const headers = { "x-a2a-extensions": `${uri},urn:b` };
    const answers = [
      await call(url, "tasks/get", { id: "t-1" }, headers),
      await send("GET", new URL("v1/tasks/t-1", url), undefined, headers),
    ];
    expect(answers.map((answer) => answer.headers.get("x-a2a-extensions"))).toEqual([uri, uri]);
    const bytes = bytesOf((writer) => writer.uint32(long(1)).string("tasks/t-1"));
    const { metadata } = await callGrpc(grpcUrl, "/a2a.v1.A2AService/GetTask", bytes, headers);
    expect(metadata.get("x-a2a-extensions")).toEqual([uri]);
  });

  it("need not be asked for: 0.3 has no error for that", async () => {
    const { url } = await serve();
    const answer = await call(url, "tasks/get", { id: "t-1" }, { "a2a-extensions": uri });
    expect(jsonOf(answer)).toMatchObject({ result: { id: "t-1" } });
    expect(answer.headers.has("x-a2a-extensions")).toBe(false);
  });
});

describe("an operation that the service leaves out", () => {
  it("is not supported, and the extended card not configured where the card announces one", async () => {
    const { url } = await serve();
    expect(jsonOf(await call(url, "tasks/cancel", { id: "t-1" }))).toMatchObject({ error: { code: -32004 } });
    const card = await call(url, "agent/getAuthenticatedExtendedCard");
    expect(jsonOf(card)).toMatchObject({ error: { code: -32007 } });
    expect(await send("GET", new URL("v1/card", url))).toMatchObject({ status: 400 });
  });
});

describe("the version of a call", () => {
  it.each([undefined, "0.3", "0.3.0", "1.0", "7.5"])("may be anything: %s", async (version) => {
    const { url } = await serve();
    const headers = version === undefined ? {} : { "a2a-version": version };
    expect(jsonOf(await call(url, "tasks/get", { id: "t-1" }, headers))).toMatchObject({ result: { id: "t-1" } });
  });
});
