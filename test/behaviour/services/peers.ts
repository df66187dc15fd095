import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createGrpcTransport } from "@connectrpc/connect-node";
import {
  type Client,
  credentials,
  loadPackageDefinition,
  Metadata,
  type requestCallback,
  Server,
  type ServiceClientConstructor,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { onTestFinished } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { reflect } from "../../oracle/reflection.js";
import { all, type Item, type Order, serving, shopSource, streamOf } from "./shop.js";

/** The calls of the service `Orders` in the form of every peer. */
export interface Calls {
  getOrder(id: string): Promise<Order>;
  watchOrder(id: string): Promise<Order[]>;
  countItems(items: readonly Item[]): Promise<number>;
  echo(items: readonly Item[]): Promise<Item[]>;
  /** Calls a method, and returns the number of the error's status. */
  refused(method: "getOrder" | "placeOrder", id: string): Promise<number>;
}

/** A library for gRPC that knows nothing of the output. */
export interface Peer {
  readonly name: string;
  /** Returns a client, which is closed when the test ends. */
  connect(url: string): Calls;
  /**
   * Starts a server until the test ends, and returns its URL. Orders with the id `none` are not
   * found, and `placeOrder` is not implemented.
   */
  serve(): Promise<string>;
}

// grpc-js with the codecs of proto-loader.

const folders = [join(packageFolder, "test", "fixtures", "services"), join(packageFolder, "spec")];
const definition = loadSync("shop.proto", { includeDirs: folders, arrays: false });
const { shop } = loadPackageDefinition(definition) as unknown as {
  readonly shop: { readonly v1: { readonly Orders: ServiceClientConstructor } };
};
const { Orders } = shop.v1;

type Callable = Client & Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/** Calls a method with one response. */
function responseTo<T>(call: (done: requestCallback<T>) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, response) => {
      if (error === null) resolve(response as T);
      else reject(error);
    });
  });
}

interface Stream extends AsyncIterable<unknown> {
  write(value: unknown): unknown;
  end(): unknown;
}

function sendAll(stream: Stream, items: readonly Item[]): void {
  for (const item of items) stream.write(item);
  stream.end();
}

/** In addition, its service is unavailable for orders with the id `closed`. */
export const protoLoader: Peer = {
  name: "grpc-js with proto-loader",
  connect(url) {
    const address = url.slice("http://".length);
    const client = new Orders(address, credentials.createInsecure()) as unknown as Callable;
    onTestFinished(() => {
      client.close();
    });
    const call = (method: string, ...args: readonly unknown[]) => client[method]?.(...args);
    return {
      getOrder: (id) => responseTo((done) => call("getOrder", { id }, done)),
      watchOrder: async (id) => (await all(call("watchOrder", { id }) as Stream)) as Order[],
      async countItems(items) {
        const response = await responseTo<{ count: number }>((done) => {
          sendAll(call("countItems", done) as Stream, items);
        });
        return response.count;
      },
      async echo(items) {
        const stream = call("echo") as Stream;
        sendAll(stream, items);
        return (await all(stream)) as Item[];
      },
      refused: (method, id) =>
        responseTo((done) => call(method, { id }, done)).then(
          () => status.OK,
          (error: unknown) => (error as { code: number }).code,
        ),
    };
  },
  async serve() {
    const server = new Server();
    server.addService(Orders.service, implementation);
    return await serving(server);
  },
};

interface Handled extends Stream {
  readonly request: { readonly id: string };
  on(event: "data", listener: (item: Item) => unknown): unknown;
  on(event: "end", listener: () => unknown): unknown;
}
type Done = (error: object | null, response?: object) => void;

const implementation: UntypedServiceImplementation = {
  getOrder({ request: { id } }: Handled, done: Done) {
    const details = "There is none";
    if (id === "none") done({ code: status.NOT_FOUND, details, metadata: new Metadata() });
    else if (id === "closed") done({ code: status.UNAVAILABLE, details: "Closed" });
    else done(null, { id });
  },
  watchOrder(call: Handled) {
    call.write({ id: call.request.id });
    call.write({ id: `${call.request.id}!` });
    call.end();
  },
  countItems(call: Handled, done: Done) {
    let count = 0;
    call.on("data", (item) => (count += item.count ?? 0));
    call.on("end", () => {
      done(null, { count });
    });
  },
  echo(call: Handled) {
    call.on("data", (item) => call.write(item));
    call.on("end", () => call.end());
  },
} as unknown as UntypedServiceImplementation;

// Connect, over gRPC.

const ordersOfConnect = reflect("shop", shopSource).getService("shop.v1.Orders");
if (ordersOfConnect === undefined) throw new Error("The proto has no service Orders");
const connectOrders: DescService = ordersOfConnect;

type ConnectCalls = Readonly<Record<string, (request: unknown) => unknown>>;

/** Returns the fields of a message of protobuf-es that are set. */
function plain(message: unknown): object {
  const isSet = ([name, value]: readonly [string, unknown]): boolean =>
    name !== "$typeName" && value !== "" && value !== 0 && String(value) !== "";
  return Object.fromEntries(Object.entries(message as object).filter(isSet));
}

const connect: Peer = {
  name: "Connect",
  connect(url) {
    const transport = createGrpcTransport({ baseUrl: url });
    const client = createClient(connectOrders, transport) as unknown as ConnectCalls;
    const call = (method: string, request: unknown) => client[method]?.(request);
    const received = async (stream: unknown) =>
      (await all(stream as AsyncIterable<unknown>)).map(plain);
    return {
      getOrder: async (id) => plain(await call("getOrder", { id })),
      watchOrder: (id) => received(call("watchOrder", { id })),
      async countItems(items) {
        const { count } = (await call("countItems", streamOf(...items))) as { count: number };
        return count;
      },
      echo: (items) => received(call("echo", streamOf(...items))),
      async refused(method, id) {
        try {
          await call(method, { id });
          return 0;
        } catch (error) {
          return ConnectError.from(error).code;
        }
      },
    };
  },
  async serve() {
    const routes = connectNodeAdapter({
      routes: (router) => {
        router.service(connectOrders, {
          getOrder({ id }: { id: string }) {
            if (id === "none") throw new ConnectError("There is none", Code.NotFound);
            return { id };
          },
          watchOrder: ({ id }: { id: string }) => streamOf({ id }, { id: `${id}!` }),
          async countItems(items: AsyncIterable<Item>) {
            let sum = 0;
            for await (const { count = 0 } of items) sum += count;
            return { count: sum };
          },
          async *echo(items: AsyncIterable<Item>) {
            for await (const item of items) yield item;
          },
        } as never);
      },
    });
    const server = createServer(routes);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const sessions = new Set<{ destroy(): void }>();
    server.on("session", (session) => sessions.add(session));
    onTestFinished(() => {
      server.close();
      for (const session of sessions) session.destroy();
    });
    const { port } = server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}`;
  },
};

/** The libraries that the output is tested with, in both directions. */
export const peers: readonly Peer[] = [protoLoader, connect];
