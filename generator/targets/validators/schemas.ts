import { constantsOf } from "../../protocol/model/constants.js";
import { jsonName, pascalCase } from "../../support/names.js";
import { keyPredicate, scalarTypes, wellKnownTypes } from "../../emit/runtime-names.js";
import type {
  EnumDef,
  FieldDef,
  ListType,
  MessageDef,
  ProtoFieldDef,
  RestDef,
  SchemaValueType,
  TypeDef,
  UnionDef,
  ValueType,
} from "../../protocol/model/types.js";
import { layout, type Expression } from "../../emit/expressions.js";
import type { GuardWriter } from "./guards.js";
import type { Imports } from "../../emit/imports.js";
import { runtime, runtimeNamespaces } from "../../emit/runtime-modules.js";
import type { ValidatorNames } from "./names.js";
import { indent, keyOf, lineWidth, quote } from "../../emit/text.js";

/** The function that returns the messages that an Any may hold: its name, its result, and the entries of that. */
export interface AnyTypes {
  readonly name: string;
  readonly type: string;
  readonly entries: readonly string[];
}

/** Writes the tables that checks with messages, and lenient checks, go by. */
export class SchemaWriter {
  readonly #imports: Imports;
  readonly #names: ValidatorNames;
  readonly #guards: GuardWriter;
  readonly #types: ReadonlyMap<string, TypeDef>;
  #anyTypes: string | undefined;

  constructor(types: readonly TypeDef[], names: ValidatorNames, guards: GuardWriter, imports: Imports) {
    this.#names = names;
    this.#types = new Map(types.map((type) => [type.name, type]));
    this.#guards = guards;
    this.#imports = imports;
  }

  /** The entries of the messages that an Any may hold, where any type has one among its fields. */
  anyTypes(): AnyTypes | undefined {
    if (this.#anyTypes === undefined) return undefined;
    const type = this.#imports.type(runtime.MessageTypes);
    const messages = [...this.#types.values()].filter(({ kind }) => kind === "message");
    const entries = messages.map(({ name, fullName }) => `${keyOf(fullName)}: ${this.#names.schema(name)},`);
    return { name: this.#anyTypes, type, entries };
  }

  /** The lines that declare the schema of a type. */
  declare(type: TypeDef): string[] {
    switch (type.kind) {
      case "enum":
        return this.#enum(type);
      case "message":
        return type.rest === undefined ? this.#message(type) : this.#object(type, type.rest);
      case "union":
        return this.#union(type);
      case "alias":
        return this.#alias(type.name, type.type);
    }
  }

  #enum({ name, values }: EnumDef): string[] {
    const isPlain = values.every(({ number, aliases = [] }) => number !== undefined && aliases.length === 0);
    if (isPlain) {
      const entries = values.map((value) => `${keyOf(value.name)}: ${value.number ?? 0},`);
      return this.#declaration(name, this.#helper("enumeration"), [], "{", entries, "}");
    }
    const entries = values.flatMap(({ name: text, number, aliases = [] }) => {
      const spellings = [...(number === undefined ? [] : [String(number)]), ...aliases.map(quote)];
      return layout(`${keyOf(text)}: `, { list: spellings }, ",", 2);
    });
    return this.#declaration(name, this.#shape("enumeration"), [], "{", entries, "}");
  }

  #message(type: MessageDef): string[] {
    return this.#declaration(type.name, this.#helper("message"), [], "() => ({", this.#fields(type, 2), "})");
  }

  #object(type: MessageDef, rest: RestDef): string[] {
    const fields = this.#fields(type, 4);
    const table = fields.length === 0 ? ["fields: {},"] : ["fields: {", ...fields.map(indent), "},"];
    const rules: Record<string, Expression> = {};
    if (rest.patterns.length > 0) {
      const list = rest.patterns.map(({ pattern, type: value }) => ({
        list: [this.#guards.pattern(pattern, `${type.name}Member`), this.expression(value, `${type.name}Member`)],
      }));
      rules["patterns"] = { list };
    }
    if (rest.others !== undefined) rules["others"] = this.expression(rest.others, `${type.name}Member`);
    if (rest.names !== undefined) rules["names"] = this.expression(rest.names, `${type.name}Key`);
    if (rest.minProperties !== undefined) rules["minProperties"] = String(rest.minProperties);
    if (rest.maxProperties !== undefined) rules["maxProperties"] = String(rest.maxProperties);
    const lines = Object.entries(rules).flatMap(([key, rule]) => layout(`${key}: `, rule, ",", 2));
    return this.#declaration(type.name, this.#shape("object"), [], "() => ({", [...table, ...lines], "})");
  }

  #fields(type: MessageDef, at: number): string[] {
    return type.fields.flatMap((field) => layout(`${keyOf(field.name)}: `, this.#field(type, field), ",", at));
  }

  /** The entry of a field in the schema of its message. */
  #field(message: MessageDef, field: FieldDef): Expression {
    const type = this.typeOf(message, field);
    const oneof = message.oneofs.find(({ name }) => name === field.oneof);
    const which = oneof !== undefined && message.oneofs.length > 1 ? [quote(oneof.name)] : [];
    const presence = field.maybeEmpty === true ? "maybeEmpty" : field.presence;
    const helper = oneof === undefined ? presence : oneof.required ? "exactlyOne" : "atMostOne";
    const entry = { call: this.#helper(helper), args: [type, ...which] };
    if (field.proto === undefined || followsFromJson(field.name, field.proto)) return entry;
    return { call: this.#helper("named"), args: [quote(field.proto.name), entry] };
  }

  /** The expression that is the type of a field. */
  typeOf(message: MessageDef, { name, type, nonEmpty }: FieldDef): Expression {
    const path = message.name + pascalCase(name);
    return nonEmpty && type.kind === "list" ? this.#list(type, path, true) : this.expression(type, path);
  }

  #union(type: UnionDef): string[] {
    const key = type.discriminator;
    if (key === undefined) {
      return this.#alias(type.name, { kind: type.exclusive ? "oneOf" : "anyOf", members: type.members });
    }
    const entries = [...constantsOf(type.members, key, this.#types)].map(
      ([constant, name]) => `${keyOf(constant)}: ${this.#names.schema(name)},`,
    );
    return this.#declaration(type.name, this.#shape("union"), [quote(key)], "() => ({", entries, "})");
  }

  #alias(name: string, type: ValueType): string[] {
    const entry = layout("type: ", this.expression(type, name), ",", 2);
    return this.#declaration(name, this.#shape("alias"), [], "() => ({", entry, "})");
  }

  /** The expression that is the type of a value. */
  expression(type: ValueType, name: string): Expression {
    switch (type.kind) {
      case "scalar":
      case "wrapper":
        return this.#plain(scalarTypes[type.scalar]);
      case "wellKnown":
        return type.wellKnown === "Any" ? this.#any() : this.#plain(wellKnownTypes[type.wellKnown]);
      case "message":
      case "enum":
      case "union":
      case "alias":
        return this.#names.schema(type.name);
      case "list":
        return this.#list(type, name, false);
      case "map": {
        if (type.value.kind === "any" && type.key === "string") return this.#plain("struct");
        const key = type.key === "string" ? [] : [this.#guards.is(keyPredicate(type.key))];
        return { call: this.#plain("map"), args: [this.expression(type.value, name), ...key] };
      }
      default:
        return this.#json(type, name);
    }
  }

  #list({ element, minItems, maxItems, unique }: ListType, name: string, nonEmpty: boolean): Expression {
    const type = this.expression(element, name);
    const limits = optionsOf({ minItems: nonEmpty ? Math.max(minItems ?? 1, 1) : minItems, maxItems, unique });
    if (Object.keys(limits).length === 0) return { call: this.#plain("list"), args: [type] };
    if (limits["minItems"] === "1" && Object.keys(limits).length === 1)
      return { call: this.#plain("list"), args: [type, { object: { nonEmpty: "true" } }] };
    return { call: this.#shape("list"), args: [type, { object: limits }] };
  }

  #json(type: SchemaValueType, name: string): Expression {
    switch (type.kind) {
      case "any":
        return this.#plain("value");
      case "boolean":
        return this.#plain("boolean");
      case "never":
        return this.#shape("never");
      case "null":
        return this.#shape("nil");
      case "string": {
        const { minLength, maxLength, pattern } = type;
        const constant = pattern === undefined ? undefined : this.#guards.pattern(pattern, name);
        const limits = optionsOf({ minLength, maxLength, pattern: constant });
        return Object.keys(limits).length === 0
          ? this.#plain("string")
          : { call: this.#shape("text"), args: [{ object: limits }] };
      }
      case "number": {
        const { kind, integer, ...limits } = type;
        const object = optionsOf(limits);
        const args = Object.keys(object).length === 0 ? [] : [{ object }];
        return { call: this.#shape(integer ? "integer" : kind), args };
      }
      case "literal":
        return { call: this.#shape("literal"), args: type.values.map((value) => JSON.stringify(value)) };
      case "anyOf":
      case "oneOf":
      case "allOf":
        return { call: this.#shape(type.kind), args: type.members.map((member) => this.expression(member, name)) };
      case "not":
        return { call: this.#shape("not"), args: [this.expression(type.type, name)] };
      case "if":
        return {
          call: this.#shape("when"),
          args: [type.test, type.then, type.otherwise].map((part) => this.expression(part, name)),
        };
    }
  }

  #declaration(name: string, ...rest: DeclarationParts): string[] {
    const type = `${this.#imports.type(runtime.Schema)}<${this.#names.type(name)}>`;
    return declaration(name, `${this.#names.schema(name)}: ${type}`, ...rest);
  }

  #any(): Expression {
    this.#anyTypes ??= this.#imports.declare("anyTypes");
    return { call: this.#imports.value(runtime.anyMessage), args: [this.#imports.own(this.#anyTypes)] };
  }

  #plain(name: string): string {
    return `${this.#imports.namespace(runtimeNamespaces.types)}.${name}`;
  }

  #shape(name: string): string {
    return `${this.#imports.namespace(runtimeNamespaces.shapes)}.${name}`;
  }

  #helper(name: SchemaHelper): string {
    return this.#imports.value(runtime[name]);
  }
}

/** The functions that describe messages and enums. */
type SchemaHelper =
  | "atMostOne"
  | "enumeration"
  | "exactlyOne"
  | "implicit"
  | "maybeEmpty"
  | "message"
  | "named"
  | "optional"
  | "required";

/** The options that are given, as texts. */
function optionsOf(options: Readonly<Record<string, number | string | boolean | undefined>>): Record<string, string> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  return Object.fromEntries(given.map(([key, value]) => [key, String(value)]));
}

/** Returns whether the runtime can derive the proto name from the JSON name. */
function followsFromJson(name: string, proto: ProtoFieldDef): boolean {
  const derived = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return derived === proto.name && jsonName(proto.name) === name;
}

type DeclarationParts = Parameters<typeof declaration> extends [string, string, ...infer Rest] ? Rest : never;

/** The declaration of a schema: a call with the name and an object, laid out as the formatter does. */
function declaration(
  name: string,
  typed: string,
  call: string,
  args: readonly string[],
  open: string,
  fields: readonly string[],
  close: string,
): string[] {
  const declared = `export const ${typed} =`;
  const opening = `/* @__PURE__ */ ${call}(`;
  const first = [quote(name), ...args];
  const head = `${first.join(", ")}, ${open}`;
  const line = `${declared} ${opening}${head}${close});`;
  if (fields.length === 0 && line.length <= lineWidth) return [line];
  if (fields.length === 0) {
    const parts = [...first.map((arg) => `${arg},`), `${open}${close},`];
    return [`${declared} ${opening}`, ...parts.map(indent), ");"];
  }
  const rest = [...fields.map(indent), `${close});`];
  if (`${declared} ${opening}${head}`.length <= lineWidth) return [`${declared} ${opening}${head}`, ...rest];
  if (`${declared} ${opening}`.length > lineWidth) return [declared, `  ${opening}${head}`, ...rest.map(indent)];
  const broken = [...first.map((arg) => `${arg},`), open, ...fields.map(indent), `${close},`];
  return [`${declared} ${opening}`, ...broken.map(indent), ");"];
}
