import {
  symbolsOf,
  typeRef,
  valueRef,
  type NamespaceRef,
  type SymbolRef,
  type ValueRef,
} from "./symbols.js";

/** The declarations with fixed names that files of the output import from each other. */
export const output = {
  ...symbolsOf("", {
    errors: { values: ["clientErrors", "errors"] },
    facts: { values: ["discovery", "protocol"] },
    operations: { types: ["OperationRequests"], values: ["operations"] },
    codecs: { values: ["codecs"] },
    protojson: { values: ["restJson"] },
    "client/client": { types: ["ClientCall", "Interceptor"], values: ["A2AClient"] },
    "client/connect": {
      types: ["ConnectOptions", "FetchCardOptions"],
      values: ["connect", "fetchCard"],
    },
    "client/jsonrpc": { values: ["fromJsonRpcError", "jsonRpc", "jsonRpcTransport"] },
    "client/responses": { values: ["responses"] },
    "client/routes": { values: ["routes"] },
    "client/rest": { values: ["rest", "restTransport"] },
    "client/grpc": { types: ["GrpcOptions"], values: ["grpc", "grpcTransport"] },
    "server/service": { types: ["A2AService"] },
    "server/agent": {
      types: ["Agent", "AgentOptions", "ServerCall", "ServerInterceptor"],
      values: ["callHandler", "cardProblems", "createAgent", "toJsonRpcError"],
    },
    "server/http": {
      types: ["AgentsByPath", "HttpHandlerOptions"],
      values: ["fetchHandler", "httpHandler"],
    },
    "server/node": { values: ["nodeListener"] },
    "server/grpc": { types: ["AgentsByTenant"] },
  }),
  clientProtocol: valueRef("client/calls", "protocol"),
} as const;

/** The exports that a user's file imports to serve an agent. */
export const serverApi = symbolsOf("", {
  "server/index": { types: ["A2AService", "CallContext"], values: ["createAgent"] },
  "node:http": { values: ["createServer"] },
  "server/node": { values: ["nodeListener"] },
});

/** The type of a task service. */
export const taskServiceType: SymbolRef = typeRef("kit/index", "TaskService");

/** The exports of the task kit that a user's file imports. */
export const kitApi = symbolsOf("", {
  "kit/index": { values: ["artifact", "completed", "taskService", "textOf", "working"] },
});

/** The files of the output that other files import as a whole. */
export const outputNamespaces = {
  calls: { module: "client/calls", name: "calls" },
  models: { module: "models", name: "models" },
  protobuf: { module: "protobuf", name: "pb" },
  validators: { module: "validators", name: "validators" },
} as const satisfies Readonly<Record<string, NamespaceRef>>;

/** The modules of the kit whose functions the output binds to the facts of its version. */
export const kitNamespaces = {
  kit: { module: "kit/unbound", name: "kit" },
  client: { module: "kit/client/unbound", name: "kit" },
  testing: { module: "kit/testing/unbound", name: "testing" },
} as const satisfies Readonly<Record<string, NamespaceRef>>;

/** The functions of the client's kit that require schemas. */
export const clientChecks = symbolsOf("kit/client/", {
  checks: { values: ["verifyCard", "withCapabilityCheck", "withVerifiedCards"] },
});

/** The exports of the gateway's module, which an output binds to its facts and types. */
export const gatewayModule = symbolsOf("kit/bridges/", {
  gateway: { types: ["Gateway", "GatewayOptions"], values: ["gateway"] },
});

/** Returns a reference to the type that the models declare under a name. */
export function modelRef(name: string): SymbolRef {
  return typeRef("models", name);
}

/** Returns a reference to the const object of an enum. */
export function constantRef(name: string): ValueRef {
  return valueRef("models", name);
}

/** Returns a reference to the class of an error. */
export function errorRef(name: string): ValueRef {
  return valueRef("errors", name);
}

/** Returns a reference to a function or constant of the validators, by its full name. */
export function validatorRef(name: string): ValueRef {
  return valueRef("validators", name);
}
