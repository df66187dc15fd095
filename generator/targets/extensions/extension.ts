import type { Protocol } from "../../protocol/model/types.js";
import { Imports, isPlatform } from "../../emit/imports.js";
import type { FilePlan, Statement } from "../../emit/plan.js";
import { runtimeFolder } from "../../emit/runtime-modules.js";
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

/** Moves a planned file to a folder, together with its references to modules of the output. */
export function relocated(plan: FilePlan, folder: string): FilePlan {
  const moved = (statement: Statement): Statement => {
    const { module } = statement;
    const isElsewhere = isPlatform(module) || module.startsWith(runtimeFolder);
    return isElsewhere ? statement : { ...statement, module: `${folder}/${module}` };
  };
  const [imports, exports] = [plan.imports.map(moved), plan.exports.map(moved)];
  return { ...plan, path: `${folder}/${plan.path}`, imports, exports };
}
