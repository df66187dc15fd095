// JSON-RPC, for clients and agents.
// Only generated code and the tools import this module.

export { createJsonRpcTransport, jsonRpcError } from "../runtime/bindings/jsonrpc/client.js";
export { jsonRpcHandler, type JsonRpcOptions } from "../runtime/bindings/jsonrpc/server.js";
