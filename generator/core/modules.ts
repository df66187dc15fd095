import type { RuntimeModule } from "../compiled/runtime-module.js";
import { runtimeFolder } from "../emit/runtime-modules.js";
import type { Assets, GenerateOptions, OutputFile } from "./contract.js";
import { kitHeader, runtimeHeader } from "./headers.js";
import { importedBy, type OutputPlan } from "./plan-output.js";
import { specifierFrom } from "./specifiers.js";

/**
 * Returns the modules of the runtime and the kit that an output requires. Each module that a
 * planned file or a returned module imports is either planned itself or returned.
 */
export function collectModules(
  { files, kit }: Pick<OutputPlan, "files" | "kit">,
  assets: Pick<Assets, "runtime" | "kit">,
  options: Pick<GenerateOptions, "importExtension">,
): OutputFile[] {
  const required = new Set([...importedBy(files.map(({ plan }) => plan)), ...kit]);
  const found: OutputFile[] = [];
  // Iterating over a set includes the elements that are added during the iteration.
  for (const name of required) {
    const module = findModule(name, assets);
    // The plan contains all other modules.
    if (module === undefined) continue;
    const path = `${name}.ts`;
    const text = withSpecifiers(module, (imported) => specifierFrom(path, imported, options));
    found.push({ path, text: `${module.header}\n\n${text}` });
    for (const imported of module.imports) required.add(imported.module);
  }
  return found;
}

/** A module of the library. Its imports are paths below the output folder. */
interface LibraryModule extends RuntimeModule {
  readonly header: string;
}

function findModule(
  name: string,
  { runtime, kit }: Pick<Assets, "runtime" | "kit">,
): LibraryModule | undefined {
  if (!name.startsWith(runtimeFolder)) {
    const module = kit.get(name);
    return module && { ...module, header: kitHeader(name) };
  }
  const path = name.slice(runtimeFolder.length);
  const module = runtime.get(path);
  if (module === undefined) throw new Error(`The runtime does not have a module ${path}`);
  const imports = module.imports.map((imported) => {
    return { ...imported, module: runtimeFolder + imported.module };
  });
  return { text: module.text, imports, header: runtimeHeader(path) };
}

/** Returns the text of a module with replaced specifiers. */
function withSpecifiers(
  { text, imports }: RuntimeModule,
  specifierOf: (module: string) => string,
): string {
  let result = "";
  let rest = 0;
  for (const { module, start, end } of imports) {
    result += text.slice(rest, start) + specifierOf(module);
    rest = end;
  }
  return result + text.slice(rest);
}
