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
import { nameOf, originalName } from "./inherited-name.js";
import { findWellKnown, isScalar } from "./known.js";
import type { ProtoFiles } from "./parse.js";
import { TypeNames } from "./type-names.js";
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
export function buildTypes(files: ProtoFiles, names: TypeNames, hints: TypeHints, diagnostics: Diagnostics): TypeDef[] {
  const builder = new TypeBuilder(files, names, hints, diagnostics);
  return allTypes(files.root).map((type) =>
    type instanceof protobuf.Enum ? builder.enum(type) : builder.message(type),
  );
}

/** Names the types of parsed protos. */
export function nameTypes(files: ProtoFiles, hints: TypeHints): TypeNames {
  return new TypeNames(allTypes(files.root), files.package, hints);
}

/** The full name of a protobufjs object, without the leading dot. */
export function fullNameOf(object: protobuf.ReflectionObject): string {
  return originalName(object.fullName.replace(/^\./, ""));
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
  readonly #names: TypeNames;
  readonly #hints: TypeHints;
  readonly #diagnostics: Diagnostics;

  constructor(files: ProtoFiles, names: TypeNames, hints: TypeHints, diagnostics: Diagnostics) {
    this.#files = files;
    this.#names = names;
    this.#hints = hints;
    this.#diagnostics = diagnostics;
  }

  enum(type: protobuf.Enum): EnumDef {
    const fullName = fullNameOf(type);
    const owner = nameOf(type);
    const prefix = `${upperSnakeCase(owner)}_`;
    const names = Object.keys(type.values);
    const spellings = Object.entries(own(this.#hints.enumAliases, owner) ?? {});
    const strip = names.every((name) => name.startsWith(prefix) && /^[A-Za-z]/.test(name.slice(prefix.length)));
    const values = names.map((parsed): EnumValueDef => {
      const name = originalName(parsed);
      const options = own(type.valuesOptions, parsed);
      const docs = own(type.comments, parsed);
      const aliases = spellings.flatMap(([alias, value]) => (value === name ? [alias] : []));
      return {
        name,
        key: this.#hints.keys[`${owner}.${name}`] ?? keyOf(strip ? name.slice(prefix.length) : name),
        ...(aliases.length > 0 && { aliases }),
        number: type.values[parsed] ?? 0,
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
      name: this.#names.of(type),
      fullName: fullNameOf(type),
      docs: commentText(type.comment),
      deprecated: isDeprecated(type.options),
    };
  }

  #oneof(message: string, oneof: protobuf.OneOf): OneofDef {
    return {
      name: jsonName(nameOf(oneof)),
      docs: commentText(oneof.comment),
      required: this.#hints.requiredOneofs.includes(this.#hintKey(message, nameOf(oneof))),
      members: oneof.fieldsArray.map(jsonNameOf),
    };
  }

  #field(message: string, field: protobuf.Field): FieldDef {
    const required = optionsOf(field.parsedOptions, "google.api.field_behavior").includes("REQUIRED");
    const type = this.#fieldType(message, field);
    const { partOf } = field;
    if (required && partOf && !isSynthetic(partOf)) this.#refuseRequiredMember(message, field, partOf);
    const oneof = partOf && !isSynthetic(partOf) ? { oneof: jsonName(nameOf(partOf)) } : {};
    const isNull = type.kind === "wellKnown" && type.wellKnown === "NullValue";
    const explicit = partOf !== null || (["message", "wrapper", "wellKnown"].includes(type.kind) && !isNull);
    return {
      name: jsonNameOf(field),
      proto: { name: nameOf(field), number: field.id, packed: field.options?.["packed"] !== false },
      docs: commentText(field.comment),
      deprecated: isDeprecated(field.options),
      type,
      presence: required ? "required" : explicit ? "optional" : "implicit",
      nonEmpty:
        required && type.kind === "list" && !this.#hints.maybeEmpty.includes(this.#hintKey(message, nameOf(field))),
      ...oneof,
    };
  }

  /** Reports a required field in a oneof, whose members exclude each other. */
  #refuseRequiredMember(owner: string, field: protobuf.Field, oneof: protobuf.OneOf): void {
    const message = `field "${nameOf(field)}" is REQUIRED and a member of the oneof "${nameOf(oneof)}"`;
    const hint = `Take the option off; to demand one of the members, list ${this.#hintKey(owner, nameOf(oneof))} under requiredOneofs of a manifest`;
    this.#diagnostics.add(this.#locationOf(owner, nameOf(field)), message, hint);
  }

  #fieldType(owner: string, field: protobuf.Field): ValueType {
    const single = this.#valueType(owner, field);
    if (field instanceof protobuf.MapField) {
      return { kind: "map", key: isScalar(field.keyType) ? field.keyType : "string", value: single };
    }
    return field.repeated ? { kind: "list", element: single } : single;
  }

  #valueType(owner: string, field: protobuf.Field): ValueType {
    if (isScalar(field.type)) return { kind: "scalar", scalar: field.type };
    const known = findWellKnown(field.type);
    if (known !== undefined) return known;
    const type = field.parent?.lookup(field.type, [protobuf.Type, protobuf.Enum]) ?? null;
    if (type instanceof protobuf.Enum) return { kind: "enum", name: this.#names.of(type) };
    if (type instanceof protobuf.Type) return { kind: "message", name: this.#names.of(type) };
    const message = `field "${nameOf(field)}" has the type "${originalName(field.type)}", which is not declared`;
    const hint = /^\.?google\.protobuf\./.test(field.type)
      ? "Of google.protobuf, use the types that have a JSON form of their own: Timestamp, Duration, Struct, Value, ListValue, NullValue, Empty, FieldMask, Any and the wrappers"
      : "Correct the name, or import the file that declares it";
    this.#diagnostics.add(this.#locationOf(owner, nameOf(field)), message, hint);
    return { kind: "scalar", scalar: "string" satisfies ScalarName };
  }

  #checkJsonNames(owner: string, fields: readonly FieldDef[]): void {
    const first = new Map<string, FieldDef>();
    for (const field of fields) {
      const protoName = field.proto?.name ?? field.name;
      const location = this.#locationOf(owner, protoName);
      const earlier = first.get(field.name);
      first.set(field.name, field);
      if (earlier !== undefined) {
        const message = `field "${protoName}" has the JSON name "${field.name}", which "${earlier.proto?.name}" has too`;
        this.#diagnostics.add(location, message, "Rename one of them or set another json_name");
      }
      if (field.name === "__proto__") {
        const message = `field "${protoName}" has the JSON name "__proto__", which no JavaScript object can hold safely`;
        this.#diagnostics.add(location, message, "Set another json_name");
      }
    }
  }

  #checkEnum(fullName: string, values: readonly EnumValueDef[]): void {
    const location = this.#files.locationOf(fullName);
    if (values[0]?.number !== 0) {
      const hint = "Add a first value with the number 0, such as …_UNSPECIFIED";
      this.#diagnostics.add(location, `enum "${fullName}" does not start with the value 0`, hint);
    }
  }

  /** Returns the key of a member in the hints: without the package. */
  #hintKey(message: string, member: string): string {
    const prefix = `${this.#files.package}.`;
    return `${message.startsWith(prefix) ? message.slice(prefix.length) : message}.${member}`;
  }

  #locationOf(owner: string, member: string) {
    return this.#files.locationOf(`${owner}.${member}`) ?? this.#files.locationOf(owner);
  }
}

/** The key of a value in TypeScript: its name in words, or as it is where it has none. */
function keyOf(name: string): string {
  return pascalCase(name) || name;
}

/** Values whose keys would be the same keep their spelling in TypeScript, but for the first one. */
function withDistinctKeys(values: readonly EnumValueDef[]): EnumValueDef[] {
  const taken = new Set<string>();
  return values.map((value) => {
    let key = taken.has(value.key) ? value.name : value.key;
    while (taken.has(key)) key += "_";
    taken.add(key);
    return key === value.key ? value : { ...value, key };
  });
}

/** Returns whether a oneof is synthetic: protobufjs adds one for each `optional` field. */
function isSynthetic(oneof: protobuf.OneOf): boolean {
  return oneof.fieldsArray.length === 1 && oneof.fieldsArray[0]?.options?.["proto3_optional"] === true;
}

function jsonNameOf(field: protobuf.Field): string {
  const given: unknown = field.options?.["json_name"];
  return typeof given === "string" ? given : jsonName(nameOf(field));
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
