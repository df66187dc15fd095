import { camelCase } from "../protocol/names.js";
import type {
  ScalarName,
  ValueType,
  WellKnownName,
  WireFieldDef,
  WireMessageDef,
  WirePlace,
} from "../protocol/types.js";
import type { Imports } from "./imports.js";
import { pathsIn } from "../protocol/correlate/paths.js";
import type { Models } from "./protobuf-model.js";
import {
  delimited,
  isApart,
  isNull,
  isPackable,
  membersOf,
  numbersOf,
  resourceOf,
  tagOf,
  wireTypeOf,
  wireTypeOfValue,
} from "./protobuf-names.js";
import { block, guard, indent, memberOf, oneOrTwo, quote } from "./text.js";

/** A field whose value has a place in the model. */
type Placed = WireFieldDef & { readonly place: WirePlace & { readonly kind: "path" } };

/** The statements that write fields. */
export class FieldWriter {
  readonly #imports: Imports;
  readonly #message: WireMessageDef;
  readonly #models: Models;

  constructor(imports: Imports, message: WireMessageDef, models: Models) {
    this.#imports = imports;
    this.#message = message;
    this.#models = models;
  }

  /** The lines that come before the fields: variables for what is inside of one of several types, and refusals. */
  preamble(): string[] {
    const { name, oneofs, fields } = this.#message;
    if (this.#models.isProtoJson) return [];
    const paths = fields.flatMap(({ place }) => {
      if (place.kind === "resource") return pathsIn(place.patterns[0] ?? "");
      return place.kind === "path" && place.when === undefined ? [place.path] : [];
    });
    const containers = new Map(paths.map((path) => this.#containerOf(path)).filter((found) => found !== undefined));
    const variables = [...containers].map(([key, access]) => `const ${key} = ${this.#place()}.merged(${access});`);
    const checks = oneofs.flatMap((oneof) => {
      const members = fields.filter((field) => field.oneof === oneof.name);
      if (members.some(({ place }) => place.kind !== "path" || place.when !== undefined)) return [];
      const [first] = members;
      const object = first === undefined ? "value" : (this.#container(first)?.[0] ?? "value");
      return [`${this.#place()}.atMostOne(${object}, ${membersOf(name, oneof.name)});`];
    });
    return [...variables, ...checks].map(indent);
  }

  /** The lines that write a field of `value` to `writer`, indented by two. */
  statements(field: WireFieldDef): string[] {
    const { place } = field;
    if (place.kind === "nowhere") return [];
    if (place.kind === "resource") return this.#resource(field, place.patterns[0] ?? "");
    const access =
      place.when === undefined
        ? this.#access(place.path)
        : this.#models.access(this.#message.model, "value", place.path);
    const write = this.#field({ ...field, place }, access);
    return write.map(indent);
  }

  #field(field: Placed, access: string): string[] {
    const { type, proto, place } = field;
    if (type.kind === "list") return this.#list(access, type.element, field);
    if (type.kind === "map") return this.#map(access, type, field);
    // Null is the default of its type, which is not written unless its presence says something.
    if (isNull(type) && field.presence !== "optional") return [];
    const write = this.#value(type, field.trueIfAbsent ? "true" : access, tagOf(proto.number, wireTypeOfValue(type)));
    if (place.when !== undefined)
      return guard(`${memberOf("value", place.when.key)} === ${quote(place.when.value)}`, write);
    const present = place.path.length === 0 ? "" : this.#presence(type, access, field);
    return present === "" ? write : guard(present, write);
  }

  /** The object inside of one of several types that holds a value: the name of its variable, and where it is. */
  #container({ place }: WireFieldDef): readonly [string, string] | undefined {
    return place.kind === "path" && place.when === undefined ? this.#containerOf(place.path) : undefined;
  }

  #containerOf(whole: readonly string[]): readonly [string, string] | undefined {
    const { model } = this.#message;
    const path = whole.slice(0, -1);
    const object = this.#models.shapes.at(model, path);
    if (whole.length === 0 || object === undefined || this.#models.shapes.alternatives(object.type).length < 2)
      return undefined;
    const name = path.length === 0 ? "merged" : camelCase(path.join(" "));
    const variable = ["value", "writer", "key", "item", "wire"].includes(name) ? `${name}Value` : name;
    return [variable, this.#models.access(model, "value", path)];
  }

  #access(path: readonly string[]): string {
    const container = this.#models.isProtoJson ? undefined : this.#containerOf(path);
    if (container === undefined) return this.#models.access(this.#message.model, "value", path);
    return memberOf(container[0], path.at(-1) ?? "");
  }

  #resource({ proto, jsonName }: WireFieldDef, pattern: string): string[] {
    const ids = pathsIn(pattern).map((path) => this.#access(path));
    const name = `${resourceOf(this.#message.name, jsonName)}.write(${ids.join(", ")})`;
    return [`writer.uint32(${tagOf(proto.number, delimited)}).string(${name});`].map(indent);
  }

  /** The condition under which a field is written; empty where it always is. */
  #presence(type: ValueType, access: string, { presence, place, trueIfAbsent }: Placed): string {
    if (trueIfAbsent) return `${access} ?? true`;
    if (type.kind === "enum" && presence !== "optional") {
      const zero = `wire.enumNumber(${numbersOf(type.name)}, ${access}) !== 0`;
      return place.presence === "required" ? zero : `${access} !== undefined && ${zero}`;
    }
    if (type.kind !== "scalar" || presence === "optional") return `${access} !== undefined`;
    return type.scalar.endsWith("64") ? `${access} && ${access} !== "0"` : access;
  }

  /** The statements that write one value behind its tag. */
  #value(type: ValueType, access: string, tag: number): string[] {
    const tagged = `writer.uint32(${tag})`;
    switch (type.kind) {
      case "scalar":
        return [`${tagged}.${type.scalar}(${this.#argument(type.scalar, access)});`];
      case "enum":
        return [`${tagged}.int32(wire.enumNumber(${numbersOf(type.name)}, ${access}));`];
      case "message":
        return [`write${type.name}(${access}, ${tagged}.fork()).ldelim();`];
      case "wrapper": {
        const inner = this.#value({ kind: "scalar", scalar: type.scalar }, access, tagOf(1, wireTypeOf(type.scalar)));
        const present = type.scalar.endsWith("64") ? `${access} !== "0"` : access;
        return [`${tagged}.fork();`, ...guard(present, inner), "writer.ldelim();"];
      }
      case "wellKnown":
        return this.#wellKnown(type.wellKnown, access, tagged);
      default:
        throw new Error(`protobuf has no ${type.kind} as one value`);
    }
  }

  #wellKnown(name: WellKnownName, access: string, tagged: string): string[] {
    if (name === "NullValue") return [`${tagged}.int32(0);`];
    if (name === "Empty") return [`${tagged}.fork().ldelim();`];
    if (name === "Any") {
      const writeAny = this.#imports.value("runtime/any", "writeAny");
      return [`${writeAny}(${access}, ${tagged}.fork(), registry).ldelim();`];
    }
    const write = isApart(name) ? this.#imports.value("runtime/well-known", `write${name}`) : `wire.write${name}`;
    return [`${write}(${access}, ${tagged}.fork()).ldelim();`];
  }

  #list(access: string, element: ValueType, field: Placed): string[] {
    const items = isThere(field) ? access : `${access} ?? wire.none`;
    if (isPackable(element) && field.proto.packed) {
      const bare = this.#packed(element);
      const loop = [
        `writer.uint32(${tagOf(field.proto.number, delimited)}).fork();`,
        `for (const item of ${access}) ${bare}`,
        "writer.ldelim();",
      ];
      return block(`if (${isThere(field) ? access : `${access}?`}.length) {`, loop);
    }
    const write = this.#value(element, "item", tagOf(field.proto.number, wireTypeOfValue(element)));
    const head = `for (const item of ${items})`;
    return write.length === 1 ? oneOrTwo(head, write[0] ?? "") : block(`${head} {`, write);
  }

  #map(access: string, type: ValueType & { kind: "map" }, field: Placed): string[] {
    const items = isThere(field) ? access : `${access} ?? {}`;
    const keyTag = tagOf(1, wireTypeOf(type.key));
    const key = keyArgument(type.key);
    const lines = [
      `writer.uint32(${tagOf(field.proto.number, delimited)}).fork();`,
      `writer.uint32(${keyTag}).${type.key}(${key});`,
      ...this.#value(type.value, "item", tagOf(2, wireTypeOfValue(type.value))),
      "writer.ldelim();",
    ];
    return block(`for (const [key, item] of Object.entries(${items})) {`, lines);
  }

  /** The item of a packed list. */
  #packed(element: ValueType): string {
    if (element.kind === "enum") return `writer.int32(wire.enumNumber(${numbersOf(element.name)}, item));`;
    if (element.kind !== "scalar") return "writer.int32(0);";
    return `writer.${element.scalar}(${this.#argument(element.scalar, "item")});`;
  }

  #place(): string {
    return this.#imports.namespace("runtime/place", "place");
  }

  #argument(scalar: ScalarName, access: string): string {
    const check = this.#models.isProtoJson ? undefined : checkOf(scalar);
    if (check !== undefined) return `${this.#place()}.${check}(${access})`;
    return scalar === "double" || scalar === "float" ? `Number(${access})` : access;
  }
}

/** The function that checks what the types of a schema leave open and protobuf does not. */
function checkOf(scalar: ScalarName): string | undefined {
  if (scalar === "bytes") return "base64";
  if (scalar === "float") return "float";
  const bits = /(?:32|64)$/.exec(scalar)?.[0];
  return bits && `${/^(?:u|fixed)/.test(scalar) ? "uint" : "int"}${bits}`;
}

/** Tells whether a list or map is certainly there. */
function isThere({ place }: Placed): boolean {
  return place.presence === "required";
}

/** The key of a map entry, which JSON has as text. */
function keyArgument(key: ScalarName): string {
  if (key === "bool") return 'key === "true"';
  return key === "string" || key.endsWith("64") ? "key" : "Number(key)";
}
