// gRPC, for clients and agents. Requires `@grpc/grpc-js`.
// Only generated code and the tools import this module.

export { createGrpcTransport, type GrpcTransportOptions } from "../runtime/bindings/grpc/client.js";
export {
  type GrpcService,
  grpcService,
  grpcServiceByTenant,
} from "../runtime/bindings/grpc/server.js";
