import { constantFor } from "../../../support/names.js";
import { streamsRequests, streamsResponses } from "../../protocol/model/streaming.js";
import type { BindingDef, OperationDef, Protocol } from "../../protocol/model/types.js";
import { withoutCard, withoutManifest } from "../errors/errors.js";
import { clientFacts, schemaRef, tables } from "../operations/operations.js";
import { layout, literalOf } from "../../emit/expressions.js";
import { declareObject, quote } from "../../emit/text.js";
import { Imports, membersOf } from "../../emit/imports.js";
import { modelRef, output, outputNamespaces, validatorRef } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import { clientKitFile, reasonWithoutKit } from "../tasks/kit.js";
import { servedOverHttp, type Transport } from "../transports/table.js";
import {
  operationDocs,
  requestType,
  responseType,
  signature,
  streamType,
  type MethodView,
} from "../../emit/operation-views.js";
import { lastEventOf, type LastEvent } from "./last-event.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";

/**
 * Target of the client: one class for all transports, and `connect`, which creates a client from
 * the agent card.
 */
export const client: Target = {
  name: "client",
  summary: "A2AClient and connect (client/)",
  needs: ["operations", "errors", "validators"],
  plan: (protocol, targets) => {
    const { binding } = protocol;
    if (binding === undefined)
      return withoutManifest("client", "how an agent is discovered", protocol);
    const cardOmission = withoutCard("client", protocol);
    if (cardOmission !== undefined) return cardOmission;
    const transports = servedOverHttp(protocol, targets);
    const files = [
      callsFile(protocol),
      clientFile(protocol, binding.card.type),
      connectFile(binding, transports),
      indexFile(transports),
    ];
    const plan = { ...emptyPlan, files, exports: ["client/index"] };
    // The target `tasks` already reports why the kit is absent.
    if (binding.tasks === undefined || reasonWithoutKit(protocol) !== undefined) return plan;
    return { ...plan, files: [...files, clientKitFile(binding.tasks)] };
  },
};

/**
 * Plans the calls table, which contains the facts about each operation for the client. It is
 * separate from the operation table so that client bundles stay small.
 */
function callsFile(protocol: Protocol): FilePlan {
  const { operations, binding, types } = protocol;
  const imports = new Imports("client/calls.ts", [
    ...operations.map(({ method }) => constantFor(method)),
    output.clientProtocol.name,
  ]);
  const hasTenant = (request: OperationDef["request"]): boolean => {
    const type =
      request.kind === "named" ? types.find(({ name }) => name === request.name) : undefined;
    return type?.kind === "message" && type.fields.some(({ name }) => name === binding?.tenant);
  };
  const isCard = (response: OperationDef["response"]): boolean =>
    response.kind === "named" && response.name === binding?.card.type;
  const names = membersOf(tables, imports);
  const calls = operations.map((operation) => {
    const [request, response] = [
      schemaRef(operation.request, names, "type"),
      schemaRef(operation.response, names),
    ];
    const lines = [
      `name: ${quote(operation.name)},`,
      `streaming: ${quote(operation.streaming)},`,
      `response: ${response.schema},`,
      ...methodLines(operation),
      ...(isCard(operation.response) ? ["card: true,"] : []),
      ...(hasTenant(operation.request) ? ["tenant: true,"] : []),
      ...(operation.http[0]?.httpMethod === "GET" ? ["safe: true,"] : []),
      ...lastLines(lastEventOf(operation, protocol), imports),
    ];
    return declareObject(
      `export const ${constantFor(operation.method)}: ${imports.type(runtime.ClientOperation)}`,
      [request.type, response.type],
      lines,
    );
  });
  return imports.plan("client/calls", {
    calls,
    factsType: imports.type(runtime.ClientFacts),
    facts: binding && [
      ...clientFacts(binding),
      `bindings: { jsonRpc: ${quote(binding.bindings.jsonRpc)} },`,
    ],
  });
}

function lastLines(members: LastEvent | undefined, imports: Imports): string[] {
  if (members === undefined) return [];
  return layout(
    "isLast: (event) => ",
    { call: imports.value(runtime.hasMembers), args: ["event", literalOf(members)] },
    ",",
    2,
  );
}

function methodLines({ name, jsonRpc }: OperationDef): string[] {
  if (jsonRpc === undefined) return [];
  return [jsonRpc === name ? "jsonRpc: true," : `jsonRpc: ${quote(jsonRpc)},`];
}

function clientFile(protocol: Protocol, card: string): FilePlan {
  const imports = new Imports(
    "client/client.ts",
    [output.A2AClient, output.ClientCall, output.Interceptor].map(({ name }) => name),
  );
  imports.value(runtime.ClientCore);
  imports.type(runtime.ClientOptions);
  imports.type(runtime.CallOptions);
  imports.value(output.clientErrors);
  imports.namespace(outputNamespaces.calls);
  const methods = protocol.operations.map((operation) => methodView(operation, protocol, imports));
  const view = {
    card: imports.type(modelRef(card)),
    methods,
    callOf: imports.type(runtime.CallOf),
    requests: imports.type(output.OperationRequests),
    anyCall: imports.type(runtime.Call),
    search: imports.type(runtime.CardSearch),
    interceptor: imports.type(runtime.ClientInterceptor),
  };
  return imports.plan("client/client", view);
}

/** View of a method of the client. */
interface CallView extends MethodView {
  /** Name of the operation in `calls.ts`. */
  readonly operation: string;
  /** Kind of call. */
  readonly call: "unary" | "stream";
  /** Set if the response is empty. */
  readonly discards: boolean;
}

function methodView(operation: OperationDef, protocol: Protocol, imports: Imports): CallView {
  const streams = streamsResponses(operation);
  const result = streams
    ? streamType(operation, imports)
    : `Promise<${responseType(operation, imports)}>`;
  const omitted = isOmittable(operation, protocol) ? " = {}" : "";
  const parameters = [
    `request: ${requestType(operation, imports)}${omitted}`,
    "options?: CallOptions",
  ];
  const discards = !streams && operation.response.kind === "empty";
  return {
    docs: operationDocs(operation, 2),
    head: signature(`${discards ? "async " : ""}${operation.method}`, parameters, `: ${result} {`),
    operation: constantFor(operation.method),
    call: streams ? "stream" : "unary",
    discards,
  };
}

/**
 * Returns whether an empty object is a valid request, so that callers may omit the request. The
 * members that every object inherits do not count as fields.
 */
function isOmittable(operation: OperationDef, { types }: Protocol): boolean {
  const { request } = operation;
  if (streamsRequests(operation)) return false;
  if (request.kind === "empty") return true;
  const type = types.find(({ name }) => name === request.name);
  return (
    type?.kind === "message" &&
    type.fields.every(
      ({ name, presence }) => presence !== "required" && !(name in Object.prototype),
    ) &&
    type.oneofs.every(({ required }) => !required)
  );
}

function connectFile(
  { card: { type: card, interfaces }, errorRoles }: BindingDef,
  transports: readonly Transport[],
): FilePlan {
  const imports = new Imports("client/connect.ts", [
    ...[
      output.connect.name,
      output.ConnectOptions.name,
      output.fetchCard.name,
      output.FetchCardOptions.name,
    ],
    "find",
  ]);
  const open = imports.value(
    interfaces.main === undefined ? runtime.openFirst : runtime.openMainFirst,
  );
  for (const used of [output.errors, output.discovery, output.protocol, output.A2AClient])
    imports.value(used);
  imports.value(runtime.discover);
  imports.value(runtime.foundAt);
  imports.value(runtime.originsFor);
  imports.type(runtime.Discovered);
  for (const used of [
    runtime.ClientOptions,
    runtime.CardCache,
    runtime.HttpOptions,
    runtime.TransportFactory,
  ])
    imports.type(used);
  const factories = transports.map(({ client: { factory } }) => `${imports.value(factory)}()`);
  const schema = imports.value(validatorRef(`${card}Schema`));
  imports.type(runtime.ClientVersion);
  imports.type(output.Interceptor);
  const { unauthenticated, permissionDenied, invalidResponse } = errorRoles;
  const thrown = [
    [unauthenticated, "the card takes credentials that are not given"],
    [permissionDenied, "the caller may not read the card"],
    [invalidResponse, "the card is not valid"],
  ].flatMap(([error, condition = ""]) =>
    error === undefined ? [] : [`{${error}} if ${condition}`],
  );
  const view = {
    card: imports.type(modelRef(card)),
    schema,
    factories: factories.join(", "),
    open,
    thrown,
  };
  return imports.plan("client/connect", view);
}

function indexFile(transports: readonly Transport[]): FilePlan {
  const imports = new Imports("client/index.ts");
  const {
    CardCache,
    ClientOptions,
    Fetch,
    HttpOptions,
    TransportError,
    wasNotSent,
    ClientOperation,
  } = runtime;
  const { Call, CallOptions, ClientVersion, Transport, TransportFactory } = runtime;
  imports.reexport(
    CardCache,
    ClientOptions,
    Fetch,
    HttpOptions,
    TransportError,
    wasNotSent,
    ClientOperation,
  );
  imports.reexport(Call, CallOptions, ClientVersion, Transport, TransportFactory);
  imports.reexport(
    output.A2AClient,
    output.ClientCall,
    output.Interceptor,
    output.connect,
    output.ConnectOptions,
  );
  imports.reexport(output.fetchCard, output.FetchCardOptions);
  for (const { client: parts } of transports) {
    imports.reexport(parts.factory, parts.transport);
    if (parts.helper !== undefined) imports.reexport(parts.helper.name);
  }
  return imports.plan("index", {});
}
