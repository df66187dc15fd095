import protobuf from "protobufjs";
import { formatLocation, type Diagnostics, type Location } from "../../../support/diagnostics.js";
import { jsonName } from "../../../support/names.js";
import type {
  FieldDef,
  Omission,
  OneofDef,
  ScalarName,
  ValueType,
} from "../../protocol/model/types.js";
import { commentText } from "./comments.js";
import { hintKey, type TypeHints } from "./hints.js";
import { fullNameOf, nameOf, originalName } from "./parsed-names.js";
import { findWellKnown, isScalar } from "./known.js";
import { isDeprecated, optionsOf } from "./options.js";
import type { ProtoFiles } from "./parse.js";
import { traitsOf } from "./traits.js";
import type { TypeNames } from "./type-names.js";
import { fieldsOf } from "./types.js";

/** A message whose members are being built. */
interface Message {
  readonly fullName: string;
  /** The unique names of the message's oneofs. */
  readonly oneofs: ReadonlyMap<protobuf.OneOf, string>;
}

/** Builds the fields and oneofs of messages. */
export class MessageBuilder {
  /** The parts that were omitted from the built types, with reasons. */
  readonly omissions: Omission[] = [];
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

  members(type: protobuf.Type): {
    readonly fields: readonly FieldDef[];
    readonly oneofs: readonly OneofDef[];
  } {
    const declared = type.oneofsArray.filter((oneof) => !isSynthetic(oneof));
    const message = { fullName: fullNameOf(type), oneofs: oneofNames(declared) };
    const fields = fieldsOf(type).flatMap((field) => this.#field(message, field) ?? []);
    this.#checkJsonNames(message.fullName, fields);
    const members = membersOf(fields);
    const oneofs = declared.map((oneof) => this.#oneof(message, oneof, members));
    return { fields, oneofs: oneofs.filter(({ members }) => members.length > 0) };
  }

  #oneof(
    { fullName, oneofs }: Message,
    oneof: protobuf.OneOf,
    members: ReadonlyMap<string, string[]>,
  ): OneofDef {
    const name = oneofs.get(oneof) ?? nameOf(oneof);
    return {
      name,
      docs: commentText(oneof.comment),
      required: this.#hints.requiredOneofs.includes(this.#hintKey(fullName, nameOf(oneof))),
      members: members.get(name) ?? [],
    };
  }

  /** Builds a field. Returns `undefined`, and records the reason, if the field is omitted. */
  #field(message: Message, field: protobuf.Field): FieldDef | undefined {
    const { fullName, oneofs } = message;
    const type = this.#fieldType(fullName, field);
    const { isProto3, resolver } = this.#files;
    const declared = isScalar(field.type) ? undefined : resolver.find(field.type, field);
    const { hasPresence, isPacked, isRequired, isDelimited } = traitsOf(field, declared, isProto3);
    const name = jsonNameOf(field);
    if (isDelimited) return this.#leaveOut(fullName, field, ...groups);
    if (name === "__proto__") return this.#leaveOut(fullName, field, ...prototypes);
    const oneof = field.partOf === null ? undefined : oneofs.get(field.partOf);
    const required = isRequired || this.#isRequiredMember(fullName, field, oneof);
    const keys = [nameOf(field), name].map((member) => this.#hintKey(fullName, member));
    const isMaybeEmpty = keys.some((key) => this.#hints.maybeEmpty.includes(key));
    return {
      name,
      proto: { name: nameOf(field), number: field.id, hasPresence, packed: isPacked },
      docs: commentText(field.comment),
      deprecated: isDeprecated(field.options),
      type,
      presence: required ? "required" : hasPresence || isObject(type) ? "optional" : "implicit",
      nonEmpty: required && type.kind === "list" && !isMaybeEmpty,
      ...(required && type.kind !== "list" && isMaybeEmpty && { maybeEmpty: true as const }),
      ...(oneof !== undefined && { oneof }),
    };
  }

  /**
   * Returns whether an option makes a field required. The option has no effect on members of a
   * oneof, because oneof members exclude each other.
   */
  #isRequiredMember(owner: string, field: protobuf.Field, oneof: string | undefined): boolean {
    if (!optionsOf(field.parsedOptions, "google.api.field_behavior").includes("REQUIRED"))
      return false;
    if (oneof === undefined) return true;
    const key = this.#hintKey(owner, field.partOf === null ? oneof : nameOf(field.partOf));
    const message = "members of a oneof exclude each other, so none of them can be required";
    const hint = `to require one of them, list ${key} under requiredOneofs of a manifest`;
    this.#omit("validators", owner, field, message, hint);
    return false;
  }

  #leaveOut(owner: string, field: protobuf.Field, message: string, hint: string): undefined {
    this.#omit("models", owner, field, message, hint);
    return undefined;
  }

  #omit(target: string, owner: string, field: protobuf.Field, message: string, hint: string): void {
    const location = this.#locationOf(owner, nameOf(field));
    const place = location === undefined ? "" : `${formatLocation(location)}: `;
    const reason = `${place}${message}; ${hint}`;
    this.omissions.push({ target, subject: `${owner}.${nameOf(field)}`, reason });
  }

  #fieldType(owner: string, field: protobuf.Field): ValueType {
    const single = this.#valueType(owner, field);
    if (field instanceof protobuf.MapField) {
      return {
        kind: "map",
        key: isScalar(field.keyType) ? field.keyType : "string",
        value: single,
      };
    }
    return field.repeated ? { kind: "list", element: single } : single;
  }

  #valueType(owner: string, field: protobuf.Field): ValueType {
    if (isScalar(field.type)) return { kind: "scalar", scalar: field.type };
    const type = this.#files.resolver.find(field.type, field);
    const known = type && findWellKnown(fullNameOf(type));
    if (known !== undefined) return known;
    if (type !== undefined)
      return {
        kind: type instanceof protobuf.Enum ? "enum" : "message",
        name: this.#names.of(type),
      };
    const message =
      `field "${nameOf(field)}" has the type "${originalName(field.type)}", ` +
      "which is not declared";
    const hint = "Correct the name, or import the file that declares it";
    this.#diagnostics.add(this.#locationOf(owner, nameOf(field)), message, hint);
    return { kind: "scalar", scalar: "string" satisfies ScalarName };
  }

  #checkJsonNames(owner: string, fields: readonly FieldDef[]): void {
    const first = new Map<string, FieldDef>();
    for (const field of fields) {
      const earlier = first.get(field.name);
      first.set(field.name, field);
      if (earlier === undefined) continue;
      const protoName = field.proto?.name ?? field.name;
      const message =
        `field "${protoName}" has the same JSON name "${field.name}" as ` +
        `"${earlier.proto?.name}"`;
      this.#diagnostics.add(
        this.#locationOf(owner, protoName),
        message,
        "Rename one of them or set another json_name",
      );
    }
  }

  #hintKey(owner: string, member: string): string {
    return hintKey(this.#files.package, owner, member);
  }

  #locationOf(owner: string, member: string): Location | undefined {
    return this.#files.locationOf(`${owner}.${member}`) ?? this.#files.locationOf(owner);
  }
}

const groups = ["groups are not supported", "use a field with a message type instead"] as const;

const prototypes = [
  "its JSON name __proto__ is unsafe as a key in JavaScript",
  "set another json_name",
] as const;

/**
 * Returns whether an absent value can be distinguished from every value of the type, as is the case
 * for messages.
 */
function isObject(type: ValueType): boolean {
  if (type.kind === "wellKnown") return type.wellKnown !== "NullValue";
  return type.kind === "message" || type.kind === "wrapper";
}

/** Returns the names of the members of each oneof, by the name of the oneof. */
function membersOf(fields: readonly FieldDef[]): ReadonlyMap<string, string[]> {
  const members = new Map<string, string[]>();
  for (const { name, oneof } of fields) {
    if (oneof === undefined) continue;
    const others = members.get(oneof);
    if (others === undefined) members.set(oneof, [name]);
    else others.push(name);
  }
  return members;
}

/**
 * Returns the names of oneofs in the model. These are their JSON names or, if two JSON names are
 * equal, their names in the proto.
 */
function oneofNames(oneofs: readonly protobuf.OneOf[]): ReadonlyMap<protobuf.OneOf, string> {
  const taken = new Set<string>();
  const named = oneofs.map((oneof) => {
    const preferred = jsonName(nameOf(oneof));
    let name = taken.has(preferred) ? nameOf(oneof) : preferred;
    while (taken.has(name)) name += "_";
    taken.add(name);
    return [oneof, name] as const;
  });
  return new Map(named);
}

/**
 * Returns whether a oneof is synthetic. protobufjs adds a synthetic oneof for each `optional`
 * field.
 */
function isSynthetic(oneof: protobuf.OneOf): boolean {
  return (
    oneof.fieldsArray.length === 1 && oneof.fieldsArray[0]?.options?.["proto3_optional"] === true
  );
}

function jsonNameOf(field: protobuf.Field): string {
  const given: unknown = field.options?.["json_name"];
  return typeof given === "string" ? given : jsonName(nameOf(field));
}
