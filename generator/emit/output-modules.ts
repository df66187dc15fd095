import { typeRef, valueRef, type NamespaceRef, type SymbolRef, type ValueRef } from "./symbols.js";

/** The declarations with fixed names that files of the output import from each other. */
export const output = {
  clientErrors: valueRef("errors", "clientErrors"),
  errors: valueRef("errors", "errors"),
  discovery: valueRef("operations", "discovery"),
  operations: valueRef("operations", "operations"),
  protocol: valueRef("operations", "protocol"),
  OperationRequests: typeRef("operations", "OperationRequests"),
  codecs: valueRef("codecs", "codecs"),
  restJson: valueRef("protojson", "restJson"),

  A2AClient: valueRef("client/client", "A2AClient"),
  ConnectOptions: typeRef("client/connect", "ConnectOptions"),
  clientProtocol: valueRef("client/calls", "protocol"),
  FetchCardOptions: typeRef("client/connect", "FetchCardOptions"),
  ClientCall: typeRef("client/client", "ClientCall"),
  Interceptor: typeRef("client/client", "Interceptor"),
  connect: valueRef("client/connect", "connect"),
  fetchCard: valueRef("client/connect", "fetchCard"),
  jsonRpc: valueRef("client/jsonrpc", "jsonRpc"),
  jsonRpcTransport: valueRef("client/jsonrpc", "jsonRpcTransport"),
  fromJsonRpcError: valueRef("client/jsonrpc", "fromJsonRpcError"),
  rest: valueRef("client/rest", "rest"),
  restTransport: valueRef("client/rest", "restTransport"),
  grpc: valueRef("client/grpc", "grpc"),
  grpcTransport: valueRef("client/grpc", "grpcTransport"),
  GrpcOptions: typeRef("client/grpc", "GrpcOptions"),

  A2AService: typeRef("server/service", "A2AService"),
  Agent: typeRef("server/agent", "Agent"),
  AgentOptions: typeRef("server/agent", "AgentOptions"),
  ServerCall: typeRef("server/agent", "ServerCall"),
  ServerInterceptor: typeRef("server/agent", "ServerInterceptor"),
  HttpHandlerOptions: typeRef("server/http", "HttpHandlerOptions"),
  cardProblems: valueRef("server/agent", "cardProblems"),
  AgentsByPath: typeRef("server/http", "AgentsByPath"),
  callHandler: valueRef("server/agent", "callHandler"),
  toJsonRpcError: valueRef("server/agent", "toJsonRpcError"),
  createAgent: valueRef("server/agent", "createAgent"),
  fetchHandler: valueRef("server/http", "fetchHandler"),
  httpHandler: valueRef("server/http", "httpHandler"),
} as const;

/** The exports that a user's file imports to serve an agent. */
export const serverApi = {
  A2AService: typeRef("server/index", "A2AService"),
  CallContext: typeRef("server/index", "CallContext"),
  createAgent: valueRef("server/index", "createAgent"),
  createServer: valueRef("node:http", "createServer"),
  nodeListener: valueRef("server/node", "nodeListener"),
} as const;

/** The type of a task service. */
export const taskServiceType: SymbolRef = typeRef("kit/index", "TaskService");

/** The exports of the task kit that a user's file imports. */
export const kitApi = {
  artifact: valueRef("kit/index", "artifact"),
  taskService: valueRef("kit/index", "taskService"),
  completed: valueRef("kit/index", "completed"),
  textOf: valueRef("kit/index", "textOf"),
  working: valueRef("kit/index", "working"),
} as const;

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
} as const satisfies Readonly<Record<string, NamespaceRef>>;

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
