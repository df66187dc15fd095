// gRPC and HTTP on one port, for agents. Requires `node:http2`, and no package.
// Only generated code imports this module.

export type { WireMethods } from "../runtime/bindings/http2/server-call.js";
export { grpcMethods } from "../runtime/bindings/http2/server-methods.js";
export { grpcMethodsByTenant } from "../runtime/bindings/http2/server-tenants.js";
export {
  createWireServer,
  type WireServer,
  type WireServerOptions,
} from "../runtime/bindings/http2/server.js";
