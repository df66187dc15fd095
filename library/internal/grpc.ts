// gRPC, for clients and agents. Requires `@grpc/grpc-js`.
// Only generated code and the tools import this module.

export { createGrpcTransport, type GrpcTransportOptions } from "../runtime/bindings/grpc/client.js";
export { type GrpcService, grpcService } from "../runtime/bindings/grpc/server.js";
export { grpcServiceByTenant } from "../runtime/bindings/grpc/server-tenants.js";
