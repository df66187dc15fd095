import { pathsIn } from "../../protocol/correlate/paths.js";
import { Shapes } from "../../protocol/correlate/shape.js";
import type {
  EnumDef,
  FieldDef,
  MessageDef,
  OneofDef,
  Protocol,
  TypeDef,
  ValueType,
  WireDef,
  WireEnumDef,
  WireFieldDef,
  WireMessageDef,
} from "../../protocol/model/types.js";
import { jsonZero } from "../protojson/protojson.js";

/**
 * Returns the types that are sent over HTTP+JSON if they differ from the model. The types describe
 * the ProtoJSON of the messages, without the fields that the model cannot represent. `nameOf`
 * returns the type name for a message or enum.
 */
export function protoJsonTypes(
  protocol: Protocol,
  wire: WireDef,
  nameOf: (name: string) => string,
): TypeDef[] {
  const writer = new ProtoTypeBuilder(protocol, wire, nameOf);
  return [
    ...wire.messages.map((message) => writer.message(message)),
    ...wire.enums.map((type) => writer.enum(type)),
  ];
}

class ProtoTypeBuilder {
  readonly #shapes: Shapes;
  readonly #wire: WireDef;
  readonly #nameOf: (name: string) => string;

  constructor({ types }: Protocol, wire: WireDef, nameOf: (name: string) => string) {
    this.#shapes = new Shapes(types);
    this.#wire = wire;
    this.#nameOf = nameOf;
  }

  message(message: WireMessageDef): MessageDef {
    const { name, fullName, model } = message;
    const docs = "name" in model ? (this.#shapes.find(model.name)?.docs ?? "") : "";
    const fields = message.fields.filter(({ mapping }) => mapping.kind !== "unmapped");
    return {
      kind: "message",
      name: this.#nameOf(name),
      fullName,
      docs,
      deprecated: false,
      fields: fields.map((field) => this.#field(message, field)),
      oneofs: message.oneofs.map((oneof) => this.#oneof(message, oneof)),
    };
  }

  enum({ name, fullName, model, values }: WireEnumDef): EnumDef {
    const type = this.#shapes.find(model);
    const known = type?.kind === "enum" ? type.values : [];
    return {
      kind: "enum",
      name: this.#nameOf(name),
      fullName,
      docs: type?.docs ?? "",
      deprecated: type?.deprecated ?? false,
      values: values
        .filter(({ json }) => json !== undefined)
        .map((value) => {
          const { docs = "", deprecated = false } =
            known.find(({ name }) => name === value.json) ?? {};
          return { name: value.name, key: value.name, number: value.number, docs, deprecated };
        }),
    };
  }

  #field(
    { model }: WireMessageDef,
    { jsonName, proto, type, oneof, mapping }: WireFieldDef,
  ): FieldDef {
    const isNeeded =
      mapping.kind === "path"
        ? mapping.presence === "required" &&
          mapping.when === undefined &&
          jsonZero(type, this.#wire) === undefined
        : neededIds(this.#shapes, model, mapping).length > 0;
    return {
      name: jsonName,
      proto,
      docs: this.#docs(model, mapping),
      deprecated: false,
      type:
        mapping.kind === "path"
          ? this.#narrowed(type, mapping.type)
          : resourceType(this.#shapes, model, mapping),
      presence: isNeeded && oneof === undefined ? "required" : "optional",
      nonEmpty: false,
      ...(oneof !== undefined && { oneof }),
    };
  }

  #docs(model: ValueType, mapping: WireFieldDef["mapping"]): string {
    if (mapping.kind === "unmapped") return "";
    if (mapping.kind === "path")
      return mapping.path.length === 0 ? "" : docsAt(this.#shapes, model, mapping.path);
    return `A name such as ${mapping.patterns.map((pattern) => `\`${pattern}\``).join(" or ")}.`;
  }

  /** Returns a oneof, marked as required if every value of the model sets one of its members. */
  #oneof({ model, fields }: WireMessageDef, oneof: OneofDef): OneofDef {
    const members = fields.filter((field) => field.oneof === oneof.name);
    const mappings = members.flatMap(({ mapping }) => (mapping.kind === "path" ? [mapping] : []));
    const [first] = mappings.map(({ path }) => path[0]);
    const isBelow = mappings.every(({ path }) => path.length > 1 && path[0] === first);
    const isNeeded =
      mappings.some(({ when }) => when !== undefined) ||
      (isBelow && first !== undefined && this.#shapes.at(model, [first])?.presence === "required");
    return { ...oneof, required: oneof.required || isNeeded };
  }

  /** Returns the type of a field, restricted if the model accepts fewer values. */
  #narrowed(type: ValueType, model: ValueType): ValueType {
    const resolved = this.#shapes.resolve(model);
    switch (type.kind) {
      case "message":
      case "enum":
        return { ...type, name: this.#nameOf(type.name) };
      case "list":
        return {
          ...type,
          element: this.#narrowed(type.element, resolved.kind === "list" ? resolved.element : any),
        };
      case "map":
        return {
          ...type,
          value: this.#narrowed(type.value, resolved.kind === "map" ? resolved.value : any),
        };
      case "scalar":
        if (resolved.kind === "literal" || resolved.kind === "enum") return model;
        return isLimited(resolved) ? { kind: "allOf", members: [type, model] } : type;
      default:
        return type;
    }
  }
}

const any: ValueType = { kind: "any" };

/** Returns whether a string or number has constraints. */
function isLimited(type: ValueType): boolean {
  if (type.kind === "string") return Object.keys(type).length > 1;
  return type.kind === "number" && Object.keys(type).length > 2;
}

/** Returns the type of a resource name, which is a string that matches one of its patterns. */
function resourceType(
  shapes: Shapes,
  model: ValueType,
  mapping: WireFieldDef["mapping"],
): ValueType {
  const needed = neededIds(shapes, model, mapping);
  const expressions =
    mapping.kind !== "resource"
      ? []
      : mapping.patterns.map((pattern) => expressionOf(pattern, needed));
  return {
    kind: "string",
    pattern: expressions.length === 1 ? `^${expressions[0]}$` : `^(${expressions.join("|")})$`,
  };
}

function expressionOf(pattern: string, needed: readonly string[]): string {
  const escaped = pattern.replaceAll(/[$()*+.?[\\\]^|](?![^{}]*\})/g, "\\$&");
  return escaped.replaceAll(/\{([^{}]+)\}/g, (_, path: string) =>
    needed.includes(path) ? "[^/]+" : "[^/]*",
  );
}

/** Returns the paths of those ids in a resource name that the model requires. */
export function neededIds(
  shapes: Shapes,
  model: ValueType,
  mapping: WireFieldDef["mapping"],
): string[] {
  if (mapping.kind !== "resource") return [];
  const paths = pathsIn(mapping.patterns[0] ?? "").filter(
    (path) => shapes.at(model, path)?.presence === "required",
  );
  return paths.map((path) => path.join("."));
}

/** Returns the doc comment of the property at a path, or an empty string. */
export function docsAt(
  shapes: Shapes,
  type: ValueType,
  [name, ...rest]: readonly string[],
): string {
  for (const alternative of shapes.alternatives(type)) {
    const field = shapes.message(alternative)?.fields.find((candidate) => candidate.name === name);
    if (field !== undefined)
      return rest.length === 0 ? field.docs : docsAt(shapes, field.type, rest);
  }
  return "";
}
