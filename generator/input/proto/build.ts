import protobuf from "protobufjs";
import type { Diagnostics } from "../../support/diagnostics.js";
import { jsonName, pascalCase, upperSnakeCase } from "../../support/names.js";
import type {
  EnumDef,
  EnumValueDef,
  FieldDef,
  MessageDef,
  OneofDef,
  ScalarName,
  TypeDef,
  ValueType,
} from "../../protocol/model/types.js";
import { commentText } from "./comments.js";
import { findWellKnown, isScalar } from "./known.js";
import type { ProtoFiles } from "./parse.js";
import { isRecord } from "../../support/values.js";

/** The hints of the manifest about types, by full name, and about members, by `Type.member` with proto names. */
export interface TypeHints {
  /** Names to use in TypeScript, by full name. */
  readonly names: Readonly<Record<string, string>>;
  /** Oneofs of which exactly one member must be present, as `Message.oneof`. */
  readonly requiredOneofs: readonly string[];
  /** Required lists that may be empty, as `Message.field`. */
  readonly maybeEmpty: readonly string[];
  /** Keys of constants in TypeScript, as `Enum.VALUE`. */
  readonly keys: Readonly<Record<string, string>>;
  /** Other spellings of enum values that are accepted: by enum, from spelling to value. */
  readonly enumAliases: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Builds the types of the intermediate representation from parsed protos. */
export function buildTypes(files: ProtoFiles, hints: TypeHints, diagnostics: Diagnostics): TypeDef[] {
  const builder = new TypeBuilder(files, hints, diagnostics);
  return allTypes(files.root).map((type) =>
    type instanceof protobuf.Enum ? builder.enum(type) : builder.message(type),
  );
}

/** Returns the full name of a protobufjs object, without the leading dot. */
export function fullNameOf(object: protobuf.ReflectionObject): string {
  return object.fullName.replace(/^\./, "");
}

/** Returns the name of a type in TypeScript. A nested type has the names around it as prefix. */
export function typeNameOf(type: protobuf.ReflectionObject, hints: TypeHints): string {
  const fullName = fullNameOf(type);
  const given = Object.hasOwn(hints.names, fullName) ? hints.names[fullName] : undefined;
  if (given !== undefined) return given;
  const around = type.parent instanceof protobuf.Type ? typeNameOf(type.parent, hints) : "";
  return around + type.name;
}

/** Returns whether an element has `option deprecated = true` or `[deprecated = true]`. */
export function isDeprecated(options: Readonly<Record<string, unknown>> | undefined): boolean {
  return options?.["deprecated"] === true;
}

function allTypes(namespace: protobuf.NamespaceBase): (protobuf.Type | protobuf.Enum)[] {
  return namespace.nestedArray.flatMap((nested) => {
    if (nested instanceof protobuf.Enum) return [nested];
    if (nested instanceof protobuf.Type) return [nested, ...allTypes(nested)];
    return nested instanceof protobuf.Namespace && !(nested instanceof protobuf.Service) ? allTypes(nested) : [];
  });
}

class TypeBuilder {
  readonly #files: ProtoFiles;
  readonly #hints: TypeHints;
  readonly #diagnostics: Diagnostics;

  constructor(files: ProtoFiles, hints: TypeHints, diagnostics: Diagnostics) {
    this.#files = files;
    this.#hints = hints;
    this.#diagnostics = diagnostics;
  }

  enum(type: protobuf.Enum): EnumDef {
    const fullName = fullNameOf(type);
    const prefix = `${upperSnakeCase(type.name)}_`;
    const names = Object.keys(type.values);
    const spellings = Object.entries(this.#hints.enumAliases[type.name] ?? {});
    const strip = names.every((name) => name.startsWith(prefix) && /^[A-Za-z]/.test(name.slice(prefix.length)));
    const values = names.map((name): EnumValueDef => {
      const options = own(type.valuesOptions, name);
      const docs = own(type.comments, name);
      const aliases = spellings.flatMap(([alias, value]) => (value === name ? [alias] : []));
      return {
        name,
        key: this.#hints.keys[`${type.name}.${name}`] ?? pascalCase(strip ? name.slice(prefix.length) : name),
        ...(aliases.length > 0 && { aliases }),
        number: type.values[name] ?? 0,
        docs: commentText(docs),
        deprecated: isDeprecated(isRecord(options) ? options : undefined),
      };
    });
    const distinct = withDistinctKeys(values);
    this.#checkEnum(fullName, distinct);
    return { kind: "enum", ...this.#named(type), values: distinct };
  }

  message(type: protobuf.Type): MessageDef {
    const fullName = fullNameOf(type);
    const oneofs = type.oneofsArray.filter((oneof) => !isSynthetic(oneof));
    const fields = type.fieldsArray.map((field) => this.#field(fullName, field));
    this.#checkJsonNames(fullName, fields);
    return {
      kind: "message",
      ...this.#named(type),
      fields,
      oneofs: oneofs.map((oneof) => this.#oneof(fullName, oneof)),
    };
  }

  #named(type: protobuf.Type | protobuf.Enum) {
    return {
      name: typeNameOf(type, this.#hints),
      fullName: fullNameOf(type),
      docs: commentText(type.comment),
      deprecated: isDeprecated(type.options),
    };
  }

  #oneof(message: string, oneof: protobuf.OneOf): OneofDef {
    return {
      name: jsonName(oneof.name),
      docs: commentText(oneof.comment),
      required: this.#hints.requiredOneofs.includes(this.#hintKey(message, oneof.name)),
      members: oneof.fieldsArray.map(jsonNameOf),
    };
  }

  #field(message: string, field: protobuf.Field): FieldDef {
    const required = optionsOf(field.parsedOptions, "google.api.field_behavior").includes("REQUIRED");
    const type = this.#fieldType(message, field);
    const { partOf } = field;
    if (required && partOf && !isSynthetic(partOf)) this.#refuseRequiredMember(message, field, partOf);
    const oneof = partOf && !isSynthetic(partOf) ? { oneof: jsonName(partOf.name) } : {};
    const isNull = type.kind === "wellKnown" && type.wellKnown === "NullValue";
    const explicit = partOf !== null || (["message", "wrapper", "wellKnown"].includes(type.kind) && !isNull);
    return {
      name: jsonNameOf(field),
      proto: { name: field.name, number: field.id, packed: field.options?.["packed"] !== false },
      docs: commentText(field.comment),
      deprecated: isDeprecated(field.options),
      type,
      presence: required ? "required" : explicit ? "optional" : "implicit",
      nonEmpty:
        required && type.kind === "list" && !this.#hints.maybeEmpty.includes(this.#hintKey(message, field.name)),
      ...oneof,
    };
  }

  /** Reports a required field in a oneof, whose members exclude each other. */
  #refuseRequiredMember(message: string, field: protobuf.Field, oneof: protobuf.OneOf): void {
    const problem = `field "${field.name}" is REQUIRED and a member of the oneof "${oneof.name}"`;
    const remedy = `Take the option off; to demand one of the members, list ${this.#hintKey(message, oneof.name)} under requiredOneofs of a manifest`;
    this.#diagnostics.add(this.#placeOf(message, field.name), problem, remedy);
  }

  #fieldType(message: string, field: protobuf.Field): ValueType {
    const single = this.#valueType(message, field);
    if (field instanceof protobuf.MapField) {
      return { kind: "map", key: isScalar(field.keyType) ? field.keyType : "string", value: single };
    }
    return field.repeated ? { kind: "list", element: single } : single;
  }

  #valueType(message: string, field: protobuf.Field): ValueType {
    if (isScalar(field.type)) return { kind: "scalar", scalar: field.type };
    const known = findWellKnown(field.type);
    if (known !== undefined) return known;
    const type = field.parent?.lookup(field.type, [protobuf.Type, protobuf.Enum]) ?? null;
    if (type !== null)
      return { kind: type instanceof protobuf.Enum ? "enum" : "message", name: typeNameOf(type, this.#hints) };
    const problem = `field "${field.name}" has the type "${field.type}", which is not declared`;
    const remedy = /^\.?google\.protobuf\./.test(field.type)
      ? "Of google.protobuf, use the types that have a JSON form of their own: Timestamp, Duration, Struct, Value, ListValue, NullValue, Empty, FieldMask, Any and the wrappers"
      : "Correct the name, or import the file that declares it";
    this.#diagnostics.add(this.#placeOf(message, field.name), problem, remedy);
    return { kind: "scalar", scalar: "string" satisfies ScalarName };
  }

  #checkJsonNames(message: string, fields: readonly FieldDef[]): void {
    const first = new Map<string, FieldDef>();
    for (const field of fields) {
      const protoName = field.proto?.name ?? field.name;
      const place = this.#placeOf(message, protoName);
      const earlier = first.get(field.name);
      first.set(field.name, field);
      if (earlier !== undefined) {
        const problem = `field "${protoName}" has the JSON name "${field.name}", which "${earlier.proto?.name}" has too`;
        this.#diagnostics.add(place, problem, "Rename one of them or set another json_name");
      }
      if (field.name === "__proto__") {
        const problem = `field "${protoName}" has the JSON name "__proto__", which no JavaScript object can hold safely`;
        this.#diagnostics.add(place, problem, "Set another json_name");
      }
    }
  }

  #checkEnum(fullName: string, values: readonly EnumValueDef[]): void {
    const place = this.#files.placeOf(fullName);
    if (values[0]?.number !== 0) {
      const remedy = "Add a first value with the number 0, such as …_UNSPECIFIED";
      this.#diagnostics.add(place, `enum "${fullName}" does not start with the value 0`, remedy);
    }
    const first = new Map<string, EnumValueDef>();
    for (const value of values) {
      const earlier = first.get(value.key);
      first.set(value.key, value);
      if (earlier === undefined) continue;
      const problem = `the values "${earlier.name}" and "${value.name}" are both called "${value.key}" in TypeScript`;
      this.#diagnostics.add(this.#placeOf(fullName, value.name) ?? place, problem, "Rename one of them");
    }
  }

  /** Returns the key of a member in the hints: without the package. */
  #hintKey(message: string, member: string): string {
    const prefix = `${this.#files.package}.`;
    return `${message.startsWith(prefix) ? message.slice(prefix.length) : message}.${member}`;
  }

  #placeOf(owner: string, member: string) {
    return this.#files.placeOf(`${owner}.${member}`) ?? this.#files.placeOf(owner);
  }
}

/** Returns enum values with distinct keys: names of one number that only differ in case or underscores stay as keys. */
function withDistinctKeys(values: readonly EnumValueDef[]): EnumValueDef[] {
  const isTaken = ({ key, number }: EnumValueDef, index: number): boolean =>
    values.slice(0, index).some((earlier) => earlier.key === key && earlier.number === number);
  return values.map((value, index) => (isTaken(value, index) ? { ...value, key: value.name } : value));
}

/** Returns whether a oneof is synthetic: protobufjs adds one for each `optional` field. */
function isSynthetic(oneof: protobuf.OneOf): boolean {
  return oneof.fieldsArray.length === 1 && oneof.fieldsArray[0]?.options?.["proto3_optional"] === true;
}

function jsonNameOf(field: protobuf.Field): string {
  const given: unknown = field.options?.["json_name"];
  return typeof given === "string" ? given : jsonName(field.name);
}

/** Returns the values of a custom option, in the order of the proto. */
export function optionsOf(parsed: unknown, name: string): unknown[] {
  const options: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  return options.filter(isRecord).flatMap((option) => option[`(${name})`] ?? option[`(.${name})`] ?? []);
}

/** Returns an own member of a table: a name may be that of a member of `Object.prototype`. */
function own(table: object | null | undefined, key: string): unknown {
  return table && Object.hasOwn(table, key) ? Reflect.get(table, key) : undefined;
}
