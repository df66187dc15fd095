import {
  Client,
  credentials,
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  Server,
  status,
} from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { expect, it, onTestFinished } from "vitest";
import { all, type Item, serving, shop, shopSource, started, streamOf } from "./shop.js";

const { connectOrders, createServiceServer, grpc, grpcService, serveOrders } = await shop();

// The peers are grpc-js with the codecs of protobuf.js, which know nothing of the output.
const withoutRoutes = (shopSource.proto?.text ?? "")
  .replace(/^import.*$/m, "")
  .replaceAll(/\{\s*option[^;]*;\s*\}/g, ";");
const { root } = protobuf.parse(withoutRoutes);

function codecOf(name: string) {
  const type = root.lookupType(`shop.v1.${name}`);
  return {
    write: (value: unknown) => Buffer.from(type.encode(type.fromObject(value as object)).finish()),
    read: (bytes: Uint8Array) => type.toObject(type.decode(bytes), { defaults: false }),
  };
}

const [item, count, order, request] = ["Item", "Count", "Order", "OrderRequest"].map(codecOf) as [
  ReturnType<typeof codecOf>,
  ReturnType<typeof codecOf>,
  ReturnType<typeof codecOf>,
  ReturnType<typeof codecOf>,
];

const path = (method: string) => `/shop.v1.Orders/${method}`;

const service = serveOrders({
  service: {
    getOrder: ({ id = "" }) => ({ id, items: [{ name: "tea" }] }),
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
  { name: "the server of the output", start: () => started(createServiceServer(service)) },
  {
    name: "a server of grpc-js with the service of the output",
    start: async () => {
      const server = new Server();
      const { definition, implementation } = grpcService(service);
      server.addService(definition, implementation);
      return serving(server);
    },
  },
];

it.each(servers)("a client of grpc-js calls all kinds of rpcs of $name", async ({ start }) => {
  const client = new Client((await start()).slice("http://".length), credentials.createInsecure());
  onTestFinished(() => {
    client.close();
  });
  const once = (run: (done: (error: Error | null, value?: unknown) => void) => unknown) =>
    new Promise((resolve, reject) => {
      run((error, value) => {
        if (error === null) resolve(value);
        else reject(error);
      });
    });
  expect(
    await once((done) =>
      client.makeUnaryRequest(path("GetOrder"), request.write, order.read, { id: "1" }, done),
    ),
  ).toEqual({ id: "1", items: [{ name: "tea" }] });
  const watched = client.makeServerStreamRequest(path("WatchOrder"), request.write, order.read, {
    id: "1",
  });
  expect(await all(watched)).toEqual([{ id: "1" }, { id: "1!" }]);
  expect(
    await once((done) => {
      const call = client.makeClientStreamRequest(path("CountItems"), item.write, count.read, done);
      call.write({ count: 2 });
      call.write({ count: 3 });
      call.end();
    }),
  ).toEqual({ count: 5 });
  const echo = client.makeBidiStreamRequest(path("Echo"), item.write, item.read);
  echo.write({ name: "a" });
  echo.write({ name: "b" });
  echo.end();
  expect(await all(echo)).toEqual([{ name: "a" }, { name: "b" }]);
  const missing = once((done) =>
    client.makeUnaryRequest(path("PlaceOrder"), order.write, order.read, {}, done),
  );
  await expect(missing).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
});

it("a client of the output calls all kinds of rpcs of a server of grpc-js", async () => {
  const server = new Server();
  const method = (
    name: string,
    [input, output]: readonly [typeof item, typeof item],
    streams: { readonly requestStream: boolean; readonly responseStream: boolean },
  ) => ({
    path: path(name),
    ...streams,
    requestSerialize: input.write,
    requestDeserialize: input.read,
    responseSerialize: output.write,
    responseDeserialize: output.read,
  });
  const one = { requestStream: false, responseStream: false };
  const definition = {
    getOrder: method("GetOrder", [request, order], one),
    watchOrder: method("WatchOrder", [request, order], { ...one, responseStream: true }),
    countItems: method("CountItems", [item, count], { ...one, requestStream: true }),
    echo: method("Echo", [item, item], { requestStream: true, responseStream: true }),
  };
  const implementation: {
    getOrder: handleUnaryCall<{ id: string }, object>;
    watchOrder: handleServerStreamingCall<{ id: string }, object>;
    countItems: handleClientStreamingCall<{ count: number }, object>;
    echo: handleBidiStreamingCall<object, object>;
  } = {
    getOrder(call, done) {
      const { id } = call.request;
      if (id === "none")
        done({ code: status.NOT_FOUND, details: "There is none", metadata: new Metadata() });
      else done(null, { id });
    },
    watchOrder(call) {
      const { id } = call.request;
      call.write({ id });
      call.write({ id: `${id}!` });
      call.end();
    },
    countItems(call, done) {
      let sum = 0;
      call.on("data", ({ count: each }: { count: number }) => (sum += each));
      call.on("end", () => {
        done(null, { count: sum });
      });
    },
    echo(call) {
      call.on("data", (value: object) => call.write(value));
      call.on("end", () => {
        call.end();
      });
    },
  };
  server.addService(definition, implementation);
  const client = connectOrders(await serving(server), { transport: grpc() });
  onTestFinished(() => {
    client.close();
  });
  expect(await client.getOrder({ id: "1" })).toEqual({ id: "1" });
  await expect(client.getOrder({ id: "none" })).rejects.toMatchObject({
    name: "NotFoundError",
    message: "There is none",
  });
  expect(await all(client.watchOrder({ id: "1" }))).toEqual([{ id: "1" }, { id: "1!" }]);
  expect(await client.countItems(streamOf<Item>({ count: 2 }, { count: 3 }))).toEqual({ count: 5 });
  const sent: Item[] = [{ name: "a" }, { name: "b" }];
  expect(await all(client.echo(streamOf(...sent)))).toEqual(sent);
  await expect(client.placeOrder({})).rejects.toMatchObject({ name: "UnimplementedError" });
});

it("a slow reader of a stream gets all messages before the error", async () => {
  const { NotFoundError } = await shop();
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
