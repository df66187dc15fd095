import { anyMessage, type MessageTypes } from "../../templates/runtime/schema/any-type.js";
import * as is from "../../templates/runtime/schema/constraints.js";
import {
  atMostOne,
  exactlyOne,
  implicit,
  message,
  named,
  optional,
  required,
  type Field,
} from "../../templates/runtime/schema/message.js";
import type { Type } from "../../templates/runtime/schema/schema.js";
import * as s from "../../templates/runtime/schema/shapes.js";
import * as t from "../../templates/runtime/schema/types.js";
import { constantsOf } from "../protocol/model/constants.js";
import { keyPredicate, scalarTypes, wellKnownTypes } from "../emit/runtime-names.js";
import type {
  EnumDef,
  FieldDef,
  ListType,
  MessageDef,
  Protocol,
  RestDef,
  SchemaValueType,
  StringType,
  TypeDef,
  UnionDef,
  ValueType,
} from "../protocol/model/types.js";

/** Returns the types of a specification by name, with the checks that the generated validators make. */
export function documentTypes({ types }: Protocol): ReadonlyMap<string, Type<unknown>> {
  const builder = new TypeBuilder(types);
  return new Map(types.map(({ name }) => [name, builder.named(name)]));
}

/** Builds the types of a specification lazily: they may refer to each other, and to themselves. */
class TypeBuilder {
  readonly #definitions: ReadonlyMap<string, TypeDef>;
  readonly #built = new Map<string, Type<unknown>>();

  constructor(types: readonly TypeDef[]) {
    this.#definitions = new Map(types.map((type) => [type.name, type]));
  }

  named(name: string): Type<unknown> {
    const known = this.#built.get(name);
    if (known !== undefined) return known;
    const definition = this.#definitions.get(name);
    const type = definition === undefined ? t.value : this.#build(definition);
    this.#built.set(name, type);
    return type;
  }

  /** Returns the messages that an Any may contain, by full name. */
  #messages(): MessageTypes {
    const messages = [...this.#definitions.values()].filter(({ kind }) => kind === "message");
    return Object.fromEntries(messages.map(({ name, fullName }) => [fullName, this.named(name)]));
  }

  #build(type: TypeDef): Type<unknown> {
    switch (type.kind) {
      case "enum":
        return enumType(type);
      case "message":
        return type.rest === undefined
          ? message<Record<string, unknown>>(type.name, () => this.#fields(type))
          : this.#object(type, type.rest);
      case "union":
        return this.#union(type);
      case "alias":
        return s.alias(type.name, () => ({ type: this.type(type.type) }));
    }
  }

  #fields(type: MessageDef): Record<string, Field> {
    return Object.fromEntries(type.fields.map((field) => [field.name, this.#field(type, field)]));
  }

  #field(owner: MessageDef, field: FieldDef): Field {
    const isNonEmpty = field.nonEmpty && field.type.kind === "list";
    const type = isNonEmpty ? this.#list(field.type, true) : this.type(field.type);
    const oneof = owner.oneofs.find(({ name }) => name === field.oneof);
    const built =
      oneof === undefined
        ? { required, optional, implicit }[field.presence](type)
        : (oneof.required ? exactlyOne : atMostOne)(type, oneof.name);
    return field.proto === undefined ? built : named(field.proto.name, built);
  }

  #object(type: MessageDef, { patterns, others, names, minProperties, maxProperties }: RestDef): Type<unknown> {
    return s.object(type.name, () => ({
      fields: this.#fields(type),
      patterns: patterns.map(({ pattern, type: value }) => [new RegExp(pattern, "u"), this.type(value)]),
      ...(others !== undefined && { others: this.type(others) }),
      ...(names !== undefined && { names: this.type(names) }),
      ...(minProperties !== undefined && { minProperties }),
      ...(maxProperties !== undefined && { maxProperties }),
    }));
  }

  #union({ name, members, discriminator, exclusive }: UnionDef): Type<unknown> {
    if (discriminator === undefined) {
      const choice = exclusive ? s.oneOf : s.anyOf;
      return s.alias(name, () => ({ type: choice(...members.map((member) => this.type(member))) }));
    }
    const constants = [...constantsOf(members, discriminator, this.#definitions)];
    return s.union(name, discriminator, () =>
      Object.fromEntries(constants.map(([constant, member]) => [constant, this.named(member)])),
    );
  }

  type(type: ValueType): Type<unknown> {
    switch (type.kind) {
      case "scalar":
      case "wrapper":
        return t[scalarTypes[type.scalar]];
      case "wellKnown":
        return type.wellKnown === "Any" ? anyMessage(() => this.#messages()) : t[wellKnownTypes[type.wellKnown]];
      case "message":
      case "enum":
      case "union":
      case "alias":
        return this.named(type.name);
      case "list":
        return this.#list(type, false);
      case "map":
        if (type.value.kind === "any" && type.key === "string") return t.struct;
        return t.map(this.type(type.value), is[keyPredicate(type.key)]);
      default:
        return this.#json(type);
    }
  }

  #list({ element, minItems, maxItems, unique }: ListType, nonEmpty: boolean): Type<unknown> {
    const least = nonEmpty ? Math.max(minItems ?? 1, 1) : minItems;
    const isPlain = maxItems === undefined && unique !== true && (least === undefined || least === 1);
    if (isPlain) return t.list(this.type(element), { nonEmpty: least === 1 });
    return s.list(this.type(element), {
      ...(least !== undefined && { minItems: least }),
      ...(maxItems !== undefined && { maxItems }),
      ...(unique !== undefined && { unique }),
    });
  }

  #json(type: SchemaValueType): Type<unknown> {
    switch (type.kind) {
      case "any":
        return t.value;
      case "boolean":
        return t.boolean;
      case "never":
        return s.never;
      case "null":
        return s.nil;
      case "string":
        return stringType(type);
      case "number":
        return (type.integer ? s.integer : s.number)(type);
      case "literal":
        return s.literal(...type.values);
      case "anyOf":
      case "oneOf":
      case "allOf":
        return s[type.kind](...type.members.map((member) => this.type(member)));
      case "not":
        return s.not(this.type(type.type));
      case "if":
        return s.when(this.type(type.test), this.type(type.then), this.type(type.otherwise));
    }
  }
}

function stringType({ minLength, maxLength, pattern }: StringType): Type<unknown> {
  if (minLength === undefined && maxLength === undefined && pattern === undefined) return t.string;
  return s.text({
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern: new RegExp(pattern, "u") }),
  });
}

function enumType({ name, values }: EnumDef): Type<unknown> {
  const numbers = values.flatMap((value) => (value.number === undefined ? [] : [[value.name, value.number] as const]));
  const isPlain = numbers.length === values.length && values.every(({ aliases = [] }) => aliases.length === 0);
  if (isPlain) return t.enumType(name, Object.fromEntries(numbers));
  const spellings = values.map(({ name: text, number, aliases = [] }) => [
    text,
    [...(number === undefined ? [] : [number]), ...aliases],
  ]);
  return s.enumeration(name, Object.fromEntries(spellings) as Record<string, (string | number)[]>);
}
