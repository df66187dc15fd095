import type { GenerateOptions } from "./contract.js";

const relativeImport = /^((?:import|export|\}) .*from "\.[^"]*)\.js";$/gm;

/** Gives relative imports the ending that the user chose. Each of them stands on a line of its own in every file. */
export function withExtension(text: string, { importExtension }: Pick<GenerateOptions, "importExtension">): string {
  if (importExtension === "js") return text;
  return text.replace(relativeImport, importExtension === "ts" ? '$1.ts";' : '$1";');
}

const runtimeImport = /^((?:import|export|\}) .*from ")(?:\.\/|(?:\.\.\/)+)runtime\/([^"]*";)$/gm;

/** Lets the file at `path` of the output import runtime modules from where the user wants them. */
export function withRuntime(text: string, path: string, { runtimeImport: folder }: GenerateOptions): string {
  if (folder === undefined) return text;
  const up = "../".repeat(path.split("/").length - 1);
  const prefix = folder.startsWith(".") ? (up + folder).replace(/^(\.\.\/)+\.\//, up) : folder;
  return text.replace(runtimeImport, (_, start: string, module: string) => `${start}${prefix}/${module}`);
}
