import { runtimeFolder } from "../emit/runtime-modules.js";
import type { RuntimeModule } from "../compiled/runtime-module.js";
import type { Assets, GenerateOptions, OutputFile } from "./contract.js";
import { endingOf, specifierFrom } from "./specifiers.js";
import { kitHeader, runtimeHeader } from "./headers.js";

/**
 * Returns the modules of the runtime that files import, directly or indirectly, by path below their
 * folder.
 */
export function runtimeFiles(
  imported: readonly string[],
  runtime: Assets["runtime"],
  { importExtension }: Pick<GenerateOptions, "importExtension">,
): OutputFile[] {
  const done = new Map<string, OutputFile>();
  const queue = imported.flatMap((module) =>
    module.startsWith(runtimeFolder) ? [module.slice(runtimeFolder.length)] : [],
  );
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (done.has(name)) continue;
    const module = runtime.get(name);
    if (module === undefined) throw new Error(`The runtime does not have a module ${name}`);
    const text = `${runtimeHeader(name)}\n\n${textOf(module, endingOf(importExtension))}`;
    done.set(name, { path: `${name}.ts`, text });
    queue.push(...module.imports.map((dependency) => dependency.module));
  }
  return [...done.values()];
}

/** Modules of the kit with their content, and the modules of the runtime that they import. */
export interface KitFiles {
  readonly files: readonly OutputFile[];
  readonly imports: readonly string[];
}

/**
 * Returns the modules of the kit that files import or export, directly or indirectly. The target
 * must plan all other modules of the output that these modules import.
 */
export function kitFiles(
  imported: readonly string[],
  kit: Assets["kit"],
  options: Pick<GenerateOptions, "importExtension">,
): KitFiles {
  const files = new Map<string, OutputFile>();
  const imports = new Set<string>();
  const queue = [...imported];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const module = kit.get(name);
    if (module === undefined || files.has(name)) continue;
    const path = `${name}.ts`;
    const text = withSpecifiers(module, (other) => specifierFrom(path, other, options));
    files.set(name, { path, text: `${kitHeader(name)}\n\n${text}` });
    const others = module.imports.map((dependency) => dependency.module);
    for (const other of others.filter((each) => each.startsWith(runtimeFolder))) imports.add(other);
    queue.push(...others);
  }
  return { files: [...files.values()], imports: [...imports] };
}

/** The extension of the specifiers of runtime modules in their source. */
const sourceEnding = ".js";

/**
 * Returns the text of a module in which imports of other runtime modules have the given extension.
 */
function textOf(module: RuntimeModule, ending: string): string {
  const { text } = module;
  const at = new Map(
    module.imports.map(({ module: name, start, end }) => [name, text.slice(start, end)]),
  );
  return withSpecifiers(
    module,
    (name) => `${at.get(name)?.slice(0, -sourceEnding.length) ?? name}${ending}`,
  );
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
