import { runtimeFolder } from "../emit/runtime-modules.js";
import type { RuntimeModule } from "../compiled/runtime-module.js";
import type { Assets, GenerateOptions, OutputFile } from "./contract.js";
import { endingOf } from "./files.js";
import { runtimeHeader } from "./headers.js";

/** Returns the modules of the runtime among those that files import, and their imports, by paths below their folder. */
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
    if (module === undefined) throw new Error(`There is no module ${name} in the runtime`);
    const text = `${runtimeHeader(name)}\n\n${textOf(module, endingOf(importExtension))}`;
    done.set(name, { path: `${name}.ts`, text });
    queue.push(...module.imports.map((dependency) => dependency.module));
  }
  return [...done.values()];
}

/** What the specifiers of modules of the runtime end in where they are written. */
const sourceEnding = ".js";

/** Returns the text of a module whose imports of other modules of the runtime have an ending. */
function textOf({ text, imports }: RuntimeModule, ending: string): string {
  let result = "";
  let rest = 0;
  for (const { end } of imports) {
    result += text.slice(rest, end - sourceEnding.length) + ending;
    rest = end;
  }
  return result + text.slice(rest);
}
