import { Server } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Call, Interceptor } from "../../../library/runtime/protocol/transport.js";
import {
  all,
  type ConnectOptions,
  type OrdersService,
  serving,
  shop,
  started,
  streamOf,
} from "./shop.js";

const {
  connectOrders,
  createServiceServer,
  errorDetail,
  grpc,
  grpcService,
  jsonRpc,
  NotFoundError,
  rest,
  serveOrders,
  UnauthenticatedError,
  UnavailableError,
  withRetryAfter,
  withToken,
} = await shop();

type Served = ReturnType<typeof serveOrders>;

const own = (served: Served) => started(createServiceServer(served));

function ofLibrary(served: Served): Promise<string> {
  const server = new Server();
  const { definition, implementation } = grpcService(served);
  server.addService(definition, implementation);
  return serving(server);
}

const peers = [
  { name: "HTTP+JSON", transport: rest, start: own },
  { name: "JSON-RPC", transport: jsonRpc, start: own },
  { name: "gRPC", transport: grpc, start: own },
  { name: "gRPC with a server of grpc-js", transport: grpc, start: ofLibrary },
];
type Peer = (typeof peers)[number];

/** Returns a client for a service, which is closed when the test ends. */
async function clientOf(
  { transport, start }: Peer,
  service: Partial<OrdersService>,
  options: ConnectOptions,
  authenticate?: Parameters<typeof serveOrders>[0]["authenticate"],
) {
  const served = serveOrders({ service, ...(authenticate && { authenticate }) });
  const client = connectOrders(await start(served), { ...options, transport: transport() });
  onTestFinished(() => {
    client.close();
  });
  return client;
}

describe.each(peers)("$name", (peer) => {
  it("headers of the client, of an interceptor and of a call reach the service", async () => {
    const received: (string | undefined)[] = [];
    const service: Partial<OrdersService> = {
      getOrder(_, { headers }) {
        received.push(...["x-client", "x-between", "x-call"].map((name) => headers.get(name)));
        return {};
      },
    };
    const between: Interceptor = {
      unary: (call, next) =>
        next({ ...call, headers: { ...call.headers, "x-between": call.name } }),
    };
    const options = { headers: { "x-client": "1", "x-call": "1" }, interceptors: [between] };
    const client = await clientOf(peer, service, options);
    await client.getOrder({ id: "1" }, { headers: { "X-Call": "2" } });
    expect(received).toEqual(["1", "GetOrder", "2"]);
  });

  it("the time-out of a client and the signal of a call end it", async () => {
    const service: Partial<OrdersService> = {
      getOrder: () => new Promise(() => undefined),
    };
    const client = await clientOf(peer, service, { timeoutMs: 1 });
    await expect(client.getOrder({ id: "1" })).rejects.toThrow(
      expect.objectContaining({ name: "TimeoutError" }) as Error,
    );
    const reason = new Error("No longer needed");
    const signal = AbortSignal.abort(reason);
    await expect(client.getOrder({ id: "1" }, { signal, timeoutMs: Infinity })).rejects.toBe(
      reason,
    );
  });

  it("a rejected token is replaced once, for calls and streams", async () => {
    const tokens: string[] = [];
    const authenticate = ({ headers }: { headers: { get(name: string): string | undefined } }) => {
      const token = headers.get("authorization") ?? "none";
      tokens.push(token);
      return token === "Bearer new" ? { name: "Ann" } : undefined;
    };
    let current = "old";
    const found: (string | undefined)[] = [];
    const token = withToken(({ refused }) => {
      found.push(refused);
      if (refused !== undefined) current = "new";
      return current;
    });
    const service: Partial<OrdersService> = {
      getOrder: () => ({ id: "1" }),
      watchOrder: () => streamOf({ id: "1" }),
    };
    const client = await clientOf(peer, service, { interceptors: [token] }, authenticate);
    expect(await client.getOrder({ id: "1" })).toEqual({ id: "1" });
    expect(tokens).toEqual(["Bearer old", "Bearer new"]);
    expect(found).toEqual([undefined, "old"]);
    current = "old";
    expect(await all(client.watchOrder({ id: "1" }))).toEqual([{ id: "1" }]);
    expect(tokens).toHaveLength(4);
    const headers = { authorization: "Bearer of the call" };
    await expect(client.getOrder({ id: "1" }, { headers })).rejects.toThrow(UnauthenticatedError);
    expect(found).toHaveLength(4);
  });

  it("a service that is unavailable is called again after its delay, or after the client's", async () => {
    let calls = 0;
    const service: Partial<OrdersService> = {
      getOrder({ id }) {
        calls += 1;
        const details = id === "named" ? [errorDetail("RetryInfo", { retryDelay: "0.001s" })] : [];
        if (calls < 3) throw new UnavailableError("The shop is closed", { details });
        return { id: String(calls) };
      },
      async *watchOrder({ id }) {
        calls += 1;
        if (calls < 3) throw new UnavailableError("The shop is closed");
        yield* streamOf({ id: String(calls) });
        if (id === "lost") throw new UnavailableError("The shop has closed");
      },
    };
    const isRepeatable = ({ name }: Call) => name !== "PlaceOrder";
    const named = withRetryAfter({ isRepeatable });
    const client = await clientOf(peer, service, { interceptors: [named] });
    expect(await client.getOrder({ id: "named" })).toEqual({ id: "3" });
    calls = 0;
    await expect(client.getOrder({ id: "1" })).rejects.toThrow("The shop is closed");
    expect(calls).toBe(1);
    const delays: number[] = [];
    const delayMs = (retries: number) => delays.push(retries) * 0;
    const retry = withRetryAfter({ delayMs });
    const patient = await clientOf(peer, service, { interceptors: [retry] });
    calls = 0;
    expect(await patient.getOrder({ id: "1" })).toEqual({ id: "3" });
    calls = 0;
    expect(await all(patient.watchOrder({ id: "1" }))).toEqual([{ id: "3" }]);
    expect(delays).toEqual([0, 1, 0, 1]);
    const lost = all(patient.watchOrder({ id: "lost" }));
    await expect(lost).rejects.toThrow("The shop has closed");
    expect(delays).toHaveLength(4);
  });

  it("calls that may change something and final errors are not repeated", async () => {
    let calls = 0;
    const service: Partial<OrdersService> = {
      placeOrder() {
        calls += 1;
        throw new UnavailableError("The shop is closed");
      },
      getOrder() {
        calls += 1;
        throw new NotFoundError("There is none");
      },
    };
    const retry = withRetryAfter({ delayMs: () => 0 });
    const client = await clientOf(peer, service, { interceptors: [retry] });
    await expect(client.placeOrder({})).rejects.toThrow(UnavailableError);
    await expect(client.getOrder({ id: "1" })).rejects.toThrow(NotFoundError);
    expect(calls).toBe(2);
  });

  it("the context of a call has the deadline of its caller over gRPC", async () => {
    const deadlines: (number | undefined)[] = [];
    const service: Partial<OrdersService> = {
      getOrder(_, { deadline }) {
        deadlines.push(deadline);
        return {};
      },
    };
    const client = await clientOf(peer, service, {});
    await client.getOrder({ id: "1" });
    const before = Date.now();
    await client.getOrder({ id: "1" }, { timeoutMs: 60_000 });
    const [none, deadline = 0] = deadlines;
    expect(none).toBeUndefined();
    if (peer.transport !== grpc) expect(deadlines).toEqual([undefined, undefined]);
    else expect([before + 50_000 < deadline, deadline < Date.now() + 70_000]).toEqual([true, true]);
  });
});

it("a call that has not reached a server is repeated, even if it may change something", async () => {
  const unsent = { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) };
  let requests = 0;
  const fetch = () => {
    requests += 1;
    return requests < 3
      ? Promise.reject(new TypeError("fetch failed", unsent))
      : Promise.resolve(Response.json({ id: "1" }));
  };
  const interceptors = [withRetryAfter({ delayMs: () => 0 })];
  const client = connectOrders("http://shop.test", { fetch, interceptors, transport: rest() });
  expect(await client.placeOrder({})).toEqual({ id: "1" });
  expect(requests).toBe(3);
});

it("an empty token is an error of the call, and a missing token is not sent", async () => {
  const sent: string[] = [];
  const fetch = (_: string, { headers }: RequestInit) => {
    sent.push(new Headers(headers).get("authorization") ?? "none");
    return Promise.resolve(Response.json({}));
  };
  const connected = (token: string | undefined) =>
    connectOrders("http://shop.test", {
      fetch,
      interceptors: [withToken(() => token)],
      transport: rest(),
    });
  await connected(undefined).getOrder({ id: "1" });
  await expect(connected(" ").getOrder({ id: "1" })).rejects.toThrow(
    "The token is empty: return undefined to send no token",
  );
  expect(sent).toEqual(["none"]);
});
