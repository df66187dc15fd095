import type { ErrorFormat } from "../protocol/model/types.js";
import { typeRef, valueRef, type NamespaceRef, type SymbolRef, type ValueRef } from "./symbols.js";

/** The folder of the output into which the modules of `library/runtime/` are copied. */
export const runtimeFolder = "runtime/";

const value = (module: string, name: string): ValueRef => valueRef(runtimeFolder + module, name);
const type = (module: string, name: string): SymbolRef => typeRef(runtimeFolder + module, name);
const namespace = (module: string, name: string): NamespaceRef => ({
  module: runtimeFolder + module,
  name,
});

/**
 * All exports of the runtime that generated files import by name. Only this file contains the names
 * of runtime modules.
 */
export const runtime = {
  AnyObject: type("base/json", "AnyObject"),
  JsonObject: type("base/json", "JsonObject"),
  checkLibrary: value("base/library", "checkLibrary"),
  JsonValue: type("base/json", "JsonValue"),
  hasMembers: value("base/json", "hasMembers"),

  Issue: type("schema/schema", "Issue"),
  Schema: type("schema/schema", "Schema"),
  Validation: type("schema/schema", "Validation"),
  ValidationError: value("schema/schema", "ValidationError"),
  parse: value("schema/schema", "parse"),
  errorOf: value("schema/schema", "errorOf"),
  issuesOf: value("schema/schema", "issuesOf"),
  MessageTypes: type("schema/any-type", "MessageTypes"),
  anyMessage: value("schema/any-type", "anyMessage"),
  JsonNumber: type("schema/types", "JsonNumber"),
  Empty: type("schema/message", "Empty"),
  EmptySchema: value("schema/message", "EmptySchema"),
  NullSchema: value("schema/message", "NullSchema"),
  message: value("schema/message", "message"),

  DecodeError: value("protobuf/wire-errors", "DecodeError"),
  EncodeError: value("protobuf/wire-errors", "EncodeError"),
  Registry: type("protobuf/any", "Registry"),
  readAny: value("protobuf/any", "readAny"),
  writeAny: value("protobuf/any", "writeAny"),
  UnknownFields: type("protobuf/unknown-fields", "UnknownFields"),
  unknownFields: value("protobuf/unknown-fields", "unknownFields"),
  readDuration: value("protobuf/well-known", "readDuration"),
  readEntry: value("protobuf/entry", "readEntry"),
  readFieldMask: value("protobuf/well-known", "readFieldMask"),
  readWrapper: value("protobuf/wrapper", "readWrapper"),
  writeDuration: value("protobuf/well-known", "writeDuration"),
  writeFieldMask: value("protobuf/well-known", "writeFieldMask"),
  resourceName: value("protobuf/resource", "resourceName"),
  fromProtoJson: value("protobuf/mapping", "fromProtoJson"),
  toProtoJson: value("protobuf/mapping", "toProtoJson"),

  A2AError: value("protocol/error", "A2AError"),
  A2AErrorOptions: type("protocol/error", "A2AErrorOptions"),
  ClientErrors: type("protocol/error", "ClientErrors"),
  ErrorDetail: type("protocol/error", "ErrorDetail"),
  ErrorRow: type("protocol/error", "ErrorRow"),
  ErrorTable: type("protocol/error", "ErrorTable"),
  GrpcStatus: type("protocol/error", "GrpcStatus"),
  JsonRpcError: type("protocol/error", "JsonRpcError"),
  CardProblem: type("protocol/card-problems", "CardProblem"),
  findCardProblems: value("protocol/card-problems", "findCardProblems"),
  CallHeaders: type("protocol/headers", "CallHeaders"),
  Peer: type("protocol/headers", "Peer"),
  CallInterceptor: type("protocol/interceptor", "CallInterceptor"),
  CallOf: type("protocol/operation", "CallOf"),
  ClientFacts: type("protocol/operation", "ClientFacts"),
  ClientOperation: type("protocol/operation", "ClientOperation"),
  DiscoveryFacts: type("protocol/operation", "DiscoveryFacts"),
  Operation: type("protocol/operation", "Operation"),
  ProtocolFacts: type("protocol/operation", "ProtocolFacts"),
  Call: type("protocol/transport", "Call"),
  ClientInterceptor: type("protocol/transport", "ClientInterceptor"),
  CallOptions: type("protocol/transport", "CallOptions"),
  CardSearch: type("protocol/transport", "CardSearch"),
  Interceptor: type("protocol/transport", "Interceptor"),
  Transport: type("protocol/transport", "Transport"),
  TransportError: value("protocol/transport", "TransportError"),
  TransportFactory: type("protocol/transport", "TransportFactory"),

  Fetch: type("http/client", "Fetch"),
  HttpOptions: type("http/client", "HttpOptions"),
  httpOptionsFor: value("http/client", "httpOptionsFor"),
  HttpHandler: type("http/server", "HttpHandler"),
  HttpPart: type("http/server", "HttpPart"),
  chain: value("http/server", "chain"),
  mounted: value("http/mount", "mounted"),
  fetchHandler: value("http/adapters/fetch", "fetchHandler"),
  FetchHandler: type("http/adapters/fetch", "FetchHandler"),
  NodeListener: type("http/adapters/node", "NodeListener"),
  NodeOptions: type("http/adapters/node", "NodeOptions"),
  nodeListener: value("http/adapters/node", "nodeListener"),

  CardCache: value("client/card-cache", "CardCache"),
  ClientCore: value("client/core", "ClientCore"),
  ClientOptions: type("client/core", "ClientOptions"),
  Discovered: type("client/discover", "Discovered"),
  discover: value("client/discover", "discover"),
  foundAt: value("client/card-sources", "foundAt"),
  originsFor: value("client/card-sources", "originsFor"),
  wasNotSent: value("client/unsent", "wasNotSent"),
  openFirst: value("client/connect", "openFirst"),
  listedInterfaces: value("client/connect", "listedInterfaces"),
  mainInterfaces: value("client/main-interface", "mainInterfaces"),
  openMainFirst: value("client/main-interface", "openMainFirst"),

  CallContext: type("server/context", "CallContext"),
  CallHandler: type("server/calls", "CallHandler"),
  CallReply: type("server/calls", "CallReply"),
  ReceivedCall: type("server/calls", "ReceivedCall"),
  callHandler: value("server/calls", "callHandler"),
  CardOptions: type("server/card", "CardOptions"),
  Agent: value("server/agent", "Agent"),
  CardCaller: type("server/context", "CardCaller"),
  ContextKey: type("server/values", "ContextKey"),
  ContextValues: type("server/values", "ContextValues"),
  Core: value("server/core", "Core"),
  CoreOptions: type("server/hooks", "CoreOptions"),
  CorsOptions: type("server/cors", "CorsOptions"),
  ServerExtension: type("server/extension", "ServerExtension"),
  ServiceFactory: type("server/host", "ServiceFactory"),
  ServiceHost: type("server/host", "ServiceHost"),
  ServerCall: type("server/context", "ServerCall"),
  ServerCaller: type("server/context", "Caller"),
  cardHandler: value("server/card", "cardHandler"),
  createContextKey: value("server/values", "createContextKey"),
  fieldViolations: value("protocol/field-violations", "fieldViolations"),
  withCors: value("server/cors", "withCors"),
  observed: value("server/observer", "observed"),
  ForwardedAddress: type("server/rates", "ForwardedAddress"),
  Rate: type("server/rates", "Rate"),
  RateLimiter: type("server/rates", "RateLimiter"),
  RateOptions: type("server/rates", "RateOptions"),
  Outcome: type("server/observer", "Outcome"),
  RequestReport: type("server/observer", "RequestReport"),

  createJsonRpcTransport: value("bindings/jsonrpc/client", "createJsonRpcTransport"),
  jsonRpcError: value("bindings/jsonrpc/client", "jsonRpcError"),
  JsonRpcOptions: type("bindings/jsonrpc/server", "JsonRpcOptions"),
  jsonRpcHandler: value("bindings/jsonrpc/server", "jsonRpcHandler"),
  createRestTransport: value("bindings/rest/client", "createRestTransport"),
  protoJson: value("bindings/rest/dialect", "protoJson"),
  RestJson: type("protocol/rest-json", "RestJson"),
  RestOptions: type("bindings/rest/server", "RestOptions"),
  restHandler: value("bindings/rest/server", "restHandler"),
  GrpcTransportOptions: type("bindings/grpc/client", "GrpcTransportOptions"),
  createGrpcTransport: value("bindings/grpc/client", "createGrpcTransport"),
  GrpcService: type("bindings/grpc/server", "GrpcService"),
  grpcService: value("bindings/grpc/server", "grpcService"),
  grpcServiceByTenant: value("bindings/grpc/server-tenants", "grpcServiceByTenant"),
  Codecs: type("protocol/codec", "Codecs"),
  emptyCodec: value("bindings/grpc/status", "emptyCodec"),
  nullCodec: value("bindings/grpc/status", "nullCodec"),

  ClientVersion: type("client/versions", "ClientVersion"),
  Converter: type("versions/mapping", "Converter"),
  ServedVersion: type("server/adapter", "ServedVersion"),
  VersionMapping: type("versions/mapping", "VersionMapping"),
  adaptedTransport: value("versions/adapted-transport", "adaptedTransport"),
  clientVersion: value("versions/client-version", "clientVersion"),
  servedVersion: value("versions/served", "servedVersion"),
  Converters: type("versions/mapping", "Converters"),
  convertersOf: value("versions/mapping", "convertersOf"),
} as const;

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
