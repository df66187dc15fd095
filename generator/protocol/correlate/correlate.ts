import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import type { LoadedManifest } from "../model/manifest.js";
import type {
  FieldDef,
  LossDef,
  MessageDef,
  OperationDef,
  TypeDef,
  ValueType,
  WireDef,
  WireFieldDef,
  WireMapping,
  WireMessageDef,
} from "../model/types.js";
import { Losses, type Context } from "./context.js";
import { reportAlternative, reportProperties } from "./coverage.js";
import { describe, fits, nameOf } from "./fits.js";
import { CorrelationHints } from "./hints.js";
import { lossesOfMessage, lossesOfRoute } from "./losses.js";
import { ambiguousMapping, mappingOf, unknownMapping } from "./mapping.js";
import { findMember } from "./members.js";
import { matchOperations, reportUnmatched, typeOf, type SchemaSide } from "./operations.js";
import { pathsOf } from "./paths.js";
import type { Side } from "./side.js";
import { WireEnums } from "./wire-enums.js";

/** Proto of a version: its types, its operations, and its package. */
export interface ProtoSide extends Side {
  readonly package: string;
  readonly operations: readonly OperationDef[];
}

/** Operations with the types of the schema, and how the messages of the proto represent them. */
export interface Correlation {
  /** Operations of the proto, without the operations that the manifest omits. */
  readonly operations: readonly OperationDef[];
  readonly wire: WireDef;
  readonly losses: readonly LossDef[];
}

/**
 * Determines how the messages of a proto represent the types of a schema: by name and shape, or by
 * the hints in the manifest. Begins with the operations, and follows their requests and responses.
 * Reports parts without a counterpart, unless the manifest lists them, and unused hints.
 */
export function correlate(
  proto: ProtoSide,
  schema: SchemaSide & Side,
  manifest: LoadedManifest | undefined,
  diagnostics: Diagnostics,
): Correlation {
  const hints = new CorrelationHints(manifest);
  const carried = proto.operations.filter(({ name }) => !hints.isOnlyProtobuf(name));
  const { operations, unmatched } = matchOperations(carried, schema, manifest);
  const { shapes } = schema;
  const losses = new Losses();
  const shared = { proto, schema, shapes, hints, diagnostics };
  const correlator = new Correlator({ ...shared, losses, doubtful: new Set() });
  for (const operation of operations) correlator.addOperation(operation);
  reportUnmatched(unmatched, schema, diagnostics);
  const wire = correlator.result(proto.package);
  // A hint counts as used once the correlation has asked for it. A borrowed manifest describes
  // another specification, so it may have further hints.
  if (manifest?.borrowed !== true) hints.reportUnused(diagnostics);
  return { operations, wire, losses: losses.all };
}

class Correlator {
  readonly #context: Context;
  readonly #protoTypes: ReadonlyMap<string, TypeDef>;
  readonly #messages = new Map<string, WireMessageDef | undefined>();
  readonly #models = new Map<string, ValueType>();
  readonly #enums: WireEnums;

  constructor(context: Context) {
    this.#context = context;
    this.#protoTypes = new Map(context.proto.types.map((type) => [type.name, type]));
    this.#enums = new WireEnums(context);
  }

  /** Correlates the messages of an operation, and adds the losses that its routes cause. */
  addOperation({ rpc, request, response, http }: OperationDef): void {
    const { shapes, losses } = this.#context;
    if (rpc?.request !== undefined) this.#message(rpc.request, typeOf(request, shapes));
    if (rpc?.response !== undefined) this.#message(rpc.response, typeOf(response, shapes));
    const carrier = this.#messages.get(rpc?.request ?? "");
    if (carrier === undefined) return;
    for (const { path } of http) losses.add(...lossesOfRoute(carrier, path, shapes));
  }

  /**
   * Returns the correlated messages and enums, in the order of the proto. Reports messages that
   * represent no type.
   */
  result(protoPackage: string): WireDef {
    const { proto } = this.#context;
    for (const type of proto.types)
      if (type.kind === "message" && !this.#models.has(type.name)) this.#reportUnused(type);
    const messages = proto.types.flatMap(({ name }) => this.#messages.get(name) ?? []);
    const enums = proto.types.flatMap(({ name }) => this.#enums.get(name) ?? []);
    return { package: protoPackage, isProtoJson: false, messages, enums };
  }

  #reportUnused({ name, fullName }: MessageDef): void {
    const { proto, hints, doubtful, diagnostics } = this.#context;
    if (hints.isOnlyProtobuf(name) || doubtful.has(name)) return;
    const hint =
      `Map it under correlate.fields or correlate.members, or list ${name} under ` +
      "correlate.onlyProtobuf";
    const message = `${fullName} has no corresponding type in the schema`;
    diagnostics.add(proto.locationOf(fullName), message, hint);
  }

  /**
   * Correlates a message of the proto, and its nested messages, with the type that it must
   * represent.
   */
  #message(name: string, model: ValueType): void {
    const message = this.#protoTypes.get(name);
    if (message?.kind !== "message" || this.#isKnown(message, model)) return;
    // Register the message first, because it may contain itself.
    this.#models.set(name, model);
    this.#messages.set(name, undefined);
    this.#messages.set(name, this.#carry(message, model));
  }

  /**
   * Returns whether a message is already correlated. Reports a message that is already correlated
   * with a different type.
   */
  #isKnown({ name, fullName }: MessageDef, model: ValueType): boolean {
    const earlier = this.#models.get(name);
    if (earlier === undefined) return false;
    if (nameOf(earlier) === nameOf(model)) return true;
    const { proto, diagnostics } = this.#context;
    const message = `${fullName} corresponds to both ${nameOf(earlier)} and ${nameOf(model)}`;
    const hint = "Map the fields under correlate.fields or correlate.members";
    diagnostics.add(proto.locationOf(fullName), message, hint);
    return true;
  }

  #carry(message: MessageDef, model: ValueType): WireMessageDef {
    const { shapes, losses } = this.#context;
    const { name, fullName, oneofs } = message;
    const isChoice = oneofs.length > 0 && shapes.discriminator(model) !== undefined;
    const fields = isChoice ? this.#choice(message, model) : this.#structure(message, model);
    losses.add(...lossesOfMessage({ model, fields }, { shapes, enums: this.#enums }));
    const constants = isChoice ? {} : this.#constants(message, model);
    return { name, fullName, model, constants, fields, oneofs };
  }

  /** Returns the fields of a message that represents an object, a list, or a map. */
  #structure(message: MessageDef, model: ValueType): WireFieldDef[] {
    const fields = message.fields.map((field) =>
      this.#field(message, field, mappingOf(message, field, model, this.#context)),
    );
    const isWholeValue = fields.some(
      ({ mapping }) => mapping.kind === "path" && mapping.path.length === 0,
    );
    if (!isWholeValue) reportProperties(model, pathsOf(fields), this.#context);
    return fields;
  }

  /**
   * Returns the fields of a message that represents a union. Each member of its oneof represents an
   * alternative.
   */
  #choice(message: MessageDef, model: ValueType): WireFieldDef[] {
    const rest = new Set(this.#context.shapes.alternatives(model));
    const fields = message.fields.map((field) => {
      const mapping =
        field.oneof === undefined
          ? mappingOf(message, field, model, this.#context)
          : this.#memberMapping(message, field, model, rest);
      return this.#field(message, field, mapping);
    });
    for (const type of rest) reportAlternative(model, type, this.#context);
    return fields;
  }

  /** Finds the alternative that a member of a oneof represents, and removes it from `rest`. */
  #memberMapping(
    message: MessageDef,
    field: FieldDef,
    model: ValueType,
    rest: Set<ValueType>,
  ): WireMapping {
    const { shapes, hints } = this.#context;
    const key = shapes.discriminator(model) ?? "";
    const hint = hints.member(`${message.name}.${field.proto?.name}`);
    const found = findMember(field, [...rest], { shapes, key, hint });
    if (Array.isArray(found)) return ambiguousMapping(message, field, found, this.#context);
    if (found === undefined) return unknownMapping(message, field, model, this.#context);
    const { type, path, inner, constant } = found;
    rest.delete(type);
    if (path.length > 0) reportProperties(type, [path], this.#context);
    const when = { key, value: constant };
    return { kind: "path", path, presence: "required", type: inner, when };
  }

  #field({ name: owner }: MessageDef, field: FieldDef, mapping: WireMapping): WireFieldDef {
    const { name, type, presence, oneof } = field;
    const { proto = { name, number: 0, hasPresence: false, packed: true } } = field;
    if (mapping.kind === "path") this.#value(`${owner}.${proto.name}`, type, mapping.type);
    const choice = oneof === undefined ? {} : { oneof };
    const found: WireFieldDef = { proto, jsonName: name, type, presence, mapping, ...choice };
    return this.#isTrueIfAbsent(owner, found) ? { ...found, trueIfAbsent: true } : found;
  }

  /** Returns whether an absent value means `true`, so that protobuf must write it. */
  #isTrueIfAbsent(owner: string, { proto, type, presence, oneof, mapping }: WireFieldDef): boolean {
    const { hints, diagnostics } = this.#context;
    const key = `${owner}.${proto.name}`;
    if (!hints.isTrueIfAbsent(key)) return false;
    const isBool = type.kind === "scalar" && type.scalar === "bool";
    const hasPresence = presence !== "implicit" || oneof !== undefined;
    const isOptional =
      mapping.kind === "path" && mapping.path.length === 1 && mapping.presence === "optional";
    if (isBool && !hasPresence && isOptional) return true;
    const message = `${key} must be a bool without presence that marks an optional property`;
    const location = hints.locationOf("trueIfAbsent", key);
    diagnostics.add(location, message, "Remove it from correlate.trueIfAbsent");
    return false;
  }

  /** Correlates a value of the proto with a value of the schema. */
  #value(key: string, proto: ValueType, model: ValueType): void {
    const { shapes, diagnostics } = this.#context;
    const resolved = shapes.resolve(model);
    if (proto.kind === "message") return this.#message(proto.name, model);
    if (proto.kind === "list" && resolved.kind === "list")
      return this.#value(key, proto.element, resolved.element);
    if (proto.kind === "map" && resolved.kind === "map" && proto.key === "string")
      return this.#value(key, proto.value, resolved.value);
    const at = this.#locationOfKey(key);
    if (proto.kind === "enum") return this.#enums.carry(proto.name, resolved, { name: key, at });
    if (shapes.alternatives(model).every((type) => fits(proto, type))) return;
    const [found, required] = [describe(proto), describe(resolved)];
    const message = `${key} is ${found}, and its counterpart in the schema is ${required}`;
    diagnostics.add(at, message, "Specify another property under correlate.fields");
  }

  /**
   * Returns the properties of a type that are constant strings and that the message has no field
   * for.
   */
  #constants({ fields }: MessageDef, model: ValueType): Record<string, string> {
    const { shapes } = this.#context;
    const constants = new Map<string, string>();
    for (const [name, { type }] of shapes.properties(model) ?? []) {
      const value = shapes.constant(type);
      if (value !== undefined) constants.set(name, value);
    }
    for (const { name } of fields) constants.delete(name);
    return Object.fromEntries(constants);
  }

  #locationOfKey(key: string): Location | undefined {
    const [name = "", field = ""] = key.split(".");
    const owner = this.#protoTypes.get(name)?.fullName ?? name;
    return this.#context.proto.locationOf(`${owner}.${field}`);
  }
}
