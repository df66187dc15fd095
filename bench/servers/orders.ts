import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { WireServer } from "../../library/runtime/bindings/http2/server.js";
import type { ServedService } from "../../library/runtime/server/served-service.js";
import { packageFolder } from "../../support/package-folder.js";
import { talks } from "./work.js";

/** Specification of a service that takes orders. */
export const specification = join(packageFolder, "test", "fixtures", "services", "shop.proto");

/** Folders in which the imports of the specification are. */
export const importFolders = [
  join(packageFolder, "test", "fixtures", "services"),
  join(packageFolder, "spec"),
];

/** Name of the service with its package. */
export const serviceName = "shop.v1.Orders";

export interface Order {
  readonly id?: string;
  readonly items?: readonly Item[];
}

export interface Item {
  readonly name?: string;
  readonly count?: number;
}

/** The order of all calls. */
export const order: Order = {
  id: "6b0cf0f1-6f50-4a6c-a9dc-0a4f3b6c1c55",
  items: [
    { name: "Darjeeling, first flush", count: 2 },
    { name: "Oolong", count: 1 },
    { name: "A pot of cast iron for four cups", count: 1 },
  ],
};

/** Returns the states of an order, asynchronously, as if another process reported them. */
export async function* statesOf(id: string): AsyncGenerator<Order> {
  const { count, word } = talks.stream;
  for (let index = 0; index < count; index += 1)
    yield { id, items: [{ name: await word(index), count: index + 1 }] };
}

/** The exports of the output for the specification that benchmarks use. */
export interface Output {
  readonly serveOrders: (options: {
    readonly service: {
      placeOrder(order: Order): Order;
      watchOrder(request: { readonly id?: string }): AsyncIterable<Order>;
    };
  }) => ServedService;
  readonly createServiceServer: (service: ServedService) => WireServer;
  readonly encodeOrder: (order: Order) => Uint8Array;
  readonly decodeOrder: (bytes: Uint8Array) => Order;
  readonly encodeOrderRequest: (request: { readonly id?: string }) => Uint8Array;
}

/** The files that an area makes for its hosts. */
export interface OrdersFiles {
  /** Module of the output, see {@link Output}. */
  readonly output: string;
  /** Descriptors of the specification for protobuf-es. */
  readonly descriptors: string;
}

/** Returns the paths of the files, which the area announces to its hosts in a variable. */
export function ordersFiles(): OrdersFiles {
  const folder = process.env["BENCH_ORDERS"] ?? "";
  return { output: join(folder, "output.mjs"), descriptors: join(folder, "image.binpb") };
}

/** Loads the output. */
export function loadOutput(): Promise<Output> {
  return import(pathToFileURL(ordersFiles().output).href) as Promise<Output>;
}
