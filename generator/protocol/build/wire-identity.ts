import type {
  AliasDef,
  EnumDef,
  FieldDef,
  MessageDef,
  TypeDef,
  WireDef,
  WireFieldDef,
  WireMessageDef,
} from "../model/types.js";

/**
 * Returns the messages and enums of a protocol that was read from a proto. Each of them represents
 * the model type with the same name.
 */
export function protoJsonWire(types: readonly TypeDef[], protoPackage: string): WireDef {
  return {
    package: protoPackage,
    isProtoJson: true,
    messages: types.flatMap((type) => {
      if (type.kind === "message") return [messageOf(type)];
      return type.kind === "alias" ? (wellKnownOf(type) ?? []) : [];
    }),
    enums: types.flatMap((type) => (type.kind === "enum" ? [enumOf(type)] : [])),
  };
}

function messageOf(message: MessageDef): WireMessageDef {
  const { name, fullName, oneofs } = message;
  const fields = message.fields.flatMap((field) => fieldOf(field) ?? []);
  return { name, fullName, model: { kind: "message", name }, constants: {}, fields, oneofs };
}

/**
 * Returns the message of a well-known type, which is required if an rpc uses the type as its
 * request or response.
 */
function wellKnownOf({ name, fullName, type }: AliasDef): WireMessageDef | undefined {
  if (type.kind !== "wellKnown" && type.kind !== "wrapper") return undefined;
  return {
    name,
    fullName,
    model: { kind: "alias", name },
    wellKnown: type,
    constants: {},
    fields: [],
    oneofs: [],
  };
}

function fieldOf({ name, proto, type, presence, oneof }: FieldDef): WireFieldDef | undefined {
  if (proto === undefined) return undefined;
  const mapping = { kind: "path", path: [name], presence, type } as const;
  const carried = proto.hasPresence ? "optional" : presence;
  return {
    proto,
    jsonName: name,
    type,
    presence: carried,
    mapping,
    ...(oneof !== undefined && { oneof }),
  };
}

function enumOf({ name, fullName, values }: EnumDef): WireDef["enums"][number] {
  return {
    name,
    fullName,
    model: name,
    values: values.map((value) => ({
      json: value.name,
      name: value.name,
      number: value.number ?? 0,
    })),
  };
}
