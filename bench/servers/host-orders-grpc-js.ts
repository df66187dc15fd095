import {
  loadPackageDefinition,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceClientConstructor,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { once } from "node:events";
import { importFolders, type Order, specification, statesOf } from "./orders.js";
import type { Ready } from "./work.js";

/** Serves orders with `@grpc/grpc-js`, and codecs of `@grpc/proto-loader`. */
export async function start(): Promise<Ready> {
  const definition = loadSync(specification, { includeDirs: importFolders });
  const { shop } = loadPackageDefinition(definition) as unknown as {
    readonly shop: { readonly v1: { readonly Orders: ServiceClientConstructor } };
  };
  const server = new Server();
  server.addService(shop.v1.Orders.service, {
    placeOrder({ request }: ServerUnaryCall<Order, Order>, done: sendUnaryData<Order>) {
      done(null, request);
    },
    async watchOrder(call: ServerWritableStream<{ readonly id: string }, Order>) {
      for await (const state of statesOf(call.request.id))
        if (!call.write(state)) await once(call, "drain");
      call.end();
    },
  });
  const grpcPort = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
  return { httpPort: 0, grpcPort };
}
