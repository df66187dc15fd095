// JSON, errors, operations and transports, for clients, servers and codecs.
// Only generated code and the tools import this module.

export {
  type AnyObject,
  hasMembers,
  type JsonObject,
  type JsonValue,
} from "../runtime/base/json.js";
export { checkLibrary } from "../runtime/base/library.js";
export {
  type CardProblem,
  type CardRules,
  findCardProblems,
} from "../runtime/protocol/card-problems.js";
export type { Codecs } from "../runtime/protocol/codec.js";
export { emptyCodec, nullCodec } from "../runtime/protocol/empty-codecs.js";
export {
  A2AError,
  type A2AErrorOptions,
  classNameOf,
  type ClientErrors,
  type ErrorDetail,
  type ErrorRow,
  type ErrorTable,
  type GrpcStatus,
  type JsonRpcError,
} from "../runtime/protocol/error.js";
export { variantOf } from "../runtime/protocol/error-variant.js";
export { fieldViolations } from "../runtime/protocol/field-violations.js";
export { namedErrorWriter, readNamedHttpError } from "../runtime/protocol/error-form-named.js";
export {
  plainErrorWriter,
  readPlainGrpcError,
  readPlainHttpError,
  readPlainJsonRpcError,
} from "../runtime/protocol/error-form-plain.js";
export {
  errorWriter,
  readGrpcError,
  readHttpError,
  readJsonRpcError,
} from "../runtime/protocol/error-form-status.js";
export type { CallHeaders, Peer } from "../runtime/protocol/headers.js";
export type { CallInterceptor } from "../runtime/protocol/interceptor.js";
export type {
  CallerFacts,
  CallOf,
  ClientFacts,
  ClientOperation,
  DiscoveryFacts,
  HttpRoute,
  Operation,
  ProtocolFacts,
  RestOperation,
  ServiceFacts,
} from "../runtime/protocol/operation.js";
export type { RestJson } from "../runtime/protocol/rest-json.js";
export {
  type AgentInterface,
  type Call,
  type CallOptions,
  type CardSearch,
  type ClientInterceptor,
  type Interceptor,
  type Transport,
  TransportError,
  type TransportFactory,
} from "../runtime/protocol/transport.js";
export {
  errorDetail,
  type ErrorDetails,
  errorDetailsOf,
} from "../runtime/protocol/error-details.js";
