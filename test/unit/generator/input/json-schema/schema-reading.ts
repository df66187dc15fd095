import { Diagnostics, InputError } from "../../../../../support/diagnostics.js";
import { readSchema } from "../../../../../generator/input/json-schema/read.js";
import type {
  SchemaHints,
  SchemaParts,
} from "../../../../../generator/protocol/model/schema-parts.js";
import type {
  MessageDef,
  TypeDef,
  ValueType,
} from "../../../../../generator/protocol/model/types.js";

/** Reads the text of a schema. Throws an `InputError` when anything is wrong with it. */
export function readText(text: string, hints: Partial<SchemaHints> = {}): SchemaParts {
  const diagnostics = new Diagnostics();
  const parts = readSchema(
    { file: "s.json", text },
    { names: {}, keys: {}, enumAliases: {}, ...hints },
    diagnostics,
  );
  diagnostics.throwIfAny();
  return parts;
}

/** Reads definitions. */
export function read(definitions: object, hints: Partial<SchemaHints> = {}): SchemaParts {
  return readText(JSON.stringify({ definitions }), hints);
}

/** Error lines of reading a text; empty if it succeeds. */
export function problemsOf(text: string, hints: Partial<SchemaHints> = {}): string[] {
  try {
    readText(text, hints);
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.message.split("\n");
    throw error;
  }
}

/** A type by its name in TypeScript. */
export function typeOf(parts: SchemaParts, name: string): TypeDef {
  const type = parts.types.find((candidate) => candidate.name === name);
  if (type === undefined) throw new Error(`Unknown type ${name}`);
  return type;
}

/** A message by its name in TypeScript. */
export function messageOf(parts: SchemaParts, name: string): MessageDef {
  const type = typeOf(parts, name);
  if (type.kind !== "message") throw new Error(`${name} is no message`);
  return type;
}

/** Type of a property with this schema. */
export function valueOf(
  schema: unknown,
  others: object = {},
  hints: Partial<SchemaHints> = {},
): ValueType {
  const parts = read(
    { Owner: { type: "object", properties: { field: schema } }, ...others },
    hints,
  );
  const [field] = messageOf(parts, "Owner").fields;
  if (field === undefined) throw new Error("Unknown field");
  return field.type;
}

/** Type of a definition that is an alias. */
export function aliasOf(schema: unknown, others: object = {}): ValueType {
  const type = typeOf(read({ Alias: schema, ...others }), "Alias");
  if (type.kind !== "alias") throw new Error("Alias is no alias");
  return type.type;
}
