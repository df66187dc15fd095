import { constantFor } from "../../../support/names.js";
import { streamsRequests, streamsResponses } from "../../protocol/model/streaming.js";
import type { BindingDef, OperationDef, Protocol, TypeRef } from "../../protocol/model/types.js";
import { withoutCard, withoutManifest } from "../errors/errors.js";
import { clientFacts, schemaRef, tables } from "../operations/operations.js";
import { layoutOf, literalMembers, literalOf, memberLayout } from "../../emit/expressions.js";
import { group, indented, line, print, type Layout } from "../../emit/layout.js";
import { declareObject, quote } from "../../emit/text.js";
import { Imports, membersOf } from "../../emit/imports.js";
import { modelRef, output, outputNamespaces } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import type { SymbolRef } from "../../emit/symbols.js";
import { clientKitFiles, reasonWithoutKit } from "../tasks/kit.js";
import { servedOverHttp, type Transport } from "../transports/table.js";
import {
  operationDocs,
  requestType,
  responseType,
  signature,
  streamType,
  type MethodView,
} from "../../emit/operation-views.js";
import { guardedTypes } from "./guarded.js";
import { Spellings } from "./spellings.js";
import { guardRef } from "../validators/names.js";
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
      responsesFile(protocol, binding.card.type),
      clientFile(protocol, binding.card.type),
      connectFile(binding, transports),
      indexFile(transports),
    ];
    const plan = { ...emptyPlan, files, exports: ["client/index"] };
    // The target `tasks` already reports why the kit is absent.
    if (binding.tasks === undefined || reasonWithoutKit(protocol) !== undefined) return plan;
    return { ...plan, files: [...files, ...clientKitFiles(binding.tasks, binding.card.type)] };
  },
};

/**
 * Plans the calls table, which contains the facts about each operation for the client. It is
 * separate from the operation table so that client bundles stay small.
 */
function callsFile(protocol: Protocol): FilePlan {
  const { operations, binding } = protocol;
  const imports = new Imports("client/calls.ts", [
    ...operations.map(({ method }) => constantFor(method)),
    output.clientProtocol,
  ]);
  imports.use(runtime.ClientFacts);
  const guarded = guardedTypes(protocol);
  const names = membersOf(tables, imports);
  const spellings = new Spellings(protocol.types, imports, (symbol) => names.type(symbol));
  const acceptedBy = (name: string): Layout[] =>
    guarded.has(name) && spellings.covers(name)
      ? acceptsMember(name, protocol, spellings, imports)
      : [];
  return imports.plan("client/calls", {
    calls: operations.map((operation) => callLines(operation, protocol, acceptedBy, imports)),
    spellings: spellings.functions,
    facts: binding && [
      ...clientFacts(binding),
      `bindings: { jsonRpc: ${quote(binding.bindings.jsonRpc)} },`,
    ],
  });
}

/** Returns the declaration of an operation in the calls table. */
function callLines(
  operation: OperationDef,
  protocol: Protocol,
  acceptedBy: (type: string) => Layout[],
  imports: Imports,
): string[] {
  const { name, method, streaming, jsonRpc, http, response: ref } = operation;
  const names = membersOf(tables, imports);
  const request = schemaRef(operation.request, names, "type");
  const response = schemaRef(ref, names, "type");
  const members = [
    ...literalMembers({ name, streaming }),
    ...(ref.kind === "named" ? acceptedBy(ref.name) : []),
    ...(ref.kind === "empty" ? [`empty: ${ref.json === "null" ? "null" : "{}"},`] : []),
    ...literalMembers({
      jsonRpc: jsonRpc === name ? true : jsonRpc,
      card: returnsCard(operation, protocol),
      tenant: takesTenant(operation, protocol),
      safe: http[0]?.httpMethod === "GET",
    }),
    ...lastMember(lastEventOf(operation, protocol), imports),
  ];
  const head = `export const ${constantFor(method)}: ${imports.type(runtime.ClientOperation)}`;
  return declareObject(head, [request.type, response.type], members);
}

/** Returns the member that accepts responses which the client need not read. */
function acceptsMember(
  name: string,
  protocol: Protocol,
  spellings: Spellings,
  imports: Imports,
): Layout[] {
  const guard = imports.value(guardRef(protocol, name));
  const respells = spellings.functionFor(name);
  if (respells === undefined) return [`accepts: ${guard},`];
  const check = `${guard}(value) && !${respells}(value)`;
  return [group(["accepts: (value) =>", indented([line, check]), ","])];
}

/** Plans the types of responses, which a client loads when it reads a response leniently. */
function responsesFile({ operations }: Protocol, card: string): FilePlan {
  const imports = new Imports("client/responses.ts", [output.responses, "card"]);
  imports.use(runtime.Schema);
  const schemaOf = (response: TypeRef): string => schemaRef(response, names).schema;
  // The schemas do not need the types of the models.
  const names = { ...membersOf(tables, imports), type: ({ name }: SymbolRef) => name };
  return imports.plan("client/responses", {
    card: { type: imports.type(modelRef(card)), schema: schemaOf({ kind: "named", name: card }) },
    responses: operations.map(({ name, response }) =>
      print(memberLayout(name, schemaOf(response)), 2),
    ),
  });
}

function returnsCard({ response }: OperationDef, { binding }: Protocol): boolean {
  return response.kind === "named" && response.name === binding?.card.type;
}

function takesTenant({ request }: OperationDef, { types, binding }: Protocol): boolean {
  if (request.kind !== "named") return false;
  const type = types.find(({ name }) => name === request.name);
  return type?.kind === "message" && type.fields.some(({ name }) => name === binding?.tenant);
}

/** Returns the member that recognizes the last event of a stream. */
function lastMember(members: LastEvent | undefined, imports: Imports): Layout[] {
  if (members === undefined) return [];
  const check = { call: imports.value(runtime.hasMembers), args: ["event", literalOf(members)] };
  return [["isLast: (event) => ", layoutOf(check), ","]];
}

/** The modules that a client loads when it requires them, by their keys in templates. */
const loadedLater = { responses: output.responses.module };

function clientFile(protocol: Protocol, card: string): FilePlan {
  const declared = [output.A2AClient, output.ClientCall, output.Interceptor];
  const imports = new Imports("client/client.ts", declared);
  imports.use(runtime.ClientCore, runtime.ClientOptions, runtime.ClientInterceptor);
  imports.use(runtime.Call, runtime.CallOf, runtime.CallOptions, runtime.CardSearch);
  imports.use(output.clientErrors, output.OperationRequests);
  imports.namespace(outputNamespaces.calls);
  const plan = imports.plan("client/client", {
    card: imports.type(modelRef(card)),
    methods: protocol.operations.map((operation) => methodView(operation, protocol, imports)),
  });
  return { ...plan, specifiers: loadedLater };
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
  const { connect, ConnectOptions, fetchCard, FetchCardOptions } = output;
  const declared = [connect, ConnectOptions, fetchCard, FetchCardOptions, "find"];
  const imports = new Imports("client/connect.ts", declared);
  imports.use(output.errors, output.discovery, output.protocol);
  imports.use(output.A2AClient, output.Interceptor);
  imports.use(runtime.discover, runtime.foundAt, runtime.originsFor, runtime.Discovered);
  imports.use(runtime.ClientOptions, runtime.ClientVersion);
  imports.use(runtime.HttpOptions, runtime.TransportFactory);
  imports.type(runtime.CardCache);
  const factories = transports.map(({ client: { factory } }) => `${imports.value(factory)}()`);
  const isListed = interfaces.main === undefined;
  const plan = imports.plan("client/connect", {
    card: imports.type(modelRef(card)),
    factories: factories.join(", "),
    open: imports.value(isListed ? runtime.openFirst : runtime.openMainFirst),
    thrown: thrownLines(errorRoles),
  });
  return { ...plan, specifiers: loadedLater };
}

/** Returns the errors that fetching a card throws, for doc comments. */
function thrownLines({
  unauthenticated,
  permissionDenied,
  invalidResponse,
}: BindingDef["errorRoles"]): string[] {
  const failures = [
    { error: unauthenticated, condition: "the card takes credentials that are not given" },
    { error: permissionDenied, condition: "the caller may not read the card" },
    { error: invalidResponse, condition: "the card is not valid" },
  ];
  return failures
    .filter(({ error }) => error !== undefined)
    .map(({ error = "", condition }) => `{${error}} if ${condition}`);
}

function indexFile(transports: readonly Transport[]): FilePlan {
  const imports = new Imports("client/index.ts");
  imports.reexport(output.A2AClient, output.ClientCall, output.Interceptor);
  imports.reexport(output.connect, output.ConnectOptions);
  imports.reexport(output.fetchCard, output.FetchCardOptions);
  imports.reexport(runtime.ClientOptions, runtime.ClientOperation, runtime.ClientVersion);
  imports.reexport(runtime.Call, runtime.CallOptions, runtime.CardCache);
  imports.reexport(runtime.Fetch, runtime.HttpOptions);
  imports.reexport(runtime.Transport, runtime.TransportFactory);
  imports.reexport(runtime.TransportError, runtime.wasNotSent);
  for (const { client: parts } of transports) {
    imports.reexport(parts.factory, parts.transport);
    if (parts.helper !== undefined) imports.reexport(parts.helper.name);
  }
  return imports.plan("index", {});
}
