import type {
  AgentBinding,
  BindingDef,
  OperationDef,
  Protocol,
  RequirementDef,
  TypeRef,
} from "../../protocol/model/types.js";
import {
  listMember,
  literalMembers,
  literalOf,
  memberLayout,
  type Expression,
} from "../../emit/expressions.js";
import { Imports, membersOf, type NameSource } from "../../emit/imports.js";
import { isOfAgents } from "../errors/errors.js";
import { errorRef, output, outputNamespaces, validatorRef } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import { requestType, valueType } from "../../emit/operation-views.js";
import { docOf, declareObject, keyOf, enclose, type DocView } from "../../emit/text.js";
import { print, type Layout } from "../../emit/layout.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";
import { constantFor } from "../../../support/names.js";
import { nonEmptyPaths, trueIfAbsent } from "./non-empty.js";

/** Target of the operation table, and of the facts about the protocol as a whole. */
export const operations: Target = {
  name: "operations",
  summary: "the operation table with every binding (operations.ts)",
  needs: ["validators", "errors"],
  plan: (protocol) => ({
    ...emptyPlan,
    files: [
      operationsFile(protocol),
      ...(protocol.binding === undefined ? [] : [factsFile(protocol.binding)]),
    ],
  }),
};

/**
 * Plans the facts about the protocol as a whole. They are separate from the operation table, whose
 * schemas a client loads later.
 */
function factsFile(binding: BindingDef): FilePlan {
  const imports = new Imports("facts.ts", [output.discovery, output.protocol]);
  if (isOfAgents(binding)) {
    imports.use(runtime.ProtocolFacts, runtime.DiscoveryFacts);
    const discovery = discoveryMembers(binding);
    return imports.plan("operations/facts", { protocol: protocolMembers(binding), discovery });
  }
  imports.use(runtime.ServiceFacts);
  return imports.plan("services/facts", { protocol: protocolMembers(binding) });
}

function operationsFile(protocol: Protocol): FilePlan {
  const { binding, wire } = protocol;
  const constants = protocol.operations.map(({ method }) => constantFor(method));
  const { discovery, operations: list, protocol: facts, OperationRequests } = output;
  const declared = [...constants, discovery, list, facts, OperationRequests];
  const imports = new Imports("operations.ts", declared);
  if (binding !== undefined) imports.reexport(facts);
  if (isOfAgents(binding)) imports.reexport(discovery);
  const type = imports.type(runtime.Operation);
  const names = membersOf(tables, imports);
  return imports.plan("operations/operations", {
    operations: protocol.operations.map((operation) => operationView(operation, protocol, imports)),
    source: wire === undefined ? "schema" : "proto",
    requests: protocol.operations.map(
      (operation) => `readonly ${keyOf(operation.name)}: ${requestType(operation, names)};`,
    ),
    all: enclose(`export const operations: readonly ${type}[] = [`, constants, "] as const;"),
  });
}

interface OperationView {
  readonly docs: DocView;
  readonly lines: readonly string[];
}

function operationView(
  operation: OperationDef,
  protocol: Protocol,
  imports: Imports,
): OperationView {
  // Usually, the client and the service contain the doc comments of operations. Without a manifest,
  // neither is generated, so the table contains the doc comments.
  const docs = protocol.binding === undefined ? operation.docs : "";
  const names = membersOf(tables, imports);
  const request = schemaRef(operation.request, names);
  const response = schemaRef(operation.response, names);
  const head = `export const ${constantFor(operation.method)}: ${imports.type(runtime.Operation)}`;
  const members = [
    ...identityOf(operation),
    `request: ${request.schema},`,
    `response: ${response.schema},`,
    ...bindingsOf(operation),
    ...conditionsOf(operation, imports),
    ...requestRules(operation, protocol),
  ];
  return {
    docs: docOf(docs, 0, operation.deprecated ? ["@deprecated"] : []),
    lines: declareObject(head, [request.type, response.type], members),
  };
}

function identityOf({ name, method, ownMethod = method, streaming }: OperationDef): Layout[] {
  return literalMembers({ name, method: ownMethod, streaming });
}

/** Returns the members for the bindings: the method, routes and rpc of an operation. */
function bindingsOf({ jsonRpc, http, rpc }: OperationDef): Layout[] {
  return [
    ...literalMembers({ jsonRpc }),
    ...routesOf(http),
    ...literalMembers({ grpc: rpc && `/${rpc.service}/${rpc.method}` }),
  ];
}

/** Returns the member for the HTTP+JSON routes of an operation. */
export function routesOf(http: OperationDef["http"]): Layout[] {
  const routes = http.map(({ httpMethod, path, body, responseBody, use }) =>
    literalOf({ method: httpMethod, path, body, responseBody, use }),
  );
  return listMember("http", routes);
}

/** Returns the members for the capabilities that a call requires, and its errors. */
function conditionsOf(operation: OperationDef, imports: Imports): Layout[] {
  const { requires, fieldRequires = [], missing, publicCard } = operation;
  const fields = fieldRequires.map(({ path, ...requirement }) =>
    requirementOf(requirement, imports, { path: literalOf(path) }),
  );
  return [
    ...(requires === undefined ? [] : [memberLayout("requires", requirementOf(requires, imports))]),
    ...listMember("fieldRequires", fields),
    ...(missing === undefined ? [] : [`missing: ${imports.value(errorRef(missing))},`]),
    ...literalMembers({ publicCard }),
  ];
}

/** Returns the members for rules that the schema of the request does not express. */
function requestRules(operation: OperationDef, protocol: Protocol): Layout[] {
  const { ranges = [], urls, spellings = [] } = operation;
  const rangeMembers = ranges.map(({ path, least, most }) => literalOf({ path, least, most }));
  const spellingMembers = spellings.map(({ name, field, ...rest }) =>
    literalOf({ name, field, ...rest }),
  );
  return [
    ...pathMember("nonEmpty", nonEmptyPaths(operation, protocol)),
    ...listMember("ranges", rangeMembers),
    ...pathMember("urls", urls),
    ...listMember("spellings", spellingMembers),
    ...pathMember("trueIfAbsent", trueIfAbsent(operation, protocol)),
  ];
}

function pathMember(name: string, paths: readonly (readonly string[])[] = []): Layout[] {
  return paths.length === 0 ? [] : literalMembers({ [name]: paths });
}

function requirementOf(
  { capability, error }: RequirementDef,
  imports: Imports,
  more: Readonly<Record<string, Expression>> = {},
): Expression {
  const errorName = imports.value(errorRef(error));
  return { object: { ...more, capability: literalOf(capability), error: errorName } };
}

/** Modules that operation tables import as a namespace. */
export const tables = [outputNamespaces.models, outputNamespaces.validators];

/** Returns the type of a request or response, and its schema unless `use` is `type`. */
export function schemaRef(
  ref: TypeRef,
  imports: NameSource,
  use: "value" | "type" = "value",
): { type: string; schema: string } {
  const type = valueType(ref, imports);
  if (use === "type") return { type, schema: "" };
  const empty =
    ref.kind === "empty" && ref.json === "null" ? runtime.NullSchema : runtime.EmptySchema;
  return {
    type,
    schema: imports.value(ref.kind === "named" ? validatorRef(`${ref.name}Schema`) : empty),
  };
}

/** Returns the members of the protocol facts that every client requires. */
export function clientFacts(binding: BindingDef): string[] {
  const { wireVersion, headers, tenant } = binding;
  const emptyStreams = !isOfAgents(binding);
  return memberLines({ version: wireVersion, headers, tenant, emptyStreams });
}

function protocolMembers(binding: BindingDef): string[] {
  const { bindings, assumedVersion, mediaTypes, streamErrors } = binding;
  return [
    ...clientFacts(binding),
    ...memberLines({
      bindings,
      assumedVersion,
      mediaTypes,
      streamErrors: streamErrors === "event" && streamErrors,
    }),
  ];
}

function discoveryMembers({ card }: AgentBinding): string[] {
  const { path, versions = [], interfaces, extensions, security } = card;
  const { main, ...otherInterfaces } = interfaces;
  return memberLines({
    path,
    versions: versions.length > 0 && versions,
    interfaces: { main, ...otherInterfaces },
    extensions: extensions && {
      list: extensions.list,
      uri: extensions.uri,
      required: extensions.required,
    },
    security,
  });
}

function memberLines(values: Readonly<Record<string, unknown>>): string[] {
  return literalMembers(values).flatMap((member) => print(member, 2));
}
