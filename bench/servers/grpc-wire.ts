import type { Wire } from "./compare.js";
import { grpcLines, type GrpcRequest } from "./grpc-line.js";
import { concurrentCalls } from "./line.js";

/** Concurrent calls share a few connections, as callers share channels. */
const connections = 4;

/** Calls a method over gRPC. `read` decodes a message of its responses. */
export function grpcWire(request: GrpcRequest, read: (bytes: Uint8Array) => unknown): Wire {
  return {
    async open({ grpcPort }) {
      const opened = Array.from({ length: connections }, () =>
        grpcLines(grpcPort, request, concurrentCalls / connections),
      );
      return (await Promise.all(opened)).flat();
    },
    read,
  };
}
