import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { ordersFiles, serviceName, statesOf, type Order } from "./orders.js";
import type { Ready } from "./work.js";

/** Serves orders with connect-node, over gRPC. */
export async function start(): Promise<Ready> {
  const descriptors = fromBinary(FileDescriptorSetSchema, readFileSync(ordersFiles().descriptors));
  const orders = createFileRegistry(descriptors).getService(serviceName);
  if (orders === undefined) throw new Error(`The specification has no service ${serviceName}`);
  const handler = connectNodeAdapter({
    routes: (router) => {
      // The type of a descriptor that is read at run time has no methods.
      router.service(orders, {
        placeOrder: (order: Order) => order,
        watchOrder: ({ id }: { readonly id: string }) => statesOf(id),
      } as never);
    },
  });
  const server = createServer(handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { httpPort: 0, grpcPort: (server.address() as AddressInfo).port };
}
