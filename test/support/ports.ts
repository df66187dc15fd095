import { Server } from "@grpc/grpc-js";
import { createServer, type Server as HttpServer } from "node:http";
import { onTestFinished } from "vitest";
import { listen, stop } from "../../examples/shared/ports.js";

/** Servers that listen on free ports and do not answer yet. */
export interface Ports {
  readonly url: string;
  readonly grpcUrl: string;
  readonly http: HttpServer;
  readonly grpc: Server;
}

/** Opens a port for HTTP and one for gRPC, for one test. */
export async function openPorts(): Promise<Ports> {
  const [http, grpc] = [createServer(), new Server()];
  const addresses = await listen(http, grpc, { host: "127.0.0.1" });
  onTestFinished(() => stop(http, grpc));
  return { ...addresses, http, grpc };
}
