import { once } from "node:events";
import { createServer, request as httpsRequest } from "node:https";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAgent } from "../../../generated/1.1-draft/index.js";
import type { AgentCard, SecurityScheme } from "../../../generated/1.1-draft/models.js";
import { nodeListener } from "../../../generated/1.1-draft/server/node.js";
import { apiKeys } from "../../../library/kit/calls/api-keys.js";
import {
  authenticateBy,
  type CheckCredentials,
} from "../../../library/kit/calls/authentication.js";
import { clientCertificates } from "../../../library/kit/calls/client-certificates.js";
import { protectedResource } from "../../../library/kit/calls/protected-resource.js";
import { resourceListener } from "../../../library/kit/node.js";
import { certificates } from "../../support/certificates.js";
import { listen } from "../../support/http.js";
import { card as plain } from "../../support/kit.js";
import { protectedAgent } from "./agent.js";
import { portOf } from "../../support/ports.js";

const queryKey: SecurityScheme = { apiKeySecurityScheme: { location: "query", name: "key" } };
const headers = { "a2a-version": "1.1" };

describe("an agent with API keys", () => {
  it("the agent reads a key from the query over JSON-RPC and HTTP+JSON", async () => {
    const check = apiKeys({ "a key & more": "ada" });
    const { url, reached } = await protectedAgent(check, { scheme: queryKey, scopes: [] });
    const status = async (query: string) => {
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "GetTask",
        params: { id: "t" },
      });
      const sent = {
        method: "POST",
        body,
        headers: { ...headers, "content-type": "application/json" },
      };
      const both = [fetch(`${url}tasks/t${query}`, { headers }), fetch(`${url}${query}`, sent)];
      return (await Promise.all(both)).map(({ status }) => status);
    };
    expect(await status("?key=a+key+%26+more")).toEqual([200, 200]);
    expect(reached).toEqual(["ada", "ada", "ada", "ada"]);
    for (const query of ["?key=other", "?key=", "", "?other=a+key+%26+more"])
      expect(await status(query)).toEqual([401, 401]);
    expect(reached).toHaveLength(4);
  });

  it("the agent maps each key to its user, and the name of an inherited member to no user", async () => {
    const access = { scopes: [], caller: {} as never };
    for (const users of [
      { one: 1, two: 2 },
      new Map([
        ["one", 1],
        ["two", 2],
      ]),
    ]) {
      const check = apiKeys(users);
      expect([await check("one", access), await check("two", access)]).toEqual([1, 2]);
      for (const key of ["three", "toString", "__proto__"])
        expect(await check(key, access)).toBeUndefined();
    }
    expect(() => apiKeys({ "": "ada" })).toThrow("An API key is empty");
  });
});

/** An agent whose card requires a client certificate. */
function agentWith(check: CheckCredentials<unknown>) {
  const card: AgentCard = {
    ...plain,
    securitySchemes: { tls: { mtlsSecurityScheme: {} } },
    securityRequirements: [{ schemes: { tls: { list: [] } } }],
  };
  const reached: unknown[] = [];
  const agent = createAgent({
    card,
    ...authenticateBy(card, { tls: check }),
    service: {
      async getTask({ id }, { user }) {
        reached.push(user);
        return { id, status: { state: "TASK_STATE_WORKING" } };
      },
    },
  });
  return { listener: nodeListener(agent), reached };
}

describe("an agent with mutual TLS", () => {
  it("the agent knows the user of a certificate that its server has verified", async () => {
    const { server: own, client } = certificates();
    const { listener, reached } = agentWith(
      clientCertificates({ user: ({ subject }) => subject["CN"] }),
    );
    const server = createServer({ ...own, requestCert: true, rejectUnauthorized: false }, listener);
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const port = portOf(server);
    const call = (with_: object, more: Record<string, string> = {}): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const options = {
          ...with_,
          port,
          host: "127.0.0.1",
          servername: "localhost",
          agent: false,
          checkServerIdentity: () => undefined,
        };
        httpsRequest(
          { ...options, path: "/tasks/t", headers: { ...headers, ...more } },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        )
          .once("error", reject)
          .end();
      });
    expect(await call(client)).toBe(200);
    expect(reached).toEqual(["ada"]);
    expect(await call({ ca: own.ca })).toBe(401);
    expect(await call({ ca: own.ca }, { "client-cert": encodeURIComponent(client.cert) })).toBe(
      401,
    );
    // A certificate of another authority is not verified.
    const { client: strange } = certificates();
    expect(await call({ ...strange, ca: own.ca })).toBe(401);
    expect(reached).toEqual(["ada"]);
  });

  it("the agent only reads a certificate from a header of a named proxy", async () => {
    const { client } = certificates();
    const der = client.cert.replace(/-----[A-Z ]+-----|\s/g, "");
    const seen: string[] = [];
    const user = ({ fingerprint256 }: { fingerprint256: string }) => {
      seen.push(fingerprint256);
      return "ada";
    };
    const status = async (proxies: string[], value: string) => {
      const proxy = { addresses: proxies, header: "Client-Cert" };
      const url = await listen(agentWith(clientCertificates({ user, proxy })).listener);
      return (await fetch(`${url}/tasks/t`, { headers: { ...headers, "client-cert": value } }))
        .status;
    };
    expect(await status(["127.0.0.1"], `:${der}:`)).toBe(200);
    expect(await status(["::ffff:127.0.0.1"], encodeURIComponent(client.cert))).toBe(200);
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toMatch(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(await status(["10.0.0.1"], `:${der}:`)).toBe(401);
    for (const value of ["", "::", "ada", `:${der}:, :${der}:`, "%", ":a:", `:${der}`])
      expect(await status(["127.0.0.1"], value)).toBe(401);
    expect(seen).toHaveLength(2);
    expect(() => clientCertificates({ user, proxy: { addresses: [], header: "x" } })).toThrow(
      "addresses",
    );
  });
});

describe("the metadata of a protected resource", () => {
  const options = {
    resource: "https://agent.test/v1",
    issuers: ["https://login.test"],
    scopes: ["ask"],
    name: "Agent",
  };

  it("the metadata has the path of the resource and is readable for every page", async () => {
    const resource = protectedResource(options);
    expect(resource.url).toBe("https://agent.test/.well-known/oauth-protected-resource/v1");
    const response = await resource.fetch(new Request(resource.url));
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.json()).toEqual({
      resource: "https://agent.test/v1",
      authorization_servers: ["https://login.test"],
      scopes_supported: ["ask"],
      bearer_methods_supported: ["header"],
      resource_name: "Agent",
    });
    expect((await resource.fetch(new Request(resource.url, { method: "POST" }))).status).toBe(405);
    expect((await resource.fetch(new Request("https://agent.test/other"))).status).toBe(404);
  });

  it("the metadata is served before the agent, which gets all other requests", async () => {
    const listener = resourceListener(
      protectedResource({ ...options, resource: "https://agent.test" }),
    );
    const url = await listen((request, response) =>
      listener(request, response, () => response.end("agent")),
    );
    expect(
      (await fetch(`${url}/.well-known/oauth-protected-resource`)).headers.get("content-type"),
    ).toBe("application/json");
    expect(await (await fetch(`${url}/`)).text()).toBe("agent");
  });

  it.each([{ resource: "agent.test" }, { resource: "file:///a" }, { issuers: ["login"] }])(
    "invalid metadata is refused: %j",
    (wrong) => {
      expect(() => protectedResource({ ...options, ...wrong })).toThrow("must be an HTTP URL");
    },
  );
});
