import type { WireCall, WireMethod } from "./server-call.js";

/** Path of the health check that load balancers call. */
export const healthPath = "/grpc.health.v1.Health/Check";

/** Responses with the field `status`, after room for the prefix: SERVING and NOT_SERVING. */
const serving = Uint8Array.of(0, 0, 0, 0, 0, 8, 1);
const notServing = Uint8Array.of(0, 0, 0, 0, 0, 8, 2);

/** Returns the health check of gRPC for all services of a server. */
export function healthCheck(ready: () => unknown): WireMethod {
  const check = async (call: WireCall): Promise<void> => {
    try {
      await call.one();
      await ready();
      call.respond(serving);
    } catch {
      call.respond(notServing);
    }
  };
  return {
    name: "Check",
    requestStream: false,
    responseStream: false,
    handle(call) {
      void check(call);
    },
  };
}
