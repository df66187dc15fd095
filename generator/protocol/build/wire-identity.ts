import type { EnumDef, FieldDef, MessageDef, TypeDef, WireDef, WireFieldDef, WireMessageDef } from "../model/types.js";

/** Returns the messages and enums of a protocol that was read from a proto: each carries the type of its own name. */
export function protoJsonWire(types: readonly TypeDef[], protoPackage: string): WireDef {
  return {
    package: protoPackage,
    isProtoJson: true,
    messages: types.flatMap((type) => (type.kind === "message" ? [messageOf(type)] : [])),
    enums: types.flatMap((type) => (type.kind === "enum" ? [enumOf(type)] : [])),
  };
}

function messageOf(message: MessageDef): WireMessageDef {
  const { name, fullName, oneofs } = message;
  const fields = message.fields.flatMap((field) => fieldOf(field) ?? []);
  return { name, fullName, model: { kind: "message", name }, constants: {}, fields, oneofs };
}

function fieldOf({ name, proto, type, presence, oneof }: FieldDef): WireFieldDef | undefined {
  if (proto === undefined) return undefined;
  const place = { kind: "path", path: [name], presence, type } as const;
  return { proto, jsonName: name, type, presence, place, ...(oneof !== undefined && { oneof }) };
}

function enumOf({ name, fullName, values }: EnumDef): WireDef["enums"][number] {
  return {
    name,
    fullName,
    model: name,
    values: values.map((value) => ({ json: value.name, name: value.name, number: value.number ?? 0 })),
  };
}
