import type {
  BindingDef,
  HttpRouteDef,
  OperationDef,
  Protocol,
  RangeDef,
  RequirementDef,
  TypeRef,
  SpellingDef,
} from "../../protocol/model/types.js";
import {
  layout,
  listMember,
  literalOf,
  memberLayout,
  type Expression,
} from "../../emit/expressions.js";
import { Imports, membersOf, type NameSource } from "../../emit/imports.js";
import { errorRef, output, outputNamespaces, validatorRef } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import { requestType, valueType } from "../../emit/operation-views.js";
import {
  docOf,
  declareObject,
  keyOf,
  enclose,
  encloseObject,
  quote,
  type DocView,
} from "../../emit/text.js";
import { print, type Layout } from "../../emit/layout.js";
import { emptyPlan, type Target } from "../../emit/plan.js";
import { constantFor } from "../../../support/names.js";
import { nonEmptyPaths, trueIfAbsent } from "./non-empty.js";

/** Target of the operation table, and of the facts about the protocol as a whole. */
export const operations: Target = {
  name: "operations",
  summary: "the operation table with every binding (operations.ts)",
  needs: ["validators", "errors"],
  plan: (protocol) => {
    const constants = protocol.operations.map(({ method }) => constantFor(method));
    const { discovery, operations: all, protocol: protocolFacts } = output;
    const imports = new Imports("operations.ts", [
      ...constants,
      ...[discovery, all, protocolFacts, output.OperationRequests].map(({ name }) => name),
    ]);
    const views = protocol.operations.map((operation) =>
      operationView(operation, protocol, imports),
    );
    const facts = protocol.binding !== undefined && factsView(protocol.binding, imports);
    const source = protocol.wire === undefined ? "schema" : "proto";
    const names = membersOf(tables, imports);
    const requests = protocol.operations.map(
      (operation) => `readonly ${keyOf(operation.name)}: ${requestType(operation, names)};`,
    );
    const view = { operations: views, facts, source, requests, all: allView(protocol, imports) };
    return { ...emptyPlan, files: [imports.plan("operations/operations", view)] };
  },
};

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
  const isDocumented = protocol.binding === undefined;
  const names = membersOf(tables, imports);
  const request = schemaRef(operation.request, names);
  const response = schemaRef(operation.response, names);
  const errorOf = (name: string): string => imports.value(errorRef(name));
  return {
    docs: docOf(isDocumented ? operation.docs : "", 0, operation.deprecated ? ["@deprecated"] : []),
    lines: declareObject(
      `export const ${constantFor(operation.method)}: ${imports.type(runtime.Operation)}`,
      [request.type, response.type],
      [
        `name: ${quote(operation.name)},`,
        `method: ${quote(operation.method)},`,
        `streaming: ${quote(operation.streaming)},`,
        `request: ${request.schema},`,
        `response: ${response.schema},`,
        ...(operation.jsonRpc === undefined ? [] : [`jsonRpc: ${quote(operation.jsonRpc)},`]),
        ...listMember("http", operation.http.map(routeOf)),
        ...(operation.rpc === undefined
          ? []
          : [`grpc: ${quote(`/${operation.rpc.service}/${operation.rpc.method}`)},`]),
        ...(operation.requires === undefined
          ? []
          : [memberLayout("requires", requirementOf(operation.requires, errorOf))]),
        ...listMember(
          "fieldRequires",
          operation.fieldRequires?.map((each) =>
            requirementOf(each, errorOf, { path: { list: each.path.map(quote) } }),
          ),
        ),
        ...(operation.missing === undefined ? [] : [`missing: ${errorOf(operation.missing)},`]),
        ...(operation.publicCard === true ? ["publicCard: true,"] : []),
        ...pathMember("nonEmpty", nonEmptyPaths(operation, protocol)),
        ...listMember("ranges", operation.ranges?.map(rangeOf)),
        ...pathMember("urls", operation.urls),
        ...listMember("spellings", operation.spellings?.map(spellingOf)),
        ...pathMember("trueIfAbsent", trueIfAbsent(operation, protocol)),
      ],
    ),
  };
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

function routeOf({ httpMethod, path, body, responseBody, use }: HttpRouteDef): Expression {
  return literalOf({ method: httpMethod, path, body, responseBody, use });
}

function pathMember(name: string, paths: readonly (readonly string[])[] = []): Layout[] {
  return paths.length === 0 ? [] : [memberLayout(name, literalOf(paths))];
}

function requirementOf(
  { capability, error }: RequirementDef,
  errorOf: (name: string) => string,
  more: Readonly<Record<string, Expression>> = {},
): Expression {
  return {
    object: { ...more, capability: { list: capability.map(quote) }, error: errorOf(error) },
  };
}

function spellingOf(spelling: SpellingDef): Expression {
  const { name, field, ...rest } = spelling;
  const members = Object.entries(rest).map(([key, value]) => [key, quote(value)] as const);
  return {
    object: {
      name: quote(name),
      field: { list: field.map(quote) },
      ...Object.fromEntries(members),
    },
  };
}

function rangeOf({ path, least, most }: RangeDef): Expression {
  const members = { path: { list: path.map(quote) }, least: String(least) };
  return { object: { ...members, ...(most !== undefined && { most: String(most) }) } };
}

/** Returns the list of all operations, on one line if it fits. */
function allView({ operations: all }: Protocol, imports: Imports): { lines: readonly string[] } {
  return {
    lines: enclose(
      `export const operations: readonly ${imports.type(runtime.Operation)}[] = [`,
      all.map(({ method }) => constantFor(method)),
      "] as const;",
    ),
  };
}

/** Returns the members of the protocol facts that every client requires. */
export function clientFacts({ wireVersion, headers, tenant }: BindingDef): string[] {
  return [
    `version: ${quote(wireVersion)},`,
    ...object("headers: ", headers),
    ...(tenant === undefined ? [] : [`tenant: ${quote(tenant)},`]),
  ];
}

function factsView(binding: BindingDef, imports: Imports) {
  const { mediaTypes, card, bindings } = binding;
  return {
    protocol: [
      ...clientFacts(binding),
      ...object("bindings: ", bindings),
      `assumedVersion: ${quote(binding.assumedVersion)},`,
      ...layout("mediaTypes: ", literalOf(mediaTypes), ",", 2),
      ...(binding.streamErrors === "event" ? [`streamErrors: "event",`] : []),
    ],
    protocolType: imports.type(runtime.ProtocolFacts),
    discoveryType: imports.type(runtime.DiscoveryFacts),
    discovery: [
      `path: ${quote(card.path)},`,
      ...pathMember("versions", card.versions).flatMap((member) => print(member, 2)),
      ...interfacesOf(card),
      ...extensionsOf(card),
      ...(card.security === undefined ? [] : object("security: ", card.security)),
    ],
  };
}

function interfacesOf({ interfaces: { main, ...keys } }: BindingDef["card"]): string[] {
  const { beside, ...texts } = main ?? {};
  const other = beside === undefined ? [] : [`beside: { ${textMembers(beside).join(", ")} }`];
  const first =
    main === undefined ? [] : [`main: { ${[...textMembers(texts), ...other].join(", ")} }`];
  return encloseObject("interfaces: ", [...first, ...textMembers(keys)], ",", 2);
}

function extensionsOf({ extensions }: BindingDef["card"]): string[] {
  if (extensions === undefined) return [];
  const { list, uri, required } = extensions;
  const members = [
    `list: ${quotedList(list)}`,
    `uri: ${quote(uri)}`,
    `required: ${quote(required)}`,
  ];
  return encloseObject("extensions: ", members, ",", 2);
}

/** Returns a member whose value is an object of strings. */
function object(head: string, value: object): string[] {
  return encloseObject(head, textMembers(value), ",", 2);
}

function textMembers(value: object): string[] {
  return Object.entries(value).map(([key, text]) => `${key}: ${quote(String(text))}`);
}

function quotedList(list: readonly string[]): string {
  return `[${list.map(quote).join(", ")}]`;
}
