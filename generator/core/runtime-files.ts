import { runtimeFolder } from "../emit/runtime-modules.js";
import type { Assets, GenerateOptions, OutputFile } from "./contract.js";
import { endingOf } from "./files.js";

/** A module of the runtime, taken apart at the specifiers of its imports. */
export interface RuntimeModule {
  /** What it imports, as it stands there: `../base/json.js`, or `node:http`. */
  readonly specifiers: readonly string[];
  /** The text around the specifiers: one part more than there are of these. */
  readonly parts: readonly string[];
}

/**
 * Takes a module apart. All of its imports, and exports from other modules, come before its own declarations, each with
 * double quotes and a semicolon; comments may stand between them.
 */
export function readModule(text: string): RuntimeModule {
  const specifiers: string[] = [];
  const parts: string[] = [];
  let rest = 0;
  for (let at = skipBlank(text, 0); refersToModule(text, at); at = skipBlank(text, at)) {
    const open = text.indexOf('"', at);
    const end = text.indexOf(";", at);
    if (open < 0 || open > end) {
      at = end + 1;
      continue;
    }
    const close = text.indexOf('"', open + 1);
    specifiers.push(text.slice(open + 1, close));
    parts.push(text.slice(rest, open + 1));
    rest = close;
    at = text.indexOf(";", close) + 1;
  }
  return { specifiers, parts: [...parts, text.slice(rest)] };
}

/** The modules of the runtime among those that files import, and those that these import in turn. */
export function runtimeFiles(
  imported: readonly string[],
  runtime: Assets["runtime"],
  { generator, importExtension }: Pick<GenerateOptions, "generator" | "importExtension">,
): OutputFile[] {
  const done = new Map<string, OutputFile>();
  const queue = imported.flatMap((module) =>
    module.startsWith(runtimeFolder) ? [module.slice(runtimeFolder.length)] : [],
  );
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (done.has(name)) continue;
    const source = runtime.get(name);
    if (source === undefined) throw new Error(`There is no module ${name} in the runtime`);
    const module = readModule(source);
    const text = `// Part of a2a-codegen ${generator}. Do not edit.\n\n${textOf(module, endingOf(importExtension))}`;
    done.set(name, { path: `${runtimeFolder}${name}.ts`, text });
    queue.push(...dependenciesOf(name, module));
  }
  return [...done.values()];
}

const sourceEnding = ".js";

/** The text of a module whose imports of other modules of the runtime have an ending. */
function textOf({ specifiers, parts }: RuntimeModule, ending: string): string {
  const texts = specifiers.map((specifier) =>
    isRelative(specifier) ? specifier.slice(0, -sourceEnding.length) + ending : specifier,
  );
  return parts.map((part, index) => part + (texts[index] ?? "")).join("");
}

/** The modules of the runtime that a module imports. */
function dependenciesOf(name: string, { specifiers }: RuntimeModule): string[] {
  const folder = new URL(`file:///${name}`);
  return specifiers
    .filter(isRelative)
    .map((specifier) => new URL(specifier, folder).pathname.slice(1, -sourceEnding.length));
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith(".");
}

/** Tells whether a statement imports something, or exports what is not declared in it. */
function refersToModule(text: string, at: number): boolean {
  if (text.startsWith("import ", at)) return true;
  return ["export {", "export * ", "export type {"].some((start) => text.startsWith(start, at));
}

/** The position behind white space and comments. */
function skipBlank(text: string, start: number): number {
  let at = start;
  for (;;) {
    if (text.startsWith("//", at)) at = text.indexOf("\n", at);
    else if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 2;
    else if (text.charAt(at).trim() === "" && at < text.length) at += 1;
    else return at;
  }
}
