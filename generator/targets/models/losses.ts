import type {
  FieldDef,
  LossDef,
  MessageDef,
  Protocol,
  TypeDef,
  ValueType,
} from "../../protocol/model/types.js";

/**
 * Returns a type with doc comments that name, for each field, the bindings that do not support it
 * or only support some of its values.
 */
export function withLosses(type: TypeDef, protocol: Protocol): TypeDef {
  const losses = protocol.losses.filter((loss) => loss.type === type.name);
  if (type.kind !== "message" || losses.length === 0) return type;
  return {
    ...type,
    fields: type.fields.map((field) => fieldWithLosses(field, type, losses, protocol)),
  };
}

function fieldWithLosses(
  field: FieldDef,
  { fields }: MessageDef,
  losses: readonly LossDef[],
  protocol: Protocol,
): FieldDef {
  const texts = losses
    .filter((loss) => loss.kind !== "default" || showsDefault(field.type, protocol))
    .filter((loss) => loss.field === field.name || isWithin(loss.field, field.name, fields))
    .map((loss) => (loss.field === field.name ? loss.text : `\`${loss.field}\`: ${loss.text}`));
  const docs = [field.docs, ...new Set(texts)].filter((text) => text !== "").join("\n\n");
  return { ...field, docs };
}

/**
 * Returns whether a path starts with the name of a field. A field whose name equals the whole path
 * takes precedence.
 */
function isWithin(path: string, name: string, fields: readonly FieldDef[]): boolean {
  return path.startsWith(`${name}.`) && !fields.some((field) => field.name === path);
}

/**
 * Returns whether users may set the default of a type on purpose: zero and `false`, but not an
 * empty string.
 */
function showsDefault(type: ValueType, protocol: Protocol): boolean {
  switch (type.kind) {
    case "boolean":
    case "number":
      return true;
    case "scalar":
      return type.scalar !== "string" && type.scalar !== "bytes";
    case "alias": {
      const target = protocol.types.find(({ name }) => name === type.name);
      return (
        target?.kind === "alias" &&
        target.type.kind !== "alias" &&
        showsDefault(target.type, protocol)
      );
    }
    default:
      return false;
  }
}
