import { jsonName } from "../protocol/names.js";
import type {
  EnumDef,
  FieldDef,
  MessageDef,
  OneofDef,
  ScalarName,
  TypeDef,
  ValueType,
  WellKnownName,
} from "../protocol/types.js";
import { Imports } from "./imports.js";
import { enclose, indent, keyOf, lineWidth, memberOf, quote } from "./text.js";
import { emptyPlan, type Target } from "./types.js";

/** Validators: type guards, assertions, parsers and schemas for every type. */
export const validators: Target = {
  name: "validators",
  summary: "isX, assertX, validateX, parseX and XSchema for every type (validators.ts)",
  needs: ["models"],
  plan: (protocol) => {
    const imports = new Imports();
    const types = protocol.types.map((type) => typeView(type, imports));
    for (const name of ["Schema", "Validation"]) imports.type("runtime/schema", name);
    for (const name of ["assertValid", "parse", "validate"]) imports.value("runtime/schema", name);
    const file = imports.plan("validators.ts", "validators/validators", { types });
    return { ...emptyPlan, files: [file], exports: ["validators"] };
  },
};

interface TypeView {
  readonly name: string;
  /** How the text of a doc comment calls a value of the type. */
  readonly a: string;
  readonly message: MessageView | false;
  readonly enumeration: { readonly values: readonly string[] } | false;
  /** The lines that declare the schema. */
  readonly schema: readonly string[];
  /** The lines that open each function. */
  readonly heads: Readonly<Record<"is" | "isAt" | "assert" | "validate" | "parse", readonly string[]>>;
}

interface MessageView {
  /** Statements that leave the guard with `false`. */
  readonly checks: readonly string[];
  readonly guard: string;
  readonly alternatives: readonly {
    readonly variable: string;
    readonly members: readonly string[];
    readonly refused: string;
  }[];
}

function typeView(type: TypeDef, imports: Imports): TypeView {
  imports.type("models", type.name);
  const { name } = type;
  const common = { name, a: /^[AEIOU]/.test(name) ? "an" : "a", heads: headsOf(name) };
  if (type.kind === "enum") return { ...common, message: false, ...enumView(type, imports) };
  return { ...common, enumeration: false, ...messageView(type, imports) };
}

function headsOf(name: string): TypeView["heads"] {
  const head = (helper: string, parameters: readonly string[], result: string): readonly string[] =>
    enclose(`function ${helper}(`, parameters, `): ${result} {`);
  const exported = (helper: string, result: string): readonly string[] =>
    enclose(`export function ${helper}(`, ["value: unknown"], `): ${result} {`);
  return {
    is: exported(`is${name}`, `value is ${name}`),
    isAt: head(`is${name}At`, ["value: unknown", "depth: number"], `value is ${name}`),
    assert: exported(`assert${name}`, `asserts value is ${name}`),
    validate: exported(`validate${name}`, `Validation<${name}>`),
    parse: exported(`parse${name}`, name),
  };
}

function enumView(type: EnumDef, imports: Imports) {
  const call = imports.value("runtime/message", "enumeration");
  const values = type.values.map(({ name }) => quote(name));
  const entries = type.values.map(({ name, number }) => `${keyOf(name)}: ${number},`);
  return { enumeration: { values }, schema: schemaView(type.name, call, "{", entries, "}") };
}

function messageView(type: MessageDef, imports: Imports) {
  const call = imports.value("runtime/message", "message");
  const is = imports.namespace("runtime/predicates", "is");
  const fields = type.fields.map((field) => `${keyOf(field.name)}: ${fieldSchema(type, field, imports)},`);
  const message: MessageView = {
    guard: `!${is}.object<${type.name}>(value, depth)`,
    checks: type.fields.map((field) => checkOf(field, imports)),
    alternatives: type.oneofs.map((oneof) => alternativesView(oneof)),
  };
  return { message, schema: schemaView(type.name, call, "() => ({", fields, "})") };
}

/** The declaration of a schema: a call with the name and an object, laid out as the formatter does. */
function schemaView(
  name: string,
  call: string,
  open: string,
  fields: readonly string[],
  close: string,
): readonly string[] {
  const declared = `export const ${name}Schema: Schema<${name}> =`;
  const opening = `/* @__PURE__ */ ${call}(`;
  if (fields.length === 0) return [`${declared} ${opening}${quote(name)}, ${open}${close});`];
  const first = `${quote(name)}, ${open}`;
  const rest = [...fields.map(indent), `${close});`];
  if (`${declared} ${opening}${first}`.length <= lineWidth) return [`${declared} ${opening}${first}`, ...rest];
  if (`${declared} ${opening}`.length > lineWidth) return [declared, `  ${opening}${first}`, ...rest.map(indent)];
  const broken = [`${quote(name)},`, open, ...fields.map(indent), `${close},`];
  return [`${declared} ${opening}`, ...broken.map(indent), ");"];
}

function alternativesView({ name, members, required }: OneofDef) {
  const variable = isReserved(name) ? `${name}Members` : name;
  const accesses = members.map((member) => access(member));
  return { variable, members: accesses, refused: required ? `${variable} !== 1` : `${variable} > 1` };
}

function isReserved(name: string): boolean {
  return ["value", "depth", "is", "t"].includes(name) || !/^[a-z][A-Za-z0-9]*$/.test(name);
}

/** The statement that leaves the guard when a field is not as it should be. */
function checkOf(field: FieldDef, imports: Imports): string {
  const value = access(field.name);
  const refused = refusal(field.type, value, field.nonEmpty, imports);
  const condition = field.presence === "required" ? refused : `${value} !== undefined && ${refused}`;
  return refused === "" ? "" : wrapCondition(condition);
}

/** Lays a condition out over several lines where one is too short, as the formatter does. */
function wrapCondition(condition: string): string {
  const line = `  if (${condition}) return false;`;
  if (line.length <= lineWidth) return line;
  if (line.length - " return false;".length <= lineWidth) return `  if (${condition})\n    return false;`;
  return `  if (\n    ${condition.replace(" && ", " &&\n    ")}\n  )\n    return false;`;
}

/** Reads a field of the checked value; names that every object has are read only where the value itself has them. */
function access(name: string): string {
  return name in Object.prototype ? `is.own(value, ${quote(name)})` : memberOf("value", name);
}

function refusal(type: ValueType, value: string, nonEmpty: boolean, imports: Imports): string {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      if (type.scalar === "string") return `typeof ${value} !== "string"`;
      if (type.scalar === "bool") return `typeof ${value} !== "boolean"`;
      return `!${predicate(type, imports)}(${value})`;
    case "wellKnown":
      if (type.wellKnown === "NullValue") return `${value} !== null`;
      return `!${predicate(type, imports)}(${value}${hasDepth(type.wellKnown) ? ", depth + 1" : ""})`;
    case "message":
      return `!is${type.name}At(${value}, depth + 1)`;
    case "enum":
      return `!is${type.name}(${value})`;
    case "list":
      return `!is.${nonEmpty ? "nonEmptyList" : "list"}(${value}, ${predicate(type.element, imports)}, depth + 1)`;
    case "map":
      return `!is.map(${value}, ${keyPredicate(type.key)}, ${predicate(type.value, imports)}, depth + 1)`;
  }
}

function hasDepth(name: WellKnownName): boolean {
  return ["Struct", "Value", "ListValue", "Any", "Empty"].includes(name);
}

const wellKnownPredicates: Readonly<Record<WellKnownName, string>> = {
  Timestamp: "timestamp",
  Duration: "duration",
  FieldMask: "fieldMask",
  Struct: "jsonObject",
  ListValue: "jsonArray",
  Value: "json",
  NullValue: "nothing",
  Empty: "object",
  Any: "any",
};

const scalarPredicates: Readonly<Record<ScalarName, string>> = {
  double: "double",
  float: "float",
  int32: "int32",
  sint32: "int32",
  sfixed32: "int32",
  uint32: "uint32",
  fixed32: "uint32",
  int64: "int64",
  sint64: "int64",
  sfixed64: "int64",
  uint64: "uint64",
  fixed64: "uint64",
  bool: "boolean",
  string: "string",
  bytes: "base64",
};

/** The function that accepts the values of a type. */
function predicate(type: ValueType, imports: Imports): string {
  const is = imports.namespace("runtime/predicates", "is");
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return `${is}.${scalarPredicates[type.scalar]}`;
    case "wellKnown":
      return `${is}.${wellKnownPredicates[type.wellKnown]}`;
    case "message":
      return `is${type.name}At`;
    case "enum":
      return `is${type.name}`;
    case "list":
    case "map":
      throw new Error("protobuf has no lists of lists");
  }
}

function keyPredicate(key: ScalarName): string {
  if (key === "string") return "is.string";
  if (key === "bool") return "is.booleanText";
  const name = scalarPredicates[key];
  return `is.${name}${name.endsWith("32") ? "Text" : ""}`;
}

/** The entry of a field in the schema of its message. */
function fieldSchema(message: MessageDef, field: FieldDef, imports: Imports): string {
  const type = schemaExpression(field.type, field.nonEmpty, imports);
  const oneof = message.oneofs.find(({ name }) => name === field.oneof);
  const helper = oneof === undefined ? field.presence : oneof.required ? "exactlyOne" : "atMostOne";
  const name = imports.value("runtime/message", helper);
  const entry = oneof === undefined ? `${name}(${type})` : `${name}(${quote(oneof.name)}, ${type})`;
  if (followsFromJson(field)) return entry;
  return `${imports.value("runtime/message", "named")}(${quote(field.protoName)}, ${entry})`;
}

/** Tells whether the runtime can derive the proto name from the JSON name. */
function followsFromJson({ name, protoName }: FieldDef): boolean {
  const derived = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return derived === protoName && jsonName(protoName) === name;
}

const wellKnownTypes: Readonly<Record<WellKnownName, string>> = {
  Timestamp: "timestamp",
  Duration: "duration",
  FieldMask: "fieldMask",
  Struct: "struct",
  ListValue: "listValue",
  Value: "value",
  NullValue: "nullValue",
  Empty: "empty",
  Any: "any",
};

const scalarTypes: Readonly<Record<ScalarName, string>> = { ...scalarPredicates, bytes: "bytes" };

function schemaExpression(type: ValueType, nonEmpty: boolean, imports: Imports): string {
  const t = imports.namespace("runtime/types", "t");
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return `${t}.${scalarTypes[type.scalar]}`;
    case "wellKnown":
      return `${t}.${wellKnownTypes[type.wellKnown]}`;
    case "message":
    case "enum":
      return `${type.name}Schema`;
    case "list":
      return `${t}.list(${schemaExpression(type.element, false, imports)}${nonEmpty ? ", { nonEmpty: true }" : ""})`;
    case "map": {
      const key = type.key === "string" ? "" : `, ${keyPredicate(type.key)}`;
      return `${t}.map(${schemaExpression(type.value, false, imports)}${key})`;
    }
  }
}
