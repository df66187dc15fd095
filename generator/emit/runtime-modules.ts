import type { ErrorFormat } from "../protocol/model/types.js";
import { symbolsOf, valueRef, type NamespaceRef, type ValueRef } from "./symbols.js";

/** The folder of the output into which the modules of `library/runtime/` are copied. */
export const runtimeFolder = "runtime/";

const value = (module: string, name: string): ValueRef => valueRef(runtimeFolder + module, name);
const namespace = (module: string, name: string): NamespaceRef => ({
  module: runtimeFolder + module,
  name,
});

/**
 * All exports of the runtime that generated files import by name. Only this file contains the names
 * of runtime modules.
 */
export const runtime = symbolsOf(runtimeFolder, {
  "base/json": { types: ["AnyObject", "JsonObject", "JsonValue"], values: ["hasMembers"] },
  "base/library": { values: ["checkLibrary"] },
  "schema/schema": {
    types: ["Issue", "Schema", "Validation"],
    values: ["ValidationError", "errorOf", "issuesOf", "parse"],
  },
  "schema/any-type": { types: ["MessageTypes"], values: ["anyMessage"] },
  "schema/types": { types: ["JsonNumber"] },
  "schema/message": { types: ["Empty"], values: ["EmptySchema", "NullSchema", "message"] },
  "protobuf/wire-errors": { values: ["DecodeError", "EncodeError"] },
  "protobuf/any": { types: ["Registry"], values: ["readAny", "writeAny"] },
  "protobuf/unknown-fields": { types: ["UnknownFields"], values: ["unknownFields"] },
  "protobuf/well-known": {
    values: ["readDuration", "readFieldMask", "writeDuration", "writeFieldMask"],
  },
  "protobuf/entry": { values: ["readEntry"] },
  "protobuf/wrapper": { values: ["readWrapper"] },
  "protobuf/resource": { values: ["resourceName"] },
  "protobuf/mapping": { values: ["fromProtoJson", "toProtoJson"] },
  "protocol/error": {
    types: [
      "A2AErrorOptions",
      "ClientErrors",
      "ErrorDetail",
      "ErrorRow",
      "ErrorTable",
      "GrpcStatus",
      "JsonRpcError",
    ],
    values: ["A2AError"],
  },
  "protocol/error-details": {
    types: ["ErrorDetails"],
    values: ["errorDetail", "errorDetailsOf"],
  },
  "protocol/error-variant": { values: ["variantOf"] },
  "protocol/field-violations": { values: ["fieldViolations"] },
  "protocol/card-problems": { types: ["CardProblem"], values: ["findCardProblems"] },
  "protocol/headers": { types: ["CallHeaders", "Peer"] },
  "protocol/interceptor": { types: ["CallInterceptor"] },
  "protocol/operation": {
    types: [
      "CallOf",
      "CallerFacts",
      "ClientFacts",
      "ClientOperation",
      "DiscoveryFacts",
      "Operation",
      "ProtocolFacts",
      "RestOperation",
      "ServiceFacts",
    ],
  },
  "protocol/transport": {
    types: [
      "Call",
      "CallOptions",
      "CardSearch",
      "ClientInterceptor",
      "Transport",
      "TransportFactory",
    ],
    values: ["TransportError"],
  },
  "http/client": { types: ["Fetch", "HttpOptions"], values: ["httpOptionsFor"] },
  "http/server": { types: ["HttpHandler", "HttpPart"], values: ["chain"] },
  "http/mount": { values: ["mounted"] },
  "http/adapters/fetch": { types: ["FetchHandler"], values: ["fetchHandler"] },
  "http/adapters/node": { types: ["NodeListener", "NodeOptions"], values: ["nodeListener"] },
  "client/card-cache": { values: ["CardCache"] },
  "client/card-sources": { values: ["foundAt", "originsFor"] },
  "client/discover": { types: ["Discovered"], values: ["discover"] },
  "client/core": { types: ["ClientOptions"], values: ["ClientCore"] },
  "client/retries": { types: ["RetryAfterOptions"], values: ["withRetryAfter"] },
  "client/token": { types: ["FindToken"], values: ["withToken"] },
  "client/unsent": { values: ["wasNotSent"] },
  "client/connect": { values: ["listedInterfaces", "openFirst"] },
  "client/main-interface": { values: ["mainInterfaces", "openMainFirst"] },
  "server/context": { types: ["CallContext", "Caller", "CardCaller", "ServerCall"] },
  "server/calls": { types: ["CallHandler", "CallReply", "ReceivedCall"], values: ["callHandler"] },
  "server/card": { types: ["CardOptions"], values: ["cardHandler"] },
  "client/open-service": { values: ["openService"] },
  "server/agent": { values: ["Agent"] },
  "server/served-service": { types: ["ServiceOptions"], values: ["ServedService", "serveService"] },
  "server/service-handlers": { types: ["Services"], values: ["coresOf", "serviceHandler"] },
  "server/values": { types: ["ContextKey", "ContextValues"], values: ["createContextKey"] },
  "server/core": { values: ["Core"] },
  "server/hooks": { types: ["CoreOptions"] },
  "server/cors": { types: ["CorsOptions"], values: ["withCors"] },
  "server/extension": { types: ["ServerExtension"] },
  "server/host": { types: ["ServiceFactory", "ServiceHost"] },
  "server/observer": { types: ["Outcome", "RequestReport"], values: ["observed"] },
  "server/rates": { types: ["ForwardedAddress", "Rate", "RateLimiter", "RateOptions"] },
  "bindings/jsonrpc/client": { values: ["createJsonRpcTransport", "jsonRpcError"] },
  "bindings/jsonrpc/server": { types: ["JsonRpcOptions"], values: ["jsonRpcHandler"] },
  "bindings/rest/client": { values: ["createRestTransport"] },
  "bindings/rest/dialect": { values: ["protoJson"] },
  "protocol/rest-json": { types: ["RestJson"] },
  "bindings/rest/server": { types: ["RestOptions"], values: ["restHandler"] },
  "bindings/grpc/client": { types: ["GrpcTransportOptions"], values: ["createGrpcTransport"] },
  "bindings/grpc/server": {
    types: ["GrpcService"],
    values: ["grpcService", "grpcServiceByTenant"],
  },
  "bindings/http2/server-call": { types: ["WireMethods"] },
  "bindings/http2/server-methods": { values: ["grpcMethods"] },
  "bindings/http2/server-tenants": { values: ["grpcMethodsByTenant"] },
  "bindings/http2/server": {
    types: ["WireServer", "WireServerOptions"],
    values: ["createWireServer"],
  },
  "protocol/codec": { types: ["Codecs"] },
  "protocol/empty-codecs": { values: ["emptyCodec", "nullCodec"] },
  "client/versions": { types: ["ClientVersion"] },
  "versions/conversion": { types: ["ConversionFacts"] },
  "versions/mapping": {
    types: ["Converter", "Converters", "VersionMapping"],
    values: ["convertersOf"],
  },
  "server/adapter": { types: ["ServedVersion"] },
  "versions/adapted-transport": { values: ["adaptedTransport"] },
  "versions/client-version": { values: ["clientVersion"] },
  "versions/direct": { types: ["DirectConversions", "Members"], values: ["isPlain", "listOf"] },
  "versions/served": { values: ["servedVersion"] },
});

/** The modules of the runtime that generated files import as a whole. */
export const runtimeNamespaces = {
  mapping: namespace("protobuf/mapping", "m"),
  place: namespace("protobuf/place", "place"),
  shapes: namespace("schema/shapes", "s"),
  types: namespace("schema/types", "t"),
  wire: namespace("protobuf/wire", "wire"),
} as const;

/**
 * The modules with the predicates that guards call. Only `constraints` has predicates for the
 * constraints of a JSON Schema.
 */
export const predicateModules = {
  predicates: `${runtimeFolder}schema/predicates`,
  constraints: `${runtimeFolder}schema/constraints`,
} as const;

/** The functions that read and write errors in the error format of a version. */
export interface ErrorFunctions {
  readonly errorWriter: ValueRef;
  readonly readGrpcError: ValueRef;
  readonly readHttpError: ValueRef;
  readonly readJsonRpcError: ValueRef;
}

const statusErrors: ErrorFunctions = {
  errorWriter: value("protocol/error-form-status", "errorWriter"),
  readGrpcError: value("protocol/error-form-status", "readGrpcError"),
  readHttpError: value("protocol/error-form-status", "readHttpError"),
  readJsonRpcError: value("protocol/error-form-status", "readJsonRpcError"),
};

const plainErrors: ErrorFunctions = {
  errorWriter: value("protocol/error-form-plain", "plainErrorWriter"),
  readGrpcError: value("protocol/error-form-plain", "readPlainGrpcError"),
  readHttpError: value("protocol/error-form-plain", "readPlainHttpError"),
  readJsonRpcError: value("protocol/error-form-plain", "readPlainJsonRpcError"),
};

/** The functions of each error format. */
export const errorFunctions: Readonly<Record<ErrorFormat, ErrorFunctions>> = {
  status: statusErrors,
  plain: plainErrors,
  named: {
    errorWriter: value("protocol/error-form-named", "namedErrorWriter"),
    readGrpcError: statusErrors.readGrpcError,
    readHttpError: value("protocol/error-form-named", "readNamedHttpError"),
    readJsonRpcError: plainErrors.readJsonRpcError,
  },
};
