import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Server, ServerCredentials } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import type { Interceptor } from "../../../library/runtime/protocol/transport.js";
import type { CallOptions, TransportFactory } from "../../../library/runtime/protocol/transport.js";
import type { withRetryAfter } from "../../../library/runtime/client/retries.js";
import type { withToken } from "../../../library/runtime/client/token.js";
import type { A2AError, ErrorDetail } from "../../../library/runtime/protocol/error.js";
import type { errorDetail } from "../../../library/runtime/protocol/error-details.js";
import type { HttpHandler } from "../../../library/runtime/http/server.js";
import type { GrpcService } from "../../../library/runtime/bindings/grpc/server.js";
import type { WireServer } from "../../../library/runtime/bindings/http2/server.js";
import type { CallContext } from "../../../library/runtime/server/context.js";
import type { ServedService } from "../../../library/runtime/server/served-service.js";
import {
  findSource,
  generateFrom,
  libraryOptions,
  sourceOf,
  writeTo,
} from "../../support/output.js";

const path = join("test", "fixtures", "services", "shop.proto");

/** A specification with two services, whose rpcs stream in all four ways. */
export const shopSource = findSource(path);

export interface Order {
  readonly id?: string;
  readonly items?: readonly Item[];
}

export interface Item {
  readonly name?: string;
  readonly count?: number;
}

interface OrderRequest {
  readonly id?: string;
}

type Result<T> = T | Promise<T>;

/** The context of a call, as far as tests use it. */
export type Context = Pick<
  CallContext,
  "deadline" | "headers" | "responseHeaders" | "responseTrailers" | "signal"
>;

/** The interface of the service `Orders`, as the output declares it. */
export interface OrdersService {
  placeOrder(request: Order, context: Context): Result<Order>;
  getOrder(request: OrderRequest, context: Context): Result<Order>;
  watchOrder(request: OrderRequest, context: Context): AsyncIterable<Order>;
  countItems(request: AsyncIterable<Item>, context: Context): Result<Item>;
  echo(request: AsyncIterable<Item>, context: Context): AsyncIterable<Item>;
}

interface ServiceClient {
  close(): void;
}

export interface OrdersClient extends ServiceClient {
  placeOrder(request?: Order, options?: CallOptions): Promise<Order>;
  getOrder(request?: OrderRequest, options?: CallOptions): Promise<Order>;
  watchOrder(request?: OrderRequest, options?: CallOptions): AsyncIterable<Order>;
  countItems(request: AsyncIterable<Item>, options?: CallOptions): Promise<Item>;
  echo(request: AsyncIterable<Item>, options?: CallOptions): AsyncIterable<Item>;
}

export interface SupportClient extends ServiceClient {
  ask(request?: Item): Promise<Item>;
  getOrder(request?: OrderRequest): Promise<Order>;
}

export interface ConnectOptions {
  readonly transport?: TransportFactory;
  readonly headers?: Readonly<Record<string, string>>;
  readonly interceptors?: readonly Interceptor[];
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  readonly timeoutMs?: number;
}

interface ServeOptions<Service> {
  readonly service: Partial<Service>;
  readonly authenticate?: (caller: {
    headers: { get(name: string): string | undefined };
  }) => unknown;
  readonly onError?: (error: unknown) => void;
}

type Services = ServedService | readonly ServedService[];
type ErrorClass = new (message?: string, options?: { details?: ErrorDetail[] }) => A2AError;

/** The exports of the output that tests use. */
export interface Shop {
  readonly connectOrders: (url: string | URL, options?: ConnectOptions) => OrdersClient;
  readonly connectSupport: (url: string | URL, options?: ConnectOptions) => SupportClient;
  readonly serveOrders: (options: ServeOptions<OrdersService>) => ServedService;
  readonly serveSupport: (
    options: ServeOptions<{ ask(request: Item): Result<Item> }>,
  ) => ServedService;
  readonly createServiceServer: (services: Services) => WireServer;
  readonly grpcService: (service: ServedService) => GrpcService;
  readonly httpHandler: (services: Services, options?: object) => HttpHandler;
  readonly fetchHandler: (
    services: Services,
    options?: object,
  ) => (request: Request) => Promise<Response>;
  readonly rest: () => TransportFactory;
  readonly jsonRpc: () => TransportFactory;
  readonly grpc: () => TransportFactory;
  readonly fieldViolations: (problems: Readonly<Record<string, string>>) => ErrorDetail;
  readonly clientErrors: { readonly classes: readonly ErrorClass[] };
  readonly NotFoundError: ErrorClass;
  readonly RpcError: ErrorClass;
  readonly UnauthenticatedError: ErrorClass;
  readonly UnavailableError: ErrorClass;
  readonly errorDetail: typeof errorDetail;
  readonly withRetryAfter: typeof withRetryAfter;
  readonly withToken: typeof withToken;
}

/** Returns a specification that consists of texts, with the manifest of services. */
export function servicesSource(proto: string, files: Readonly<Record<string, string>> = {}) {
  const { manifests, borrowed } = shopSource;
  return { ...sourceOf(proto, files), manifests, borrowed };
}

let loaded: Promise<Shop> | undefined;

/** Returns the modules of the output of {@link shopProto}. */
export function shop(): Promise<Shop> {
  return (loaded ??= load());
}

async function load(): Promise<Shop> {
  const generated = await generateFrom(shopSource, libraryOptions);
  const folder = writeTo(`shop-${String(process.pid)}`, generated);
  const files = ["index", "client/grpc", "server/grpc", "server/http2", "server/node"];
  const modules = files.map((file) => import(join(folder, `${file}.ts`)) as Promise<object>);
  return Object.assign({}, ...(await Promise.all(modules))) as Shop;
}

/** Starts a server on a free port until the test ends. Returns its URL. */
export async function started(server: WireServer): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${String(port)}`;
}

/** Starts a server of grpc-js on a free port until the test ends. Returns its URL. */
export async function serving(server: Server): Promise<string> {
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  onTestFinished(() => {
    server.forceShutdown();
  });
  return `http://127.0.0.1:${String(port)}`;
}

/** Returns all elements of a stream. */
export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const element of stream) found.push(element);
  return found;
}

/** Returns a stream of elements. */
export async function* streamOf<T>(...elements: readonly T[]): AsyncGenerator<T> {
  for (const element of elements) yield await Promise.resolve(element);
}
