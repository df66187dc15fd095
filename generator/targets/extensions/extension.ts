import type { Protocol } from "../../protocol/model/types.js";
import { Imports } from "../../emit/imports.js";
import type { FilePlan } from "../../emit/plan.js";
import { typeRef, valueRef } from "../../emit/symbols.js";
import { docOf, quote } from "../../emit/text.js";
import { camelCase, constantFor } from "../../../support/names.js";

/** Description of an extension. */
export interface ExtensionFacts {
  readonly uri: string;
  /** The name of the type of its values. */
  readonly type: string;
  readonly description?: string;
}

/**
 * Plans the module that users import for an extension. It exports the types, the validators, and
 * the extension itself.
 */
export function extensionFile(
  { uri, type, description }: ExtensionFacts,
  { types }: Protocol,
  { folder, kit }: { readonly folder: string; readonly kit: string },
): FilePlan {
  const name = constantFor(camelCase(type));
  const options = `${name}Options`;
  const imports = new Imports(`${folder}/index.ts`, [name, options]);
  const root = types.find(({ fullName }) => fullName === type)?.name ?? type;
  for (const module of ["models", "validators"]) imports.reexportAll(`${folder}/${module}`);
  return imports.plan("extensions/extension", {
    name,
    options,
    docs: docOf(description ?? `The extension ${uri}`),
    uri: quote(uri),
    description: description === undefined ? "" : quote(description),
    schema: imports.value(valueRef(`${folder}/validators`, `${root}Schema`)),
    type: imports.type(typeRef(`${folder}/models`, root)),
    extension: imports.value(valueRef(kit, "extension")),
    Extension: imports.type(typeRef(kit, "Extension")),
  });
}
