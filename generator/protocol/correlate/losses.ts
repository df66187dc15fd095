import type { LossDef, ValueType, WirePlace } from "../types.js";
import type { Shapes } from "./shape.js";

/** A property that the proto has no place for. */
export function onlyJson(type: string, field: string): LossDef {
  const text = "Lost over gRPC and HTTP+JSON, which have no place for it.";
  return { type, field, bindings: ["rest", "grpc"], kind: "field", text };
}

/** A field of the proto that the schema has no place for. */
export function onlyProtobuf(message: string, field: string): LossDef {
  const text = "Only the proto has it: it is neither written nor read.";
  return { type: message, field, bindings: ["jsonrpc", "rest", "grpc"], kind: "field", text };
}

/** What a field that has a counterpart does not carry of it. */
export function lossesOfPlace(
  type: string,
  proto: { readonly type: ValueType; readonly presence: "required" | "optional" | "implicit" },
  place: WirePlace,
  shapes: Shapes,
): LossDef[] {
  if (place.kind !== "path" || place.path.length === 0) return [];
  const field = place.path.join(".");
  const losses: LossDef[] = [];
  const form = formOf(proto.type, shapes.resolve(place.type));
  if (form !== undefined) losses.push({ type, field, bindings: ["rest", "grpc"], kind: "form", text: form });
  const isLost = place.presence !== "required" && place.when === undefined && proto.presence !== "optional";
  const zero = isLost ? zeroOf(proto.type) : undefined;
  if (zero !== undefined) {
    const text = `Over gRPC, ${zero} arrives as if it were absent.`;
    losses.push({ type, field, bindings: ["grpc"], kind: "default", text });
  }
  return losses;
}

function formOf(proto: ValueType, model: ValueType): string | undefined {
  if (proto.kind === "wellKnown" && proto.wellKnown === "Timestamp")
    return "gRPC and HTTP+JSON carry RFC 3339 timestamps only, and bring them to UTC.";
  if (proto.kind === "scalar" && proto.scalar === "bytes")
    return "gRPC and HTTP+JSON carry base64 only, and bring it to the standard alphabet with padding.";
  if (proto.kind === "scalar" && proto.scalar === "int32" && model.kind === "number" && model.minimum === undefined)
    return "gRPC and HTTP+JSON carry integers of 32 bits only.";
  return undefined;
}

function zeroOf(type: ValueType): string | undefined {
  if (type.kind === "list") return "an empty list";
  if (type.kind === "map") return "an empty object";
  if (type.kind !== "scalar") return undefined;
  if (type.scalar === "bool") return "`false`";
  return type.scalar === "string" || type.scalar === "bytes" ? "an empty text" : "0";
}
