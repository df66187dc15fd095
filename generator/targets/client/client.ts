import { streamsRequests, streamsResponses } from "../../protocol/model/streaming.js";
import type { CardDef, OperationDef, Protocol } from "../../protocol/model/types.js";
import { withoutManifest } from "../errors/errors.js";
import { clientFacts, schemaRef } from "../operations/operations.js";
import { declareObject, quote } from "../../emit/text.js";
import { Imports } from "../../emit/imports.js";
import { typeExports } from "../../emit/public-types.js";
import { isServed } from "../transports/transports.js";
import {
  operationDocs,
  requestType,
  responseType,
  signature,
  streamType,
  type MethodView,
} from "../../emit/operation-views.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";

/** The client: one class over every transport, and the way to it by the agent card. */
export const client: Target = {
  name: "client",
  summary: "A2AClient and connect (client/)",
  needs: ["operations", "errors", "validators"],
  brings: ["legacy"],
  plan: (protocol, targets) => {
    const { binding, wire } = protocol;
    if (binding === undefined) return withoutManifest("client", "how an agent is discovered", protocol);
    const transports = httpTransports.filter(({ target }) => isServed(target, wire, targets));
    const files = [
      callsFile(protocol),
      clientFile(protocol, binding.card.type),
      connectFile(binding.card, transports),
      indexFile(transports, protocol),
    ];
    return { ...emptyPlan, files, exports: ["client/index"] };
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
  imports.type("runtime/protocol/operation", "ClientOperation");
  const hasTenant = (request: OperationDef["request"]): boolean => {
    const type = request.kind === "named" ? types.find(({ name }) => name === request.name) : undefined;
    return type?.kind === "message" && type.fields.some(({ name }) => name === binding?.tenant);
  };
  const calls = operations.map((operation) => {
    const [request, response] = [schemaRef(operation.request, imports, "type"), schemaRef(operation.response, imports)];
    const lines = [
      `name: ${quote(operation.name)},`,
      `streaming: ${quote(operation.streaming)},`,
      `response: ${response.schema},`,
      ...methodLines(operation),
      ...(hasTenant(operation.request) ? ["tenant: true,"] : []),
      ...(operation.http[0]?.verb === "GET" ? ["safe: true,"] : []),
    ];
    return declareObject(`export const ${operation.method}: ClientOperation`, [request.type, response.type], lines);
  });
  imports.type("runtime/protocol/operation", "ClientFacts");
  return imports.plan("client/calls.ts", "client/calls", {
    calls,
    facts: binding && [...clientFacts(binding), `bindings: { jsonRpc: ${quote(binding.bindings.jsonRpc)} },`],
  });
}

function methodLines({ name, jsonRpc }: OperationDef): string[] {
  if (jsonRpc === undefined) return [];
  return [jsonRpc === name ? "jsonRpc: true," : `jsonRpc: ${quote(jsonRpc)},`];
}

function clientFile(protocol: Protocol, card: string): FilePlan {
  const imports = new Imports();
  imports.type("models", card);
  const methods = protocol.operations.map((operation) => methodView(operation, protocol, imports));
  imports.value("runtime/client/core", "ClientCore");
  imports.type("runtime/client/core", "ClientOptions");
  imports.type("runtime/protocol/transport", "CallOptions");
  imports.value("errors", "clientErrors");
  imports.namespace("client/calls", "calls");
  return imports.plan("client/client.ts", "client/client", { card, methods });
}

/** A method of the client. */
interface CallView extends MethodView {
  /** The name of the operation in `calls.ts`. */
  readonly operation: string;
  /** How the caller runs it. */
  readonly call: "unary" | "stream";
  /** Set where the answer says nothing. */
  readonly discards: boolean;
}

function methodView(operation: OperationDef, protocol: Protocol, imports: Imports): CallView {
  const streams = streamsResponses(operation);
  const result = streams ? streamType(operation, imports) : `Promise<${responseType(operation, imports)}>`;
  const omitted = isOmittable(operation, protocol) ? " = {}" : "";
  const parameters = [`request: ${requestType(operation, imports)}${omitted}`, "options?: CallOptions"];
  const discards = !streams && operation.response.kind === "empty";
  return {
    docs: operationDocs(operation, 2),
    head: signature(`${discards ? "async " : ""}${operation.method}`, parameters, `: ${result} {`),
    operation: operation.method,
    call: streams ? "stream" : "unary",
    discards,
  };
}

/** Whether an empty object is a request, so that it need not be given. */
function isOmittable(operation: OperationDef, { types }: Protocol): boolean {
  const { request } = operation;
  if (streamsRequests(operation)) return false;
  if (request.kind === "empty") return true;
  const type = types.find(({ name }) => name === request.name);
  return (
    type?.kind === "message" &&
    type.fields.every(({ presence }) => presence !== "required") &&
    type.oneofs.every(({ required }) => !required)
  );
}

function connectFile({ type: card, interfaces }: CardDef, transports: readonly HttpTransport[]): FilePlan {
  const imports = new Imports();
  const open =
    interfaces.main === undefined
      ? imports.value("runtime/client/connect", "openFirst")
      : imports.value("runtime/client/main-interface", "openMainFirst");
  imports.type("models", card);
  imports.value("validators", `${card}Schema`);
  imports.value("errors", "errors");
  imports.value("operations", "discovery");
  imports.value("operations", "protocol");
  imports.type("runtime/client/core", "ClientOptions");
  imports.value("runtime/client/discover", "discover");
  imports.type("runtime/client/discover", "CardCache");
  imports.type("runtime/http/client", "HttpOptions");
  imports.type("runtime/protocol/transport", "TransportFactory");
  imports.value("client/client", "A2AClient");
  for (const { target, factory } of transports) imports.value(`client/${target}`, factory);
  const defaults = `[${transports.map(({ factory }) => `${factory}({ fetch })`).join(", ")}]`;
  return imports.plan("client/connect.ts", "client/connect", { card, defaults, open });
}

function indexFile(transports: readonly HttpTransport[], protocol: Protocol): FilePlan {
  const exports = transports.map(
    ({ target, factory }) => `export { ${factory}, ${factory}Transport } from "./${target}.js";`,
  );
  return {
    path: "client/index.ts",
    template: "client/index",
    view: { exports, types: typeExports(protocol, "../runtime/http/client.js", ["Fetch", "HttpOptions"]) },
    runtime: ["client/core", "client/discover", "http/client", "protocol/transport", "protocol/operation"],
  };
}
