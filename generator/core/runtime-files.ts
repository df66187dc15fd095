import type { Assets, GenerateOptions, OutputFile } from "./contract.js";
import { runtimeHeader } from "./headers.js";
import { withExtension } from "./import-paths.js";

/** Returns the runtime modules of these names, and those that they import in turn, by paths below their folder. */
export function runtimeFiles(
  modules: readonly string[],
  runtime: Assets["runtime"],
  options: Pick<GenerateOptions, "importExtension">,
): OutputFile[] {
  const done = new Map<string, OutputFile>();
  const queue = [...modules];
  for (let module = queue.shift(); module !== undefined; module = queue.shift()) {
    if (done.has(module)) continue;
    const text = runtime.get(module);
    if (text === undefined) throw new Error(`There is no runtime module ${module}`);
    const headed = `${runtimeHeader(module)}\n\n${text}`;
    done.set(module, { path: `${module}.ts`, text: withExtension(headed, options) });
    queue.push(...importsOf(module, text));
  }
  return [...done.values()];
}

function importsOf(module: string, text: string): string[] {
  const folder = new URL(`file:///${module}`);
  return [...text.matchAll(/ from "(\.[^"]*)\.js";$/gm)].map(([, path = ""]) =>
    new URL(path, folder).pathname.slice(1),
  );
}
