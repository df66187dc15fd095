import { Shapes } from "../../protocol/correlate/shape.js";
import { fieldSchema } from "../../protocol/json-schema/json-schema.js";
import type { JsonSchema } from "../../protocol/json-schema/types.js";
import { streamsResponses } from "../../protocol/model/streaming.js";
import type { BindingDef, FieldDef, OperationDef, Protocol } from "../../protocol/model/types.js";
import { openRpcDialect } from "./components.js";
import { withRange } from "./ranges.js";
import { conditionsOf, paragraphs, summaryOf } from "./words.js";

/** Parameter or result of a method. */
export interface ContentDescriptor {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly schema: JsonSchema;
}

/** Method of an OpenRPC document. */
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

/** Describes the JSON-RPC methods of all operations. */
export function methodsOf({ operations, types }: Protocol, { errors }: BindingDef): Method[] {
  const shapes = new Shapes(types);
  const coded = errors.filter(({ jsonRpc }) => jsonRpc !== undefined);
  const shared = { errors: coded.map(({ name }) => ({ $ref: `#/components/errors/${name}` })) };
  return operations.flatMap((operation): Method[] => {
    const { jsonRpc: name } = operation;
    return name === undefined
      ? []
      : [{ name, ...wordsOf(operation), ...contractOf(operation, shapes), ...shared }];
  });
}

type Words = Pick<Method, "summary" | "description" | "deprecated">;

function wordsOf(operation: OperationDef): Words {
  const summary = summaryOf(operation.docs);
  const stream = "The response is a stream of events. Each event contains a result.";
  const description = paragraphs(
    operation.docs,
    streamsResponses(operation) && stream,
    ...conditionsOf(operation),
  );
  return {
    ...(summary !== "" && { summary }),
    ...(description !== "" && { description }),
    ...(operation.deprecated && { deprecated: true }),
  };
}

type Contract = Pick<Method, "x-streaming" | "paramStructure" | "params" | "x-params" | "result">;

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
  if (response.kind === "named")
    return { name: response.name, schema: { $ref: openRpcDialect.refTo(response.name) } };
  return { name: "nothing", schema: { type: response.json } };
}

/**
 * Describes the members of the params. The params of a union have the members of all alternatives,
 * and a member is required only if every alternative requires it.
 */
function paramsOf({ request, ranges }: OperationDef, shapes: Shapes): ContentDescriptor[] {
  if (request.kind === "empty") return [];
  const alternatives = shapes.alternatives(shapes.reference(request.name));
  const messages = alternatives.map((type) => shapes.message(type));
  const byName = new Map<string, FieldDef[]>();
  for (const field of messages.flatMap((message) => message?.fields ?? []))
    byName.set(field.name, [...(byName.get(field.name) ?? []), field]);
  return [...byName].map(([name, fields]) => {
    const docs = fields[0]?.docs ?? "";
    const isDeprecated = fields.every(({ deprecated }) => deprecated);
    return {
      name,
      ...(docs !== "" && { description: docs }),
      required: fields.length === messages.length && fields.every(isNeeded),
      ...(isDeprecated && { deprecated: true }),
      schema: withRange(schemaOfAll(fields), name, ranges),
    };
  });
}

function isNeeded({ presence, oneof }: FieldDef): boolean {
  return presence === "required" && oneof === undefined;
}

/** Returns the schema for fields with the same name in several alternatives. */
function schemaOfAll(fields: readonly FieldDef[]): JsonSchema {
  const schemas = fields.map((field) =>
    fieldSchema({ ...field, docs: "", deprecated: false }, openRpcDialect),
  );
  const [first, ...others] = new Map(
    schemas.map((schema) => [JSON.stringify(schema), schema]),
  ).values();
  return others.length === 0 ? (first ?? {}) : { anyOf: [first ?? {}, ...others] };
}
