import { Server as GrpcServer, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen, stop } from "../../examples/shared/ports.js";
import { grpc } from "../../generated/1.0/client/grpc.js";
import {
  connect,
  fetchCard,
  jsonRpc,
  PermissionDeniedError,
  rest,
  TransportError,
  UnauthenticatedError,
  type AgentCard,
  type ConnectOptions,
} from "../../generated/1.0/index.js";
import { withCredentials } from "../../generated/1.0/kit/client/index.js";
import { failureOf } from "../support/everywhere.js";
import { json, nowhere, serve } from "../support/http.js";
import { errorOf } from "../support/errors.js";
import { aCard } from "../support/cards.js";

const task = { id: "t", status: { state: "TASK_STATE_WORKING" } };
const secret = "Bearer secret";
const headers = { authorization: secret };

/** A card with an interface at each URL. */
function cardAt(
  ...interfaces: readonly (readonly [url: string, protocolBinding: string])[]
): AgentCard {
  return aCard(
    interfaces.map(([url, protocolBinding]) => ({
      url,
      protocolBinding,
      protocolVersion: "1.0",
    })),
    { capabilities: { extendedAgentCard: true }, defaultInputModes: [], defaultOutputModes: [] },
  );
}

/**
 * A server that keeps the headers it gets, responds to calls over JSON-RPC and HTTP+JSON, and has a
 * card for others.
 */
async function agent(cardOf: (url: string) => AgentCard | string, status = 200) {
  const server = await serve(({ method, url = "", body }, response) => {
    const card = cardOf(server.url);
    if (url.endsWith(".json") && typeof card === "string")
      response.writeHead(302, { location: card }).end();
    else if (url.endsWith(".json")) json(response, card);
    else if (status !== 200) json(response, {}, status);
    else if (method === "GET") json(response, url.includes("extended") ? cardOf(server.url) : task);
    else {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      json(response, {
        jsonrpc: "2.0",
        id,
        result: method === "GetTask" ? task : cardOf(server.url),
      });
    }
  });
  const seen = () => server.requests.map((request) => request.headers.authorization);
  return { ...server, seen };
}

/** Makes calls of every kind by a client, and returns it. */
async function callAll(url: string | AgentCard, options: ConnectOptions) {
  const client = await connect(url, options);
  onTestFinished(() => client.close());
  await client.getTask({ id: "t" }, { headers: { "x-token": "own" } });
  await client.getExtendedAgentCard();
}

describe("the headers of a client", () => {
  const transports = {
    JSONRPC: jsonRpc({ headers: { cookie: "a=b" } }),
    "HTTP+JSON": rest({ headers: { cookie: "a=b" } }),
  };

  it.each(["JSONRPC", "HTTP+JSON"] as const)(
    "the headers are sent to the requested origin, over %s",
    async (binding) => {
      const asked = await agent((url) => cardAt([url, binding]));
      await callAll(asked.url, { headers, transports: [transports[binding]] });
      expect(asked.seen()).toEqual([secret, secret, secret]);
      expect(asked.requests.map((request) => request.headers.cookie)).toEqual([
        undefined,
        "a=b",
        "a=b",
      ]);
    },
  );

  it.each(["JSONRPC", "HTTP+JSON"] as const)(
    "the headers are sent to no other origin that a card names, over %s",
    async (binding) => {
      const other = await agent((url) => cardAt([url, binding]));
      const asked = await agent(() => cardAt([other.url, binding]));
      const call = () =>
        callAll(asked.url, { headers, extensions: ["urn:x"], transports: [transports[binding]] });
      await call();
      expect(asked.seen()).toEqual([secret]);
      expect(other.seen()).toEqual([undefined, undefined]);
      for (const { headers } of other.requests) {
        expect(headers).toMatchObject({ "a2a-version": "1.0", "a2a-extensions": "urn:x" });
        expect(headers).not.toHaveProperty("x-token");
        expect(headers).not.toHaveProperty("cookie");
      }
    },
  );

  it("the headers are sent to another origin if the option trustedOrigins names it, with any path", async () => {
    const other = await agent((url) => cardAt([url, "JSONRPC"]));
    const asked = await agent(() => cardAt([`${other.url}/rpc`, "JSONRPC"]));
    await callAll(asked.url, { headers, trustedOrigins: [`${other.url}/`] });
    expect(other.seen()).toEqual([secret, secret]);
  });

  it("the headers are sent neither to the target of a redirected discovery nor to the interfaces of that card", async () => {
    const other = await agent((url) => cardAt([url, "JSONRPC"], ["/", "HTTP+JSON"]));
    const asked = await agent(() => `${other.url}/card.json`);
    await callAll(asked.url, { headers });
    expect(asked.seen()).toEqual([secret]);
    expect(other.seen()).toEqual([undefined, undefined, undefined]);
    const named = await agent((url) => cardAt([url, "JSONRPC"]));
    const trusting = await agent(() => `${named.url}/card.json`);
    await callAll(trusting.url, { headers, trustedOrigins: [named.url] });
    expect(named.seen()).toEqual([secret, secret, secret]);
  });

  it("the headers are removed if a call switches to another origin", async () => {
    const other = await agent((url) => cardAt([url, "JSONRPC"]));
    const down = await nowhere();
    const asked = await agent((url) =>
      cardAt([down, "JSONRPC"], [other.url, "JSONRPC"], [url, "HTTP+JSON"]),
    );
    await callAll(asked.url, { headers, trustedOrigins: [down] });
    expect(other.seen()).toEqual([undefined, undefined]);
  });

  it("the headers are bound to the origin of discovery if the card is then passed to connect", async () => {
    const other = await agent((url) => cardAt([url, "JSONRPC"]));
    const asked = await agent(() => cardAt([other.url, "JSONRPC"]));
    await callAll(await fetchCard(asked.url, { headers }), { headers });
    expect([asked.seen(), other.seen()]).toEqual([[secret], [undefined, undefined]]);
    // A card that the application has from elsewhere names its origins itself.
    await callAll(cardAt([other.url, "JSONRPC"]), { headers });
    await callAll(cardAt([other.url, "JSONRPC"]), { headers, trustedOrigins: [asked.url] });
    expect(other.seen().slice(2)).toEqual([secret, secret, undefined, undefined]);
  });

  it.each([
    [401, UnauthenticatedError],
    [403, PermissionDeniedError],
  ])(
    "the error names the missing headers if another origin refuses the call with %i",
    async (status, Refused) => {
      const other = await agent((url) => cardAt([url, "JSONRPC"]), status);
      const asked = await agent(() => cardAt([other.url, "JSONRPC"]));
      const client = await connect(asked.url, { headers });
      const error = await failureOf(client.getTask({ id: "t" }));
      expect(error).toBeInstanceOf(Refused);
      expect(errorOf(error).message).toContain(
        `headers (authorization) were not sent to ${other.url}: add it to the option trustedOrigins`,
      );
      const bare = await connect(asked.url);
      expect((await failureOf(bare.getTask({ id: "t" }))) as Error).not.toMatchObject({
        message: expect.stringContaining("trustedOrigins") as string,
      });
    },
  );

  it("the headers are not sent as gRPC metadata unless the option trustedOrigins names the target", async () => {
    const seen: (string | number | undefined)[] = [];
    const [http, server] = [createServer(), new GrpcServer()];
    const path = "/lf.a2a.v1.A2AService/GetTask";
    const asIs = (bytes: Buffer) => bytes;
    const call = { path, requestStream: false, responseStream: false, originalName: "get" };
    server.addService(
      {
        get: {
          ...call,
          requestSerialize: asIs,
          requestDeserialize: asIs,
          responseSerialize: asIs,
          responseDeserialize: asIs,
        },
      },
      {
        get({ metadata }: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>) {
          seen.push(
            ...["authorization", "cookie"].map((name) => metadata.get(name)[0]?.toString()),
          );
          seen.push(metadata.get("a2a-version")[0]?.toString());
          // A Task with the id "t" and a status at work.
          respond(null, Buffer.from([0x0a, 1, 0x74, 0x1a, 2, 0x08, 2]));
        },
      },
    );
    const { grpcUrl } = await listen(http, server, { host: "127.0.0.1" });
    onTestFinished(() => stop(http, server));
    const asked = await agent(() => cardAt([grpcUrl, "GRPC"]));
    const transports = [grpc({ headers: { cookie: "a=b" } })];
    for (const trustedOrigins of [[], [grpcUrl]]) {
      const client = await connect(asked.url, { headers, transports, trustedOrigins });
      await client.getTask({ id: "t" });
      client.close();
    }
    expect(seen).toEqual([undefined, undefined, "1.0", secret, "a=b", "1.0"]);
  });
});

describe("credentials that are selected by the card", () => {
  const required = (card: AgentCard): AgentCard => ({
    ...card,
    securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { token: { list: [] } } }],
  });
  const find = { token: () => "secret" };

  it("the credentials are only sent to the requested origin", async () => {
    const other = await agent((url) => cardAt([url, "JSONRPC"]));
    const asked = await agent(() => required(cardAt([other.url, "JSONRPC"])));
    await callAll(asked.url, { interceptors: [withCredentials(find)] });
    expect(other.seen()).toEqual([undefined, undefined]);
  });

  it("the credentials match the card that the client uses, and not the card that was passed", async () => {
    const other = await agent((url) => cardAt([url, "JSONRPC"]));
    const asked = await agent(() => required(cardAt([other.url, "JSONRPC"])));
    const known = required(cardAt([asked.url, "JSONRPC"]));
    const credentials = withCredentials(find, { card: known, trustedOrigins: [asked.url] });
    // The option of connect does not extend the option of the credentials.
    const options = { interceptors: [credentials], trustedOrigins: [other.url] };
    const error = await failureOf(callAll(asked.url, options));
    expect(errorOf(error).message).toContain(`has an interface at ${other.url}`);
    // A card that no search has found.
    await callAll(required(cardAt([other.url, "JSONRPC"])), options).catch(() => undefined);
    expect(other.seen().filter((header) => header !== undefined)).toEqual([]);
  });

  it("a second attempt sends no credentials to an origin that the first attempt did not use", async () => {
    const other = await agent((url) => cardAt([url, "JSONRPC"]), 401);
    const asked = await agent(() => required(cardAt([other.url, "JSONRPC"])));
    let asks = 0;
    const late = { token: () => (asks++ === 0 ? undefined : "secret") };
    const client = await connect(asked.url, {
      interceptors: [withCredentials(late, { trustedOrigins: [asked.url] })],
      trustedOrigins: [other.url],
    });
    expect(await failureOf(client.getTask({ id: "t" }))).toBeInstanceOf(TypeError);
    expect(other.seen()).toEqual([undefined]);
  });
});

it("a card is read even if no transport of the client matches", async () => {
  const asked = await agent(() => cardAt(["queue:a", "urn:queue"]));
  expect((await fetchCard(asked.url)).supportedInterfaces[0]?.protocolBinding).toBe("urn:queue");
  expect(await failureOf(connect(asked.url))).toBeInstanceOf(TransportError);
});
