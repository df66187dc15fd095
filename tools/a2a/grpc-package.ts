import { protocol } from "../../generated/1.0/operations.js";
import { modelVersionOf, type AgentInterface, type TransportFactory } from "../agents/index.js";
import type { GrpcSecurity } from "./tls.js";

/** Returns whether an interface can be called if the gRPC package is installed. */
export function isGrpc({ binding, version }: Pick<AgentInterface, "binding" | "version">): boolean {
  return binding === protocol.bindings.grpc && ["1.0", "0.3"].includes(modelVersionOf(version));
}

/** Returns whether the gRPC package is installed. */
export function hasGrpc(): boolean {
  try {
    // `require` would also search the folders of NODE_PATH, from which `import` loads nothing.
    import.meta.resolve("@grpc/grpc-js");
    return true;
  } catch {
    return false;
  }
}

/** Loads the gRPC transports, if their package is installed. */
export async function grpcFactories(
  security: GrpcSecurity = {},
): Promise<readonly TransportFactory[] | undefined> {
  if (!hasGrpc()) return undefined;
  const { grpcTransports } = await import("./grpc.js");
  return grpcTransports(security);
}
