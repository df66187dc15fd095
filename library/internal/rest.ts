// HTTP+JSON, for clients and agents.
// Only generated code and the tools import this module.

export { createRestTransport } from "../runtime/bindings/rest/client.js";
export { protoJson } from "../runtime/bindings/rest/dialect.js";
export { restHandler, type RestOptions } from "../runtime/bindings/rest/server.js";
