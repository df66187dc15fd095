import { once } from "node:events";
import { Server as GrpcServer } from "@grpc/grpc-js";
import { createServer, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen, stop } from "../../examples/shared/ports.js";
import { codecs } from "../../generated/1.0/codecs.js";
import { grpc as overGrpc, grpcTransport } from "../../generated/1.0/client/grpc.js";
import {
  A2AClient,
  type AgentCard,
  connect,
  createAgent,
  fetchHandler,
  jsonRpc,
  type RequestReport,
  rest,
  restTransport,
} from "../../generated/1.0/index.js";
import { grpcService } from "../../generated/1.0/server/grpc.js";
import { createAgentServer } from "../../generated/1.0/server/http2.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { all, failureOf } from "../support/everywhere.js";
import { callGrpc } from "../support/grpc.js";
import { aCard } from "../support/cards.js";
import { portOf } from "../support/ports.js";

const names = ["billing", "support", "support-archive"] as const;
const paths = {
  billing: "/billing",
  support: "/support",
  "support-archive": "/support/archive/",
} as const;
const http = createServer();
const grpc = new GrpcServer();
const reports: RequestReport[] = [];
let url = "";
let grpcUrl = "";

/** Returns the card of an agent, which lists its path on HTTP and its tenant on gRPC. */
function cardOf(name: (typeof names)[number]): AgentCard {
  const [own, protocolVersion] = [`${url}${paths[name].slice(1)}`, "1.0"];
  return aCard(
    [
      { url: own, protocolBinding: "JSONRPC", protocolVersion },
      { url: own, protocolBinding: "HTTP+JSON", protocolVersion },
      { url: grpcUrl, protocolBinding: "GRPC", protocolVersion, tenant: name },
    ],
    { name },
  );
}

function agentOf(name: (typeof names)[number]) {
  const task = (id: string, tenant = "") => ({
    id,
    contextId: name,
    status: { state: "TASK_STATE_WORKING" as const },
    metadata: { tenant },
  });
  return createAgent({
    card: () => cardOf(name),
    authenticate: ({ headers }) =>
      headers.get("authorization") === `Bearer ${name}` ? name : undefined,
    observe: (report) => reports.push(report),
    service: {
      getTask: ({ id }, { tenant }) => task(id, tenant),
      async *subscribeToTask({ id }, { tenant }) {
        yield { task: task(id, tenant) };
      },
    },
  });
}

const agents = Object.fromEntries(names.map((name) => [name, agentOf(name)]));
const byPath = Object.fromEntries(names.map((name) => [paths[name], agentOf(name)]));

beforeAll(async () => {
  ({ url, grpcUrl } = await listen(http, grpc, { host: "127.0.0.1" }));
  http.on("request", nodeListener(byPath, { cors: true }));
  const { definition, implementation } = grpcService(agents);
  grpc.addService(definition, implementation);
});
afterAll(() => stop(http, grpc));

/** Sends a GET request with a path that is not changed on its way. */
async function get(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<[number, string]> {
  const [status, body] = await new Promise<[number, string]>((resolve, reject) => {
    const sent = request(url, { path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve([response.statusCode ?? 0, text]));
    });
    sent.on("error", reject).end();
  });
  return [status, body];
}

describe("several agents behind one listener", () => {
  it.each(names)(
    "The agent %s is found by its path, and answers over each binding",
    async (name) => {
      const headers = { authorization: `Bearer ${name}` };
      for (const transport of [jsonRpc(), rest(), overGrpc()]) {
        const target = `${url}${paths[name].slice(1)}`;
        const client = await connect(target, {
          transports: [transport],
          headers,
          trustedOrigins: [grpcUrl],
        });
        expect(client.card?.name).toBe(name);
        const tenant = transport.binding === "GRPC" ? name : "";
        expect(await client.getTask({ id: "1" })).toMatchObject({
          contextId: name,
          metadata: { tenant },
        });
        expect(await all(client.subscribeToTask({ id: "2" }))).toMatchObject([
          { task: { contextId: name } },
        ]);
        client.close();
      }
    },
  );

  it("The credentials of one agent do not admit to another", async () => {
    const headers = { authorization: "Bearer support" };
    for (const transport of [jsonRpc(), rest(), overGrpc()]) {
      const client = await connect(`${url}billing`, {
        transports: [transport],
        headers,
        trustedOrigins: [grpcUrl],
      });
      expect(await failureOf(client.getTask({ id: "1" }))).toMatchObject({
        name: "UnauthenticatedError",
      });
      client.close();
    }
  });

  it("A request below no path of an agent gets 404 with the paths, which the error of a client repeats", async () => {
    const listing = "Not Found: agents are at /billing, /support, /support/archive/\n";
    expect(await failureOf(connect(url))).toMatchObject({
      name: "TransportError",
      message: expect.stringContaining(listing.trim()) as unknown,
    });
    const card = ".well-known/agent-card.json";
    const wrong = [
      "/",
      "",
      `/${card}`,
      "/bill",
      "/billings",
      "/BILLING/tasks/1",
      "/%62illing/tasks/1",
      "//billing",
    ];
    for (const path of [...wrong, "/support-archive/tasks/1", `/${"a/".repeat(4000)}`])
      expect([path, ...(await get(path || "/"))]).toEqual([path, 404, listing]);
    expect(JSON.parse((await get(`/billing/${card}`))[1])).toMatchObject({ name: "billing" });
    expect(JSON.parse((await get(`/support/archive/${card}`))[1])).toMatchObject({
      name: "support-archive",
    });
  });

  it("The response with the paths is short, omits other handlers, and a handler of the root replaces it", async () => {
    const health = () => Promise.resolve(undefined);
    const many = Array.from(
      { length: 11 },
      (_, index) => [`/${index}`, agents["billing"]] as const,
    );
    const bodyOf = async (served: Parameters<typeof fetchHandler>[0]) =>
      (await fetchHandler(served)(new Request("http://agent.test/"))).text();
    expect(await bodyOf({ "/health": health, ...Object.fromEntries(many) })).toBe(
      "Not Found: agents are at /0, /1, /2, /3, /4, /5, /6, /7, /8, /9, …\n",
    );
    expect(await bodyOf({ "/health": health })).toBe("Not Found\n");
    expect(await bodyOf({ ...byPath, "/": health })).toBe("Not Found\n");
  });

  it("An unknown path of an agent gets the error of that agent, and its report has the binding", async () => {
    const headers = { "a2a-version": "1.0", authorization: "Bearer support" };
    reports.length = 0;
    const [status, body] = await get("/support/nothing?a=b", headers);
    expect([status, JSON.parse(body)]).toMatchObject([404, { error: { status: "NOT_FOUND" } }]);
    expect((await get("/support/archive/tasks/1", headers))[0]).toBe(401);
    // The route of 1.0 for tenants, below the path of the agent.
    const [, ofTenant] = await get("/support/archives/tasks/1", headers);
    expect(JSON.parse(ofTenant)).toMatchObject({
      contextId: "support",
      metadata: { tenant: "archives" },
    });
    expect((await get("/support/tasks/1?historyLength=1", headers))[0]).toBe(200);
    expect(reports.map(({ binding, status: sent }) => [binding, sent])).toEqual(
      [404, 401, 200, 200].map((each) => ["HTTP+JSON", each]),
    );
  });

  it("On HTTP, the path alone selects the agent, and the tenant is for the selected agent", async () => {
    const headers = { authorization: "Bearer support" };
    for (const transport of [jsonRpc(), rest()]) {
      const options = { transports: [transport], headers, tenant: "billing" };
      const client = await connect(`${url}support`, options);
      expect(await client.getTask({ id: "1" })).toMatchObject({
        contextId: "support",
        metadata: { tenant: "billing" },
      });
    }
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "GetTask",
      params: { id: "1", tenant: "billing" },
    });
    const init = {
      method: "POST",
      body,
      headers: { "a2a-version": "1.0", authorization: "Bearer billing" },
    };
    expect((await fetch(url, init)).status).toBe(404);
    expect((await fetch(`${url}support`, init)).status).toBe(401);
  });

  it("A gRPC request with an unknown tenant, or with none, is refused with an error that names the field", async () => {
    const headers = { authorization: "Bearer billing" };
    for (const [tenant, problem] of [
      ["other", 'is unknown: "other"'],
      [undefined, "is required"],
    ] as const) {
      const client = new A2AClient({ transport: grpcTransport(grpcUrl), headers, tenant });
      const refused = {
        name: "InvalidParamsError",
        message: `\`tenant\` ${problem}`,
        details: [{ fieldViolations: [{ field: "tenant", description: `\`tenant\` ${problem}` }] }],
      };
      expect(await failureOf(client.getTask({ id: "1" }))).toMatchObject(refused);
      expect(await failureOf(all(client.subscribeToTask({ id: "1" })))).toMatchObject(refused);
      client.close();
    }
    const { code } = await callGrpc(
      grpcUrl,
      "/lf.a2a.v1.A2AService/GetTask",
      new Uint8Array([255]),
      headers,
    );
    expect(code).toBe(3);
    expect(codecs["GetTask"]).toBeDefined();
  });

  it("The agent of the empty tenant receives the requests without a tenant", async () => {
    const server = new GrpcServer();
    const other = createServer();
    const { grpcUrl: address } = await listen(other, server, { host: "127.0.0.1" });
    const { billing, support } = agents;
    if (billing === undefined || support === undefined) throw new Error("The agents are missing");
    const { definition, implementation } = grpcService({ "": billing, support });
    server.addService(definition, implementation);
    const headers = { authorization: "Bearer billing" };
    const client = new A2AClient({ transport: grpcTransport(address), headers });
    expect((await client.getTask({ id: "1" })).contextId).toBe("billing");
    client.close();
    await stop(other, server);
  });

  it("One server selects agents by the path over HTTP, and by the tenant over gRPC", async () => {
    const server = createAgentServer(byPath, { tenants: agents }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = `127.0.0.1:${portOf(server)}`;
    for (const name of names) {
      const headers = { authorization: `Bearer ${name}` };
      const callers = [
        [restTransport(`http://${address}${paths[name]}`), {}],
        [grpcTransport(address), { tenant: name }],
      ] as const;
      for (const [transport, tenant] of callers) {
        const client = new A2AClient({ transport, headers });
        expect((await client.getTask({ id: "1", ...tenant })).contextId).toBe(name);
        client.close();
      }
    }
    const client = new A2AClient({ transport: grpcTransport(address) });
    await expect(client.getTask({ id: "1", tenant: "none" })).rejects.toThrow("is unknown");
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("A handler of any kind may have a path, and invalid paths are refused when the listener is created", async () => {
    const { billing } = agents;
    if (billing === undefined) throw new Error("The agent is missing");
    const health = () => Promise.resolve({ status: 200, headers: {}, body: "well" });
    const handle = fetchHandler({ "/": billing, "/health": health });
    expect(await (await handle(new Request("http://agent.test/health"))).text()).toBe("well");
    expect((await handle(new Request("http://agent.test/tasks/1"))).status).toBe(401);
    expect(() => fetchHandler({ billing })).toThrow(
      'must begin with "/" and contain no query, got "billing"',
    );
    expect(() => fetchHandler({ "/a?b": billing })).toThrow('must begin with "/"');
    expect(() => fetchHandler({ "/a": billing, "/a/": billing })).toThrow(
      'The path "/a/" belongs to two agents',
    );
    expect(() => fetchHandler({})).toThrow("requires at least one agent");
    expect(() => grpcService({})).toThrow("requires at least one agent");
  });
});
