import { constantFor } from "../../../support/names.js";
import type { OperationDef, Protocol, TypeRef } from "../../protocol/model/types.js";
import { isOfAgents } from "../errors/errors.js";
import { clientFacts, schemaRef, tables } from "../operations/operations.js";
import { layoutOf, literalMembers, literalOf, memberLayout } from "../../emit/expressions.js";
import { group, indented, line, print, type Layout } from "../../emit/layout.js";
import { declareObject, quote } from "../../emit/text.js";
import { Imports, membersOf } from "../../emit/imports.js";
import { modelRef, output } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import type { SymbolRef } from "../../emit/symbols.js";
import { guardedTypes } from "./guarded.js";
import { Spellings } from "./spellings.js";
import { guardRef } from "../validators/names.js";
import { lastEventOf, type LastEvent } from "./last-event.js";
import { type FilePlan } from "../../emit/plan.js";

/**
 * Plans the calls table, which contains the facts about each operation for the client. It is
 * separate from the operation table so that client bundles stay small.
 */
export function callsFile(protocol: Protocol): FilePlan {
  const { operations, binding } = protocol;
  const imports = new Imports("client/calls.ts", [
    ...operations.map(({ method }) => constantFor(method)),
    output.clientProtocol,
  ]);
  const factsType = isOfAgents(binding) ? runtime.ClientFacts : runtime.CallerFacts;
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
    factsType: imports.type(factsType),
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
export function responsesFile({ operations }: Protocol, card?: string): FilePlan {
  const imports = new Imports("client/responses.ts", [output.responses, "card"]);
  imports.use(runtime.Schema);
  const schemaOf = (response: TypeRef): string => schemaRef(response, names).schema;
  // The schemas do not need the types of the models.
  const names = { ...membersOf(tables, imports), type: ({ name }: SymbolRef) => name };
  return imports.plan("client/responses", {
    card: card !== undefined && {
      type: imports.type(modelRef(card)),
      schema: schemaOf({ kind: "named", name: card }),
    },
    responses: operations.map(({ name, response }) =>
      print(memberLayout(name, schemaOf(response)), 2),
    ),
  });
}

function returnsCard({ response }: OperationDef, { binding }: Protocol): boolean {
  return response.kind === "named" && response.name === binding?.card?.type;
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
export const loadedLater = { responses: output.responses.module };
