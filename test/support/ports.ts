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

/** Returns a port that is free, for a process that takes it from its environment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}
