import { Server } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { listen } from "../../examples/shared/ports.js";
import { grpcService } from "../../generated/1.0/server/grpc.js";
import { makeAgent } from "./host-ours.js";
import type { Kind, Ready } from "./work.js";

/** Serves our agent over gRPC with `@grpc/grpc-js`. */
export async function start(kind: Kind): Promise<Ready> {
  const grpc = new Server();
  const { definition, implementation } = grpcService(makeAgent(kind));
  grpc.addService(definition, implementation);
  const { url, grpcUrl } = await listen(createServer(), grpc, { host: "127.0.0.1" });
  return { httpPort: Number(new URL(url).port), grpcPort: Number(grpcUrl.split(":")[1]) };
}
