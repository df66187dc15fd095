import { Shapes } from "../../protocol/correlate/shape.js";
import { fieldSchema } from "../../protocol/json-schema/json-schema.js";
import type { JsonSchema } from "../../protocol/json-schema/types.js";
import { streamsResponses } from "../../protocol/model/streaming.js";
import type { BindingDef, FieldDef, LegacyDef, OperationDef, Protocol } from "../../protocol/model/types.js";
import { aliasDocs } from "./aliases.js";
import { openRpcDialect } from "./components.js";
import { withRange } from "./ranges.js";
import { conditionsOf, paragraphs, summaryOf } from "./words.js";

/** A parameter or the result of a method. */
export interface ContentDescriptor {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly schema: JsonSchema;
}

/** A method of an OpenRPC document. */
export interface Method {
  readonly name: string;
  readonly summary?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly "x-streaming"?: true;
  readonly paramStructure: "by-name";
  readonly params: readonly ContentDescriptor[];
  readonly "x-params"?: JsonSchema;
  readonly result: ContentDescriptor;
  readonly errors: readonly { readonly $ref: string }[];
}

/**
 * Describes the method of each operation that has one, and behind them the names that earlier versions had for them, as
 * far as a server that takes old names serves them.
 */
export function methodsOf(protocol: Protocol, { errors }: BindingDef): Method[] {
  const { operations, types, legacy } = protocol;
  const shapes = new Shapes(types);
  const coded = errors.filter(({ jsonRpc }) => jsonRpc !== undefined);
  const shared = { errors: coded.map(({ name }) => ({ $ref: `#/components/errors/${name}` })) };
  const methods = operations.flatMap((operation): Method[] => {
    const { jsonRpc: name } = operation;
    return name === undefined ? [] : [{ name, ...wordsOf(operation), ...contractOf(operation, shapes), ...shared }];
  });
  const old = legacy.flatMap((alias): Method[] => {
    const operation = operations.find(({ jsonRpc }) => alias.kind === "methods" && jsonRpc === alias.now);
    if (operation === undefined || alias.served === false) return [];
    const contract = oldContract(alias, operation, contractOf(operation, shapes), legacy);
    return [{ name: alias.old, ...wordsOfAlias(alias, protocol), ...contract, ...shared }];
  });
  return [...methods, ...old];
}

type Words = Pick<Method, "summary" | "description" | "deprecated">;

function wordsOf(operation: OperationDef): Words {
  const summary = summaryOf(operation.docs);
  const stream = "The response is a stream of events, each of which has a result.";
  const description = paragraphs(operation.docs, streamsResponses(operation) && stream, ...conditionsOf(operation));
  return {
    ...(summary !== "" && { summary }),
    ...(description !== "" && { description }),
    ...(operation.deprecated && { deprecated: true }),
  };
}

function wordsOfAlias(alias: LegacyDef, protocol: Protocol): Words {
  const who = "Only servers that accept names of earlier versions take it: those with `acceptLegacy`.";
  const description = paragraphs(aliasDocs(alias, protocol), who);
  return { summary: `Old name of \`${alias.now}\``, description, deprecated: true };
}

type Contract = Pick<Method, "x-streaming" | "paramStructure" | "params" | "x-params" | "result">;

/**
 * The contract of a method under its old name. Where that has other names for params, the params have these; one whose
 * name means something else there goes by the name that it had, if a property says so.
 */
function oldContract(
  { params: renamed }: LegacyDef,
  { request }: OperationDef,
  contract: Contract,
  legacy: readonly LegacyDef[],
): Contract {
  if (renamed === undefined || request.kind !== "named") return contract;
  const { paramStructure, result, "x-streaming": streams } = contract;
  const formerly = ({ name }: ContentDescriptor): string | undefined => {
    const old = Object.keys(renamed).find((key) => renamed[key] === name);
    if (old !== undefined || !Object.hasOwn(renamed, name)) return old ?? name;
    const now = `${request.name}.${name}`;
    const property = legacy.find((entry) => entry.now === now && entry.value === "same");
    const [, first, ...inner] = property?.old.split(".") ?? [];
    return inner.length === 0 ? first : undefined;
  };
  const params = contract.params.flatMap((param): ContentDescriptor[] => {
    const name = formerly(param);
    return name === undefined ? [] : [{ ...param, name }];
  });
  // All of them together make up no type.
  return { ...(streams && { "x-streaming": streams }), paramStructure, params, result };
}

function contractOf(operation: OperationDef, shapes: Shapes): Contract {
  const { request } = operation;
  return {
    ...(streamsResponses(operation) && { "x-streaming": true }),
    paramStructure: "by-name",
    params: paramsOf(operation, shapes),
    ...(request.kind === "named" && { "x-params": { $ref: openRpcDialect.refTo(request.name) } }),
    result: resultOf(operation),
  };
}

function resultOf({ response }: OperationDef): ContentDescriptor {
  if (response.kind === "named") return { name: response.name, schema: { $ref: openRpcDialect.refTo(response.name) } };
  return { name: "nothing", schema: { type: response.json } };
}

/** The members of the params; of several alternatives those of all, which are only required where each requires them. */
function paramsOf({ request, ranges }: OperationDef, shapes: Shapes): ContentDescriptor[] {
  if (request.kind === "empty") return [];
  const messages = shapes.alternatives(shapes.reference(request.name)).map((type) => shapes.message(type));
  const all = new Map<string, FieldDef[]>();
  for (const field of messages.flatMap((message) => message?.fields ?? []))
    all.set(field.name, [...(all.get(field.name) ?? []), field]);
  return [...all].map(([name, fields]) => {
    const [first] = fields;
    const isRequired = fields.length === messages.length && fields.every(isNeeded);
    return {
      name,
      ...(first !== undefined && first.docs !== "" && { description: first.docs }),
      required: isRequired,
      ...(fields.every(({ deprecated }) => deprecated) && { deprecated: true }),
      schema: withRange(schemaOfAll(fields), name, ranges),
    };
  });
}

function isNeeded({ presence, oneof }: FieldDef): boolean {
  return presence === "required" && oneof === undefined;
}

/** The schema of what several alternatives have under one name. */
function schemaOfAll(fields: readonly FieldDef[]): JsonSchema {
  const schemas = fields.map((field) => fieldSchema({ ...field, docs: "", deprecated: false }, openRpcDialect));
  const [first, ...others] = new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values();
  return others.length === 0 ? (first ?? {}) : { anyOf: [first ?? {}, ...others] };
}
