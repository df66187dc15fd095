import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import type {
  FieldDef,
  LossDef,
  MessageDef,
  TypeDef,
  ValueType,
  WireDef,
  WireFieldDef,
  WireMessageDef,
  WireMapping,
} from "../model/types.js";
import type { CorrelationHints } from "./hints.js";
import { describe, fits, nameOf } from "./fits.js";
import { lossesOfMessage, lossesOfRoute, onlyJson, onlyProtobuf } from "./losses.js";
import { findMember } from "./members.js";
import { pathsIn, pathsOf } from "./paths.js";
import { Shapes, type Property } from "./shape.js";
import { WireEnums } from "./wire-enums.js";
import type { Side } from "./side.js";

/**
 * Determines how the messages of a proto represent the types of a schema: by name and shape, or by
 * the hints in the manifest. Reports parts without a counterpart, unless the manifest lists them.
 */
export class Correlator {
  readonly #losses = new Map<string, LossDef>();
  readonly #proto: Side;
  readonly #schema: Side;
  readonly #shapes: Shapes;
  readonly #hints: CorrelationHints;
  readonly #diagnostics: Diagnostics;
  readonly #protoTypes: ReadonlyMap<string, TypeDef>;
  readonly #messages = new Map<string, WireMessageDef | undefined>();
  readonly #models = new Map<string, ValueType>();
  readonly #enums: WireEnums;
  /** Types that have no counterpart because of an error that is already reported. */
  readonly #doubtful = new Set<string>();

  constructor(proto: Side, schema: Side, hints: CorrelationHints, diagnostics: Diagnostics) {
    this.#proto = proto;
    this.#schema = schema;
    this.#shapes = new Shapes(schema.types);
    this.#hints = hints;
    this.#diagnostics = diagnostics;
    this.#protoTypes = new Map(proto.types.map((type) => [type.name, type]));
    this.#enums = new WireEnums({ proto, schema, shapes: this.#shapes, hints, diagnostics });
  }

  /** The losses that have been found. */
  get losses(): readonly LossDef[] {
    return [...this.#losses.values()];
  }

  #lose(...losses: readonly LossDef[]): void {
    for (const loss of losses)
      this.#losses.set([loss.type, loss.field, loss.kind, loss.text].join(" "), loss);
  }

  /**
   * Correlates a message of the proto, and its nested messages, with the type that it must
   * represent.
   */
  message(name: string, model: ValueType): void {
    const message = this.#protoTypes.get(name);
    if (message?.kind !== "message" || this.#isKnown(message, model)) return;
    // Register the message first, because it may contain itself.
    this.#models.set(name, model);
    this.#messages.set(name, undefined);
    this.#messages.set(name, this.#carry(message, model));
  }

  /** Adds the losses of a message that are caused by the path of an HTTP+JSON route. */
  route(message: string, path: string): void {
    const carrier = this.#messages.get(message);
    if (carrier !== undefined) this.#lose(...lossesOfRoute(carrier, path, this.#shapes));
  }

  /**
   * Returns the type of the schema with the name of a message; `undefined` if no such type exists.
   */
  namesake(name: string): ValueType | undefined {
    const found = this.#schema.types.find((type) => type.fullName === name);
    return found && this.#shapes.reference(found.name);
  }

  /**
   * Returns the correlated messages and enums, in the order of the proto. Reports messages that
   * represent no type.
   */
  result(protoPackage: string): WireDef {
    for (const { kind, name, fullName } of this.#proto.types) {
      if (kind !== "message" || this.#models.has(name) || this.#hints.isOnlyProtobuf(name))
        continue;
      if (this.#doubtful.has(name)) continue;
      const hint =
        `Map it under correlate.fields or correlate.members, or list ${name} under ` +
        "correlate.onlyProtobuf";
      this.#report(
        this.#proto.locationOf(fullName),
        `${fullName} has no corresponding type in the schema`,
        hint,
      );
    }
    const messages = this.#proto.types.flatMap(({ name }) => this.#messages.get(name) ?? []);
    const enums = this.#proto.types.flatMap(({ name }) => this.#enums.get(name) ?? []);
    return { package: protoPackage, isProtoJson: false, messages, enums };
  }

  #report(location: Location | undefined, message: string, hint: string): void {
    this.#diagnostics.add(location, message, hint);
  }

  /**
   * Returns whether a message is already correlated. Reports a message that is already correlated
   * with a different type.
   */
  #isKnown({ name, fullName }: MessageDef, model: ValueType): boolean {
    const earlier = this.#models.get(name);
    if (earlier === undefined) return false;
    const [before, now] = [earlier, model].map((type) => nameOf(type));
    if (before !== now) {
      const message = `${fullName} corresponds to both ${before} and ${now}`;
      const hint = "Map the fields under correlate.fields or correlate.members";
      this.#report(this.#proto.locationOf(fullName), message, hint);
    }
    return true;
  }

  #carry(message: MessageDef, model: ValueType): WireMessageDef {
    const { name, fullName, oneofs } = message;
    const [oneof] = oneofs;
    const isChoice = oneof !== undefined && this.#shapes.discriminator(model) !== undefined;
    const fields = isChoice ? this.#choice(message, model) : this.#structure(message, model);
    this.#lose(...lossesOfMessage({ model, fields }, { shapes: this.#shapes, enums: this.#enums }));
    return {
      name,
      fullName,
      model,
      constants: isChoice ? {} : this.#constants(message, model),
      fields,
      oneofs,
    };
  }

  /** Returns the fields of a message that represents an object, a list, or a map. */
  #structure(message: MessageDef, model: ValueType): WireFieldDef[] {
    const fields = message.fields.map((field) =>
      this.#field(message, field, this.#mappingOf(message, field, model)),
    );
    const isWholeValue = fields.some(
      ({ mapping }) => mapping.kind === "path" && mapping.path.length === 0,
    );
    if (!isWholeValue) this.#account(model, pathsOf(fields));
    return fields;
  }

  /**
   * Returns the fields of a message that represents a union. Each member of its oneof represents an
   * alternative.
   */
  #choice(message: MessageDef, model: ValueType): WireFieldDef[] {
    const key = this.#shapes.discriminator(model) ?? "";
    const rest = new Set(this.#shapes.alternatives(model));
    const fields = message.fields.map((field) => {
      if (field.oneof === undefined)
        return this.#field(message, field, this.#mappingOf(message, field, model));
      const hint = this.#hints.member(`${message.name}.${field.proto?.name}`);
      const found = findMember(field, [...rest], { shapes: this.#shapes, key, hint });
      if (Array.isArray(found))
        return this.#field(message, field, this.#ambiguous(message, field, found));
      if (found === undefined)
        return this.#field(message, field, this.#unknown(message, field, nameOf(model)));
      rest.delete(found.type);
      const when = { key, value: found.constant };
      const mapping: WireMapping = {
        kind: "path",
        path: found.path,
        presence: "required",
        type: found.inner,
        when,
      };
      if (found.path.length > 0) this.#account(found.type, [found.path]);
      return this.#field(message, field, mapping);
    });
    for (const type of rest) {
      const fullName = this.#shapes.message(type)?.fullName ?? nameOf(type);
      if (this.#doubtful.has(fullName)) continue;
      if (this.#hints.isOnlyJson(fullName)) this.#lose(onlyJson(nameOf(model), fullName));
      else this.#unaccounted(fullName, undefined);
    }
    return fields;
  }

  /** Determines which part of the model a field represents. */
  #mappingOf(message: MessageDef, field: FieldDef, model: ValueType): WireMapping {
    const key = `${message.name}.${field.proto?.name}`;
    const patterns = this.#hints.resource(key);
    if (patterns !== undefined) return this.#resource(key, patterns, model);
    if (this.#hints.isOnlyProtobuf(key)) {
      this.#lose(onlyProtobuf(message.name, field.name));
      return { kind: "unmapped" };
    }
    const hint = this.#hints.path(key);
    const path = hint ?? this.#ownPath(message, field, model);
    const found = path && this.#shapes.at(model, path);
    if (path !== undefined && found !== undefined) return { kind: "path", path, ...found };
    if (hint === undefined) return this.#unknown(message, field, nameOf(model));
    const contradiction =
      `${key} is mapped to "${hint.join(".")}", which ${nameOf(model)} ` + "does not have";
    this.#report(
      this.#hints.locationOf("fields", key),
      contradiction,
      "Correct it under correlate.fields",
    );
    return { kind: "unmapped" };
  }

  /**
   * Returns the path for a field without a hint: the property with the field's name, or the whole
   * type if the type is a list or map and this is the only field that can represent it.
   */
  #ownPath(message: MessageDef, field: FieldDef, model: ValueType): readonly string[] | undefined {
    const properties = this.#shapes.properties(model);
    if (properties?.has(field.name) === true) return [field.name];
    const { kind } = this.#shapes.resolve(model);
    const isAlone = message.fields.filter(({ type }) => type.kind === kind).length === 1;
    return (kind === "list" || kind === "map") && isAlone && field.type.kind === kind
      ? []
      : undefined;
  }

  #resource(key: string, patterns: readonly string[], model: ValueType): WireMapping {
    for (const path of patterns.flatMap(pathsIn)) {
      if (this.#shapes.at(model, path) !== undefined) continue;
      const message =
        `the resource name of ${key} contains "${path.join(".")}", which ${nameOf(model)} does ` +
        "not have";
      this.#report(
        this.#hints.locationOf("resources", key),
        message,
        "Correct it under correlate.resources",
      );
    }
    return { kind: "resource", patterns };
  }

  /** Reports a member of a oneof that could represent several alternatives. */
  #ambiguous(
    { name, fullName }: MessageDef,
    { proto, type }: FieldDef,
    names: readonly string[],
  ): WireMapping {
    for (const each of [...names, ...namesIn(type)]) this.#doubtful.add(each);
    const message = `the field ${name}.${proto?.name} could correspond to ${names.join(" or ")}`;
    this.#report(
      this.#proto.locationOf(`${fullName}.${proto?.name}`),
      message,
      "Specify which under correlate.members",
    );
    return { kind: "unmapped" };
  }

  #unknown({ name, fullName }: MessageDef, field: FieldDef, model: string): WireMapping {
    const key = `${name}.${field.proto?.name}`;
    const message = `the field ${key} has no counterpart in ${model}`;
    const hint =
      "Specify its property under correlate.fields, or list it under " + "correlate.onlyProtobuf";
    this.#report(this.#proto.locationOf(`${fullName}.${field.proto?.name}`), message, hint);
    for (const each of namesIn(field.type)) this.#doubtful.add(each);
    return { kind: "unmapped" };
  }

  #field({ name: owner }: MessageDef, field: FieldDef, mapping: WireMapping): WireFieldDef {
    const {
      name,
      proto = { name, number: 0, hasPresence: false, packed: true },
      type,
      presence,
      oneof,
    } = field;
    if (mapping.kind === "path") this.#value(`${owner}.${proto.name}`, type, mapping.type);
    const found: WireFieldDef = {
      proto,
      jsonName: name,
      type,
      presence,
      mapping,
      ...(oneof !== undefined && { oneof }),
    };
    return this.#isTrueIfAbsent(owner, found) ? { ...found, trueIfAbsent: true } : found;
  }

  /** Returns whether an absent value means `true`, so that protobuf must write it. */
  #isTrueIfAbsent(owner: string, { proto, type, presence, oneof, mapping }: WireFieldDef): boolean {
    const key = `${owner}.${proto.name}`;
    if (!this.#hints.isTrueIfAbsent(key)) return false;
    const isBool =
      type.kind === "scalar" &&
      type.scalar === "bool" &&
      presence === "implicit" &&
      oneof === undefined;
    const isOptional =
      mapping.kind === "path" && mapping.path.length === 1 && mapping.presence === "optional";
    if (isBool && isOptional) return true;
    const message = `${key} must be a bool without presence that marks an optional property`;
    this.#report(
      this.#hints.locationOf("trueIfAbsent", key),
      message,
      "Remove it from correlate.trueIfAbsent",
    );
    return false;
  }

  /** Correlates a value of the proto with a value of the schema. */
  #value(key: string, proto: ValueType, model: ValueType): void {
    const resolved = this.#shapes.resolve(model);
    if (proto.kind === "message") return this.message(proto.name, model);
    if (proto.kind === "list" && resolved.kind === "list")
      return this.#value(key, proto.element, resolved.element);
    if (proto.kind === "map" && resolved.kind === "map" && proto.key === "string")
      return this.#value(key, proto.value, resolved.value);
    if (proto.kind === "enum")
      return this.#enums.carry(proto.name, resolved, { name: key, at: this.#locationOfKey(key) });
    if (this.#shapes.alternatives(model).every((type) => fits(proto, type))) return;
    const message =
      `${key} is ${describe(proto)}, and its counterpart in the schema is ` + describe(resolved);
    this.#report(
      this.#locationOfKey(key),
      message,
      "Specify another property under correlate.fields",
    );
  }

  /**
   * Returns the properties of a type that are constant strings and that the message has no field
   * for.
   */
  #constants(message: MessageDef, model: ValueType): Record<string, string> {
    const own = new Set(message.fields.map(({ name }) => name));
    const properties = [...(this.#shapes.properties(model) ?? [])].filter(
      ([name]) => !own.has(name),
    );
    return Object.fromEntries(
      properties.flatMap(([name, { type }]) => {
        const value = this.#shapes.constant(type);
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  }

  /**
   * Reports each property of a type that no field represents. If the manifest lists the property,
   * adds a loss instead.
   */
  #account(model: ValueType, covered: readonly (readonly string[])[]): void {
    for (const type of this.#shapes.alternatives(model)) {
      const owner = this.#shapes.message(type);
      if (owner !== undefined) this.#accountIn(owner, type, covered, []);
    }
  }

  #accountIn(
    owner: MessageDef,
    type: ValueType,
    covered: readonly (readonly string[])[],
    base: readonly string[],
  ): void {
    for (const [name, property] of this.#shapes.properties(type) ?? new Map<string, Property>()) {
      const path = [...base, name];
      const under = covered.filter((one) => path.every((key, index) => one[index] === key));
      if (under.some((one) => one.length === path.length)) continue;
      if (under.length > 0) this.#accountIn(owner, property.type, covered, path);
      else if (this.#shapes.constant(property.type) === undefined) this.#accountOne(owner, path);
    }
  }

  #accountOne({ name, fullName }: MessageDef, path: readonly string[]): void {
    if (this.#hints.isOnlyJson(`${fullName}.${path.join(".")}`))
      this.#lose(onlyJson(name, path.join(".")));
    else this.#unaccounted(fullName, path);
  }

  #unaccounted(owner: string, path: readonly string[] | undefined): void {
    const name = [owner, ...(path ?? [])].join(".");
    const hint =
      `Map a field to it under correlate.fields, or list ${name} under ` + "correlate.onlyJson";
    const message = `${name} has no counterpart in the proto`;
    this.#report(
      this.#schema.locationOf(owner, ...(path ?? []).slice(0, 1)) ?? this.#schema.locationOf(owner),
      message,
      hint,
    );
  }

  #locationOfKey(key: string): Location | undefined {
    const [name = "", field = ""] = key.split(".");
    return this.#proto.locationOf(`${this.#protoTypes.get(name)?.fullName ?? name}.${field}`);
  }
}

/**
 * Returns the name of a type, or the name of the element type of a list or map; empty if the type
 * has no name.
 */
function namesIn(type: ValueType): string[] {
  if (type.kind === "list") return namesIn(type.element);
  if (type.kind === "map") return namesIn(type.value);
  return "name" in type ? [type.name] : [];
}
