import { Server, status } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { peers, protoLoader } from "./peers.js";
import { all, type Item, serving, shop, started, streamOf } from "./shop.js";

const { connectOrders, createServiceServer, grpc, grpcService, NotFoundError, serveOrders } =
  await shop();

const service = serveOrders({
  service: {
    getOrder({ id = "" }) {
      if (id === "none") throw new NotFoundError("There is none");
      return { id };
    },
    watchOrder: ({ id = "" }) => streamOf({ id }, { id: `${id}!` }),
    async countItems(items) {
      let sum = 0;
      for await (const { count: each = 0 } of items) sum += each;
      return { count: sum };
    },
    async *echo(items) {
      for await (const each of items) yield each;
    },
  },
});

const servers = [
  { server: "the server of the output", start: () => started(createServiceServer(service)) },
  {
    server: "a server of grpc-js with the service of the output",
    start: () => {
      const server = new Server();
      const { definition, implementation } = grpcService(service);
      server.addService(definition, implementation);
      return serving(server);
    },
  },
];

const sent: readonly Item[] = [
  { name: "a", count: 2 },
  { name: "b", count: 3 },
];

describe.each(peers)("$name", (peer) => {
  it.each(servers)("a client calls all kinds of rpcs of $server", async ({ start }) => {
    const client = peer.connect(await start());
    expect(await client.getOrder("1")).toEqual({ id: "1" });
    expect(await client.watchOrder("1")).toEqual([{ id: "1" }, { id: "1!" }]);
    expect(await client.countItems(sent)).toBe(5);
    expect(await client.echo(sent)).toEqual(sent);
    expect(await client.refused("getOrder", "none")).toBe(status.NOT_FOUND);
    expect(await client.refused("placeOrder", "1")).toBe(status.UNIMPLEMENTED);
  });

  it("a server answers all kinds of rpcs of the client of the output", async () => {
    const client = connectOrders(await peer.serve(), { transport: grpc() });
    onTestFinished(() => {
      client.close();
    });
    expect(await client.getOrder({ id: "1" })).toEqual({ id: "1" });
    expect(await all(client.watchOrder({ id: "1" }))).toEqual([{ id: "1" }, { id: "1!" }]);
    expect(await client.countItems(streamOf(...sent))).toEqual({ count: 5 });
    expect(await all(client.echo(streamOf(...sent)))).toEqual(sent);
    await expect(client.getOrder({ id: "none" })).rejects.toMatchObject({
      name: "NotFoundError",
      message: "There is none",
    });
    await expect(client.placeOrder({})).rejects.toMatchObject({ name: "UnimplementedError" });
  });
});

it("a service of grpc-js that is unavailable is not an unreachable server", async () => {
  const client = connectOrders(await protoLoader.serve(), { transport: grpc() });
  onTestFinished(() => {
    client.close();
  });
  await expect(client.getOrder({ id: "closed" })).rejects.toMatchObject({
    name: "UnavailableError",
    message: "Closed",
  });
});

it("a slow reader of a stream gets all messages before the error", async () => {
  let fail = (): void => undefined;
  const failing = new Promise<void>((resolve) => (fail = resolve));
  const slow = serveOrders({
    service: {
      getOrder: ({ id = "" }) => ({ id }),
      async *watchOrder() {
        yield* streamOf({ id: "1" }, { id: "2" }, { id: "3" });
        await failing;
        throw new NotFoundError("The order is lost");
      },
    },
  });
  const client = connectOrders(await started(createServiceServer(slow)), { transport: grpc() });
  onTestFinished(() => {
    client.close();
  });
  const seen: unknown[] = [];
  const call = (async () => {
    for await (const order of client.watchOrder({ id: "1" })) {
      seen.push(order);
      if (seen.length > 1) continue;
      // The calls share a connection, so their responses arrive after the messages and the error.
      await client.getOrder({ id: "2" });
      fail();
      await client.getOrder({ id: "3" });
    }
  })();
  await expect(call).rejects.toThrow("The order is lost");
  expect(seen).toEqual([{ id: "1" }, { id: "2" }, { id: "3" }]);
});
