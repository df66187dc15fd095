import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { connect, createAgent, UnauthenticatedError } from "../../../generated/1.1-draft/index.js";
import { nodeListener } from "../../../generated/1.1-draft/server/node.js";
import {
  withCredentials,
  type FindCredentials,
} from "../../../generated/1.1-draft/kit/client/index.js";
import { card as plain } from "../../support/kit.js";
import { listen } from "../../support/http.js";

const token = { httpAuthSecurityScheme: { scheme: "Bearer" } };

/**
 * Starts an agent that shows its card to callers with one of some tokens only; returns its URL and
 * all headers.
 */
async function privateAgent(accepted: readonly string[]) {
  const seen: (string | undefined)[] = [];
  const server = createServer();
  const url = await listen((request, response) => {
    seen.push(request.headers.authorization);
    server.emit("request", request, response);
  });
  const card = {
    ...plain,
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.1" }],
    securitySchemes: { token },
    securityRequirements: [{ schemes: { token: { list: [] } } }],
  };
  const known = (authorization: string | undefined) =>
    accepted.includes(authorization?.replace(/^Bearer /, "") ?? "");
  const agent = createAgent({
    card({ headers }) {
      if (!known(headers.get("authorization"))) throw new UnauthenticatedError();
      return card;
    },
    authenticate: ({ headers }) => (known(headers.get("authorization")) ? "ada" : undefined),
    service: {
      getTask: async ({ id }) => ({ id, status: { state: "TASK_STATE_WORKING" as const } }),
    },
  });
  server.on("request", nodeListener(agent));
  return { url, seen };
}

const open = (url: string, find: FindCredentials) =>
  connect(url, { interceptors: [withCredentials({ token: find }, { forCard: { token } })] });

describe("a client with credentials for the card", () => {
  it("the client reads a protected card and calls its agent", async () => {
    const { url, seen } = await privateAgent(["good"]);
    const client = await open(url, () => "good");
    expect((await client.getTask({ id: "t" })).id).toBe("t");
    expect(seen).toEqual(["Bearer good", "Bearer good"]);
    await expect(connect(url)).rejects.toBeInstanceOf(UnauthenticatedError);
  });

  it("the client obtains other credentials once if the card is refused", async () => {
    const { url, seen } = await privateAgent(["new"]);
    await open(url, ({ refused }) => (refused === undefined ? "old" : "new"));
    expect(seen).toEqual(["Bearer old", "Bearer new"]);
    await expect(open(url, ({ refused }) => `${refused ?? "a"}b`)).rejects.toBeInstanceOf(
      UnauthenticatedError,
    );
    expect(seen.slice(2)).toEqual(["Bearer ab", "Bearer abb"]);
  });

  it("the client does not send credentials to another origin that the agent redirects to", async () => {
    const { url, seen } = await privateAgent([]);
    const first: (string | undefined)[] = [];
    const redirecting = await listen((request, response) => {
      first.push(request.headers.authorization);
      response.writeHead(302, { location: `${url}${request.url ?? ""}` }).end();
    });
    await expect(open(redirecting, () => "secret")).rejects.toThrow();
    expect([first, seen]).toEqual([["Bearer secret"], [undefined]]);
  });
});
