import type { Manifest } from "../model/manifest.js";
import type { FieldDef, TypeDef } from "../model/types.js";

/**
 * Returns types with the hints of the manifest about deviations of peers: fields of a schema that peers omit, and fields
 * that peers send under another name.
 */
export function withFieldHints(types: readonly TypeDef[], manifest: Manifest, packageName: string): TypeDef[] {
  const { maybeEmpty = [], fieldAliases = {} } = manifest;
  const prefix = packageName === "" ? "" : `${packageName}.`;
  return types.map((type) => {
    if (type.kind !== "message") return type;
    const owner = type.fullName.startsWith(prefix) ? type.fullName.slice(prefix.length) : type.fullName;
    const hinted = (field: FieldDef): FieldDef => {
      const key = `${owner}.${field.name}`;
      const isMaybeEmpty = field.presence === "required" && field.proto === undefined && maybeEmpty.includes(key);
      const alias = Object.hasOwn(fieldAliases, key) ? fieldAliases[key] : undefined;
      return { ...field, ...(isMaybeEmpty && { maybeEmpty: true }), ...(alias !== undefined && { alias }) };
    };
    return { ...type, fields: type.fields.map(hinted) };
  });
}
