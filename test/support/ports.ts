import { Server, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { createServer, type RequestListener, type Server as HttpServer } from "node:http";
import type { Server as NetServer } from "node:net";
import { onTestFinished } from "vitest";
import { listen, stop } from "../../examples/shared/ports.js";

/** Functions of an output that serve an agent. */
export interface Serving<Agent> {
  nodeListener(agent: Agent): RequestListener;
  grpcService(agent: Agent): {
    readonly definition: ServiceDefinition;
    readonly implementation: UntypedServiceImplementation;
  };
}

/** Servers that listen on free ports and do not answer yet. */
export interface Ports {
  readonly url: string;
  readonly grpcUrl: string;
  readonly http: HttpServer;
  readonly grpc: Server;
  /** Serves an agent over every transport. */
  readonly serve: <Agent>(output: Serving<Agent>, agent: Agent) => void;
}

/** Opens a port for HTTP and one for gRPC, for one test. */
export async function openPorts(): Promise<Ports> {
  const [http, grpc] = [createServer(), new Server()];
  const addresses = await listen(http, grpc, { host: "127.0.0.1" });
  onTestFinished(() => stop(http, grpc));
  return {
    ...addresses,
    http,
    grpc,
    serve(output, agent) {
      const { definition, implementation } = output.grpcService(agent);
      grpc.addService(definition, implementation);
      http.on("request", output.nodeListener(agent));
    },
  };
}

/** Returns the port that a server listens on. */
export function portOf(server: Pick<NetServer, "address">): number {
  const address = server.address();
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("The server does not listen on a port");
}
