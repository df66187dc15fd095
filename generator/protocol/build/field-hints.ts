import type { Manifest } from "../model/manifest.js";
import type { FieldDef, TypeDef } from "../model/types.js";
import { withoutPackage } from "./docs.js";

/**
 * Returns types with the hints of the manifest about deviations of peers: fields of a schema that
 * peers omit, and fields that peers send under another name.
 */
export function withFieldHints(
  types: readonly TypeDef[],
  manifest: Manifest,
  packageName: string,
): TypeDef[] {
  const { maybeEmpty = [], fieldAliases = {} } = manifest;
  return types.map((type) => {
    if (type.kind !== "message") return type;
    const owner = withoutPackage(type.fullName, packageName);
    const hinted = (field: FieldDef): FieldDef => {
      const key = `${owner}.${field.name}`;
      const isMaybeEmpty =
        field.presence === "required" && field.proto === undefined && maybeEmpty.includes(key);
      const alias = Object.hasOwn(fieldAliases, key) ? fieldAliases[key] : undefined;
      return {
        ...field,
        ...(isMaybeEmpty && { maybeEmpty: true }),
        ...(alias !== undefined && { alias }),
      };
    };
    return { ...type, fields: type.fields.map(hinted) };
  });
}
