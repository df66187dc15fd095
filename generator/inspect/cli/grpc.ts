import { credentials } from "@grpc/grpc-js";
import { grpc } from "../../../generated/1.0-package/client/grpc.js";
import { grpc as grpc0_3 } from "../../../generated/1.0-package/versions/0.3/grpc.js";
import type { TransportFactory } from "../core/index.js";

/** Returns the gRPC transports of all versions. */
export function grpcTransports(isInsecure: boolean): readonly TransportFactory[] {
  const options = isInsecure
    ? { credentials: credentials.createSsl(null, null, null, { rejectUnauthorized: false }) }
    : {};
  return [grpc(options), grpc0_3(options)];
}
