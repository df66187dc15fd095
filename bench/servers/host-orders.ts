import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { loadOutput, statesOf } from "./orders.js";
import type { Ready } from "./work.js";

/** Serves orders with the output, on its server for gRPC. */
export async function start(): Promise<Ready> {
  const { createServiceServer, serveOrders } = await loadOutput();
  const service = serveOrders({
    service: { placeOrder: (order) => order, watchOrder: ({ id = "" }) => statesOf(id) },
  });
  const server = createServiceServer(service);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { httpPort: 0, grpcPort: (server.address() as AddressInfo).port };
}
