import type {
  LossDef,
  MessageDef,
  ScalarName,
  ValueType,
  WireEnumDef,
  WireFieldDef,
  WireMapping,
} from "../model/types.js";
import { pathsIn } from "./paths.js";
import type { Shapes } from "./shape.js";

type Bindings = LossDef["bindings"];

/** Returns the loss of a property without a counterpart in the proto. */
export function onlyJson(type: string, field: string): LossDef {
  const text = "Lost over gRPC and HTTP+JSON, which have no field for it.";
  return { type, field, bindings: ["rest", "grpc"], kind: "field", text };
}

/** Returns the loss of a field of the proto without a counterpart in the schema. */
export function onlyProtobuf(message: string, field: string): LossDef {
  const text = "Only the proto has it: it is neither written nor read.";
  return { type: message, field, bindings: ["jsonrpc", "rest", "grpc"], kind: "field", text };
}

const absentIsTrue = "Over gRPC and HTTP+JSON, it arrives as `true` if it is absent.";

/** A message of the proto, with the data that determines its losses. */
interface Carrier {
  /** The type that the message represents. */
  readonly model: ValueType;
  readonly fields: readonly WireFieldDef[];
}

/** The types that messages represent, and the correlated enums. */
interface Context {
  readonly shapes: Shapes;
  /** The enums of the proto that are correlated. */
  readonly enums: { get(name: string): WireEnumDef | undefined };
}

/** Returns the losses of the fields of a message. */
export function lossesOfMessage(carrier: Carrier, context: Context): LossDef[] {
  const { shapes } = context;
  return [
    ...carrier.fields.flatMap((field) => lossesOfField(field, carrier, context)),
    ...containersOf(carrier).flatMap((path) => lossesOfContainer(path, carrier.model, shapes)),
    ...oneofsOf(carrier).flatMap((paths) => lossesOfChoice(paths, carrier.model, shapes)),
  ];
}

function lossesOfField(field: WireFieldDef, carrier: Carrier, context: Context): LossDef[] {
  const { mapping } = field;
  if (mapping.kind === "resource")
    return lossesOfResource(mapping.patterns[0] ?? "", field, carrier, context.shapes);
  if (mapping.kind !== "path" || mapping.path.length === 0) return [];
  if (isCarriedElsewhere(mapping.path, field, carrier)) return [];
  const losses: Omit<LossDef, "type" | "field">[] = [];
  const form = formOf(field.type, mapping.type, context.shapes);
  if (form !== undefined) losses.push({ bindings: ["rest", "grpc"], kind: "form", text: form });
  if (field.trueIfAbsent)
    losses.push({ bindings: ["rest", "grpc"], kind: "form", text: absentIsTrue });
  const isLost =
    !field.trueIfAbsent &&
    mapping.presence !== "required" &&
    mapping.when === undefined &&
    field.presence !== "optional";
  const zero = isLost ? zeroOf(field.type, context) : undefined;
  if (zero !== undefined) losses.push(absentOver(["grpc"], zero));
  const at = { path: mapping.path, when: mapping.when };
  return losses.flatMap((loss) => owned(loss, at, carrier.model, context.shapes));
}

/**
 * Returns the losses of ids in resource names. An id cannot contain a slash, and an empty id
 * arrives as absent.
 */
function lossesOfResource(
  pattern: string,
  field: WireFieldDef,
  carrier: Carrier,
  shapes: Shapes,
): LossDef[] {
  return pathsIn(pattern).flatMap((path) => {
    const isRequired = shapes.at(carrier.model, path)?.presence === "required";
    const limit = isRequired
      ? "it must not be empty or contain a slash"
      : "it must not contain a slash";
    const form = {
      bindings: ["rest", "grpc"],
      kind: "form",
      text: `Over gRPC and HTTP+JSON, ${limit}.`,
    } as const;
    const empty = absentOver(["rest", "grpc"], "an empty string");
    const losses = isRequired || isCarriedElsewhere(path, field, carrier) ? [form] : [form, empty];
    return losses.flatMap((loss) => owned(loss, { path }, carrier.model, shapes));
  });
}

/** Returns the paths of objects whose members are fields of the message itself. */
function containersOf(carrier: Carrier): (readonly string[])[] {
  const paths = carrier.fields.flatMap((field) => {
    const { mapping } = field;
    if (
      mapping.kind !== "path" ||
      mapping.when !== undefined ||
      isCarriedElsewhere(mapping.path, field, carrier)
    )
      return [];
    return mapping.path.slice(1).map((_, index) => mapping.path.slice(0, index + 1));
  });
  return [...new Map(paths.map((path) => [path.join("."), path])).values()];
}

/**
 * Returns the losses of an object whose members are fields of the message. The receiver only gets
 * such an object if one of its members is present.
 */
function lossesOfContainer(path: readonly string[], model: ValueType, shapes: Shapes): LossDef[] {
  const found = shapes.at(model, path);
  if (found === undefined) return [];
  const empty = absentOver(["rest", "grpc"], "an empty object");
  if (found.presence !== "required") return owned(empty, { path }, model, shapes);
  const mayBeEmpty = shapes
    .alternatives(found.type)
    .some((alternative) =>
      shapes.message(alternative)?.fields.every(({ presence }) => presence !== "required"),
    );
  const text = "gRPC and HTTP+JSON only carry it if it is not empty.";
  return mayBeEmpty
    ? owned({ bindings: ["rest", "grpc"], kind: "form", text }, { path }, model, shapes)
    : [];
}

/**
 * Returns the losses caused by optional ids in HTTP+JSON paths. Without these ids, the request has
 * no path.
 */
export function lossesOfRoute({ model, fields }: Carrier, path: string, shapes: Shapes): LossDef[] {
  const variables = [...path.matchAll(/\{([^{}=]+)/g)].map(([, name]) => name);
  const named = fields.filter(({ jsonName }) => variables.includes(jsonName));
  const ids = named.flatMap(({ mapping }) =>
    mapping.kind === "resource" ? pathsIn(mapping.patterns[0] ?? "") : [],
  );
  const optional = ids.filter((id) => shapes.at(model, id)?.presence !== "required");
  const text = "HTTP+JSON requires it, because it is a part of the path.";
  return optional.flatMap((id) =>
    owned({ bindings: ["rest"], kind: "form", text }, { path: id }, model, shapes),
  );
}

/**
 * Returns the losses for oneof members that are separate properties in JSON. A JSON value can
 * contain several of these members, but gRPC and HTTP+JSON transfer only one.
 */
function lossesOfChoice(
  paths: readonly (readonly string[])[],
  model: ValueType,
  shapes: Shapes,
): LossDef[] {
  const names = paths.map((path) => path.join(".")).join(", ");
  const text = `gRPC and HTTP+JSON only carry one of ${names}.`;
  const loss = { bindings: ["rest", "grpc"], kind: "form", text } as const;
  return paths.flatMap((path) => owned(loss, { path }, model, shapes));
}

/** Returns the paths of the members of each oneof that represents several properties. */
function oneofsOf({ fields }: Carrier): (readonly (readonly string[])[])[] {
  const names = new Set(fields.flatMap(({ oneof }) => oneof ?? []));
  const groups = [...names].map((name) =>
    fields.flatMap(({ oneof, mapping }) =>
      oneof === name &&
      mapping.kind === "path" &&
      mapping.when === undefined &&
      mapping.path.length > 0
        ? [mapping.path]
        : [],
    ),
  );
  return groups.filter((paths) => paths.length > 1);
}

/**
 * Returns whether another field represents an object that contains the value at `path`. In this
 * case, the losses of the value belong to that field.
 */
function isCarriedElsewhere(
  path: readonly string[],
  field: WireFieldDef,
  { fields }: Carrier,
): boolean {
  return fields.some(
    ({ mapping, proto }) =>
      proto.number !== field.proto.number &&
      mapping.kind === "path" &&
      mapping.when === undefined &&
      mapping.path.length < path.length &&
      mapping.path.every((key, index) => path[index] === key),
  );
}

/**
 * Returns a loss for each type that has the property at `path`. For a union, these types are the
 * alternatives with the property.
 */
function owned(
  loss: Omit<LossDef, "type" | "field">,
  {
    path,
    when,
  }: { readonly path: readonly string[]; readonly when?: (WireMapping & { kind: "path" })["when"] },
  model: ValueType,
  shapes: Shapes,
): LossDef[] {
  const isAffected = (message: MessageDef): boolean => {
    const constant = when && message.fields.find(({ name }) => name === when.key);
    return (
      when === undefined ||
      (constant !== undefined && shapes.constant(constant.type) === when.value)
    );
  };
  return shapes.alternatives(model).flatMap((alternative) => {
    const message = shapes.message(alternative);
    if (message === undefined || !isAffected(message) || shapes.at(alternative, path) === undefined)
      return [];
    return [{ type: message.name, field: path.join("."), ...loss }];
  });
}

function absentOver(bindings: Bindings, emptyValue: string): Omit<LossDef, "type" | "field"> {
  const over = bindings.includes("rest") ? "gRPC and HTTP+JSON" : "gRPC";
  return {
    bindings,
    kind: "default",
    text: `Over ${over}, ${emptyValue} arrives as if it were absent.`,
  };
}

/**
 * Returns a sentence about a constraint that protobuf imposes on a value but the schema does not;
 * `undefined` if no such constraint exists.
 */
function formOf(proto: ValueType, model: ValueType, shapes: Shapes): string | undefined {
  const resolved = shapes.resolve(model);
  if (proto.kind === "list")
    return resolved.kind === "list" ? formOf(proto.element, resolved.element, shapes) : undefined;
  if (proto.kind === "map")
    return resolved.kind === "map" ? formOf(proto.value, resolved.value, shapes) : undefined;
  if (proto.kind === "wellKnown") return wellKnownForms.get(proto.wellKnown);
  return proto.kind === "scalar" ? formOfScalar(proto.scalar, resolved) : undefined;
}

const wellKnownForms: ReadonlyMap<string, string> = new Map([
  ["Timestamp", "gRPC and HTTP+JSON only carry RFC 3339 timestamps, and convert them to UTC."],
  ["Duration", "gRPC and HTTP+JSON only carry durations in seconds, such as `1.5s`."],
]);

function formOfScalar(scalar: ScalarName, model: ValueType): string | undefined {
  if (scalar === "bytes")
    return (
      "gRPC and HTTP+JSON only carry base64, and convert it to the standard alphabet with " +
      "padding."
    );
  if (scalar === "float") return "gRPC and HTTP+JSON only carry 32-bit numbers, and round others.";
  const sign = scalar.startsWith("u") || scalar.startsWith("fixed") ? " without a sign" : "";
  if (scalar.endsWith("64")) return `gRPC and HTTP+JSON only carry 64-bit integers${sign}.`;
  if (!scalar.endsWith("32")) return undefined;
  const [least, most] = sign === "" ? [-(2 ** 31), 2 ** 31 - 1] : [0, 2 ** 32 - 1];
  const {
    integer = false,
    minimum = -Infinity,
    maximum = Infinity,
  } = model.kind === "number" ? model : {};
  const fits = integer && minimum >= least && maximum <= most;
  return fits ? undefined : `gRPC and HTTP+JSON only carry 32-bit integers${sign}.`;
}

function zeroOf(type: ValueType, { enums }: Context): string | undefined {
  if (type.kind === "list") return "an empty list";
  if (type.kind === "map") return "an empty object";
  if (type.kind === "enum") {
    const text = enums.get(type.name)?.values.find(({ number }) => number === 0)?.json;
    return text === undefined ? undefined : `\`${text}\``;
  }
  if (type.kind !== "scalar") return undefined;
  if (type.scalar === "bool") return "`false`";
  if (type.scalar.endsWith("64")) return "`0`";
  return type.scalar === "string" || type.scalar === "bytes" ? "an empty string" : "0";
}
