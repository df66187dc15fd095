import type { OperationDef, Protocol } from "../protocol/types.js";
import { noManifest } from "./errors.js";
import { schemaRef } from "./operations.js";
import { declareObject, quote } from "./text.js";
import { Imports } from "./imports.js";
import {
  operationDocs,
  requestType,
  responseType,
  signature,
  streamsResponses,
  type MethodView,
} from "./operation-views.js";
import type { FilePlan, Target, TargetPlan } from "./types.js";

/** The client: one class over every transport, and the way to it by the agent card. */
export const client: Target = {
  name: "client",
  summary: "A2AClient and connect (client/)",
  needs: ["operations", "errors", "validators"],
  plan: (protocol, targets) => {
    const card = protocol.binding?.card.type;
    if (card === undefined)
      return { files: [], exports: [], omissions: [noManifest("client", "how an agent is discovered")] };
    const transports = httpTransports.filter(({ target }) => targets.has(target));
    const files = [
      callsFile(protocol),
      clientFile(protocol, card),
      connectFile(card, transports),
      indexFile(transports),
    ];
    return { files, exports: ["client/index"], omissions: [] } satisfies TargetPlan;
  },
};

interface HttpTransport {
  readonly target: string;
  readonly factory: string;
}

/** The transports that `connect` uses unless told otherwise: those that need no package. */
const httpTransports: readonly HttpTransport[] = [
  { target: "jsonrpc", factory: "jsonRpc" },
  { target: "rest", factory: "rest" },
];

/** What the client needs to know about each operation, apart from the operation table so that it stays small. */
function callsFile({ operations, binding, types }: Protocol): FilePlan {
  const imports = new Imports();
  const path = "client/calls.ts";
  imports.type("runtime/operation", "ClientOperation");
  const hasTenant = (request: OperationDef["request"]): boolean => {
    const type = request.kind === "message" ? types.find(({ name }) => name === request.name) : undefined;
    return type?.kind === "message" && type.fields.some(({ name }) => name === binding?.tenant);
  };
  const calls = operations.map((operation) => {
    const [request, response] = [schemaRef(operation.request, imports, "type"), schemaRef(operation.response, imports)];
    const lines = [
      `name: ${quote(operation.name)},`,
      `streaming: ${quote(operation.streaming)},`,
      `response: ${response.schema},`,
      ...(operation.jsonRpc === undefined ? [] : [`jsonRpc: ${quote(operation.jsonRpc)},`]),
      ...(hasTenant(operation.request) ? ["tenant: true,"] : []),
      ...(operation.http[0]?.verb === "GET" ? ["safe: true,"] : []),
    ];
    return declareObject(`export const ${operation.method}: ClientOperation`, [request.type, response.type], lines);
  });
  return {
    path,
    template: "client/calls",
    view: { imports: imports.statements(path), calls },
    runtime: imports.runtime(),
  };
}

function clientFile(protocol: Protocol, card: string): FilePlan {
  const imports = new Imports();
  imports.type("models", card);
  const path = "client/client.ts";
  const methods = protocol.operations.map((operation) => methodView(operation, imports));
  imports.value("runtime/client/caller", "Caller");
  imports.type("runtime/client/caller", "ClientOptions");
  imports.type("runtime/client/transport", "CallOptions");
  imports.value("errors", "errors");
  imports.namespace("client/calls", "calls");
  imports.value("operations", "protocol");
  return {
    path,
    template: "client/client",
    view: { imports: imports.statements(path), card, methods },
    runtime: imports.runtime(),
  };
}

function methodView(operation: OperationDef, imports: Imports): MethodView & { readonly discards: boolean } {
  const response = responseType(operation, imports, "void");
  const streams = streamsResponses(operation);
  const result = streams
    ? `AsyncIterable<${response === "void" ? imports.type("runtime/message", "Empty") : response}>`
    : `Promise<${response}>`;
  const parameters = [`request: ${requestType(operation, imports)}`, "options?: CallOptions"];
  const discards = !streams && response === "void";
  return {
    docs: operationDocs(operation, 2),
    head: signature(`${discards ? "async " : ""}${operation.method}`, parameters, `: ${result} {`),
    operation: operation.method,
    call: streams ? "stream" : "unary",
    discards,
  };
}

function connectFile(card: string, transports: readonly HttpTransport[]): FilePlan {
  const imports = new Imports();
  const path = "client/connect.ts";
  imports.type("models", card);
  imports.value("validators", `${card}Schema`);
  imports.value("errors", "errors");
  imports.value("operations", "discovery");
  imports.value("operations", "protocol");
  imports.type("runtime/client/caller", "ClientOptions");
  imports.value("runtime/client/connect", "openFirst");
  imports.value("runtime/client/discover", "discover");
  imports.type("runtime/client/discover", "CardCache");
  imports.type("runtime/client/http", "HttpOptions");
  imports.type("runtime/client/transport", "TransportFactory");
  imports.value("client/client", "A2AClient");
  for (const { target, factory } of transports) imports.value(`client/${target}`, factory);
  const defaults = `[${transports.map(({ factory }) => `${factory}({ fetch })`).join(", ")}]`;
  const view = { imports: imports.statements(path), card, defaults };
  return { path, template: "client/connect", view, runtime: imports.runtime() };
}

function indexFile(transports: readonly HttpTransport[]): FilePlan {
  const exports = transports.map(
    ({ target, factory }) => `export { ${factory}, ${factory}Transport } from "./${target}.js";`,
  );
  return {
    path: "client/index.ts",
    template: "client/index",
    view: { exports },
    runtime: ["client/caller", "client/discover", "client/transport"],
  };
}
