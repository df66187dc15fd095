import { credentials } from "@grpc/grpc-js";
import { originOf } from "a2a-codegen-runtime/internal/client";
import { grpc, type GrpcOptions } from "../../generated/1.0/client/grpc.js";
import { grpc as grpc0_3 } from "../../generated/1.0/versions/0.3/grpc.js";
import type { TransportFactory } from "../agents/index.js";
import { type GrpcSecurity, tlsFor } from "./tls.js";

/** Returns the gRPC transports of all versions. */
export function grpcTransports(security: GrpcSecurity = {}): readonly TransportFactory[] {
  const withSecurity = (create: (options: GrpcOptions) => TransportFactory): TransportFactory => ({
    ...create({}),
    open: (target) => create(optionsFor(target.url, security)).open(target),
  });
  return [withSecurity(grpc), withSecurity(grpc0_3)];
}

function optionsFor(
  url: string,
  { isInsecure = false, tls, isTrusted = () => false }: GrpcSecurity,
): GrpcOptions {
  // A plain connection has no certificates.
  if ((!isInsecure && tls === undefined) || !originOf(url).startsWith("https:")) return {};
  const { ca, cert, key } = tls === undefined ? {} : tlsFor(tls, isTrusted(url));
  const bytes = (text: string | undefined): Buffer | null =>
    text === undefined ? null : Buffer.from(text);
  return {
    credentials: credentials.createSsl(bytes(ca), bytes(key), bytes(cert), {
      rejectUnauthorized: !isInsecure,
    }),
  };
}
