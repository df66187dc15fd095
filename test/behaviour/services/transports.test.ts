import { describe, expect, it } from "vitest";
import {
  all,
  type ConnectOptions,
  type Order,
  type OrdersService,
  shop,
  started,
  streamOf,
} from "./shop.js";

const {
  clientErrors,
  connectOrders,
  connectSupport,
  createServiceServer,
  fieldViolations,
  grpc,
  jsonRpc,
  NotFoundError,
  rest,
  RpcError,
  serveOrders,
  serveSupport,
} = await shop();

const known: Order = { id: "1", items: [{ name: "tea", count: 2 }] };

const service: OrdersService = {
  placeOrder: (order) => ({ ...order, id: "1" }),
  getOrder({ id = "" }) {
    const named = clientErrors.classes.find(({ name }) => name === id);
    if (named !== undefined)
      throw new named(`It is ${id}`, { details: [fieldViolations({ id: "is an error" })] });
    if (id === "secret") throw new Error("secret");
    if (id === "other") throw new RpcError("Another error");
    return known;
  },
  async *watchOrder({ id = "" }) {
    yield* streamOf(known, {});
    if (id === "lost") throw new NotFoundError("lost");
  },
  async countItems(items) {
    let count = 0;
    for await (const item of items) count += item.count ?? 0;
    return { count };
  },
  async *echo(items) {
    for await (const item of items) yield item;
  },
};

const transports = [rest, jsonRpc, grpc];

async function server() {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const support = serveSupport({ service: { ask: ({ name = "" }) => ({ name: `${name}?` }) } });
  const orders = serveOrders({ service, onError });
  return { url: await started(createServiceServer([orders, support])), errors };
}

describe.each(transports)("%o", (transport) => {
  const options: ConnectOptions = { transport: transport() };

  it("a call gets its response, with the values of the proto", async () => {
    const { url } = await server();
    const client = connectOrders(url, options);
    const { items = [] } = known;
    expect(await client.placeOrder({ items })).toEqual(known);
    expect(await client.getOrder({ id: "1" })).toEqual(known);
    client.close();
  });

  it("a stream gets all events, and then its error", async () => {
    const { url } = await server();
    const client = connectOrders(url, options);
    expect(await all(client.watchOrder({ id: "1" }))).toEqual([known, {}]);
    const seen: Order[] = [];
    await expect(async () => {
      for await (const order of client.watchOrder({ id: "lost" })) seen.push(order);
    }).rejects.toThrow(NotFoundError);
    expect(seen).toEqual([known, {}]);
    client.close();
  });

  it.each(clientErrors.classes)(
    "callers receive %o with its message and details",
    async (Thrown) => {
      const { url } = await server();
      const client = connectOrders(url, options);
      const caught: unknown = await client
        .getOrder({ id: Thrown.name })
        .catch((error: unknown) => error);
      client.close();
      expect(caught).toBeInstanceOf(Thrown);
      expect(caught).toBeInstanceOf(RpcError);
      const { name, details, message } = caught as InstanceType<typeof RpcError>;
      expect([name, message]).toEqual([Thrown.name, `It is ${Thrown.name}`]);
      expect(details).toEqual([fieldViolations({ id: "is an error" })]);
    },
  );

  it("callers receive an error without a class as an error of unknown cause", async () => {
    const { url } = await server();
    const client = connectOrders(url, options);
    await expect(client.getOrder({ id: "other" })).rejects.toMatchObject({
      name: "UnknownError",
      message: "Another error",
    });
    client.close();
  });

  it("a call may have a time-out of any number of years", async () => {
    const { url } = await server();
    const client = connectOrders(url, options);
    for (const timeoutMs of [1e12, 1e15, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Infinity])
      expect(await client.getOrder({ id: "1" }, { timeoutMs })).toEqual(known);
    client.close();
  });

  it("callers of a missing operation, and of a failing one, get no information", async () => {
    const { url, errors } = await server();
    const support = connectSupport(url, options);
    await expect(support.getOrder({ id: "1" })).rejects.toMatchObject({
      grpcStatus: "UNIMPLEMENTED",
    });
    const client = connectOrders(url, options);
    await expect(client.getOrder({ id: "secret" })).rejects.toMatchObject({
      grpcStatus: "INTERNAL",
      message: "Internal error",
    });
    expect(errors).toEqual([new Error("secret")]);
    client.close();
    support.close();
  });
});

it("gRPC carries streams of requests, and both directions of a stream at the same time", async () => {
  const { url } = await server();
  const client = connectOrders(url, { transport: grpc() });
  const items = [{ name: "tea", count: 2 }, { count: 3 }];
  expect(await client.countItems(streamOf(...items))).toEqual({ count: 5 });
  const seen: number[] = [];
  let answered: () => void = () => undefined;
  const sent = async function* () {
    for (const count of [1, 2, 3]) {
      const answer = new Promise<void>((resolve) => (answered = resolve));
      yield { count };
      // The next request is only sent after the response to the last one.
      await answer;
    }
  };
  for await (const { count = 0 } of client.echo(sent())) {
    seen.push(count);
    answered();
  }
  expect(seen).toEqual([1, 2, 3]);
  client.close();
});

it("a client without a transport uses HTTP+JSON if the proto has all routes, otherwise JSON-RPC", async () => {
  const { url } = await server();
  const urls: string[] = [];
  const recorded: ConnectOptions["fetch"] = (to, init) => {
    urls.push(to.slice(url.length));
    return fetch(to, init);
  };
  await connectOrders(url, { fetch: recorded }).getOrder({ id: "1" });
  await connectSupport(`${url}/`, { fetch: recorded }).ask({ name: "Why" });
  expect(urls).toEqual(["/v1/orders/1", "/shop.v1.Support"]);
});

it("a call over a transport that does not carry its operation fails without a request", async () => {
  const client = connectOrders("http://127.0.0.1:1");
  await expect(client.countItems(streamOf())).rejects.toThrow(
    "HTTP+JSON does not support CountItems",
  );
  const support = connectSupport("http://127.0.0.1:1", { transport: rest() });
  await expect(support.ask()).rejects.toThrow("HTTP+JSON does not support Ask");
});

it("connect refuses a URL without a scheme, except for gRPC", () => {
  expect(() => connectOrders("localhost:3000")).toThrow(
    'The URL of shop.v1.Orders must begin with https:// or http://, got "localhost:3000"',
  );
  connectOrders("localhost:3000", { transport: grpc() }).close();
});
