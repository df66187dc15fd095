import { ServerCredentials, type Server as GrpcServer } from "@grpc/grpc-js";
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";

/** The address and ports to listen on. Default of a port: a free port. */
export interface Addresses {
  readonly host: string;
  readonly port?: number;
  readonly grpcPort?: number;
}

/**
 * Opens the ports of both servers, or none, and returns their addresses. Rejects if a port is in
 * use.
 */
export async function listen(
  http: HttpServer,
  grpc: GrpcServer,
  { host, port = 0, grpcPort = 0 }: Addresses,
): Promise<{ readonly url: string; readonly grpcUrl: string }> {
  try {
    const grpcUrl = `${host}:${await listenGrpc(grpc, `${host}:${grpcPort}`)}`;
    return { url: `http://${host}:${await listenHttp(http, port, host)}/`, grpcUrl };
  } catch (error) {
    await stop(http, grpc);
    throw error;
  }
}

/** Closes all connections, including connections with open streams. */
export async function stop(http: HttpServer, grpc: GrpcServer): Promise<void> {
  grpc.forceShutdown();
  const closed = new Promise((resolve) => http.close(resolve));
  http.closeAllConnections();
  await closed;
}

function listenGrpc(server: GrpcServer, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, port: number): void =>
      error === null ? resolve(port) : reject(error);
    server.bindAsync(address, ServerCredentials.createInsecure(), done);
  });
}

async function listenHttp(server: HttpServer, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}
