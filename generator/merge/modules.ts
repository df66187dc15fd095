import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { ts } from "ts-morph";
import { withSlashes } from "../../support/paths.js";
import type { Modules } from "./types.js";

/** Output folder: its path, and the paths of the planned files in the folder. */
export interface OutputFolder {
  readonly out: string;
  readonly files: ReadonlySet<string>;
}

const forBundlers = { moduleResolution: ts.ModuleResolutionKind.Bundler };
const forNode = { moduleResolution: ts.ModuleResolutionKind.NodeNext };
const extension = /\.[cm]?[jt]sx?$/;

/**
 * Resolves the modules that a file of a project imports, with relative paths and with the project's
 * `tsconfig.json` and `package.json`. Planned files of the output count as existing files.
 */
export class ProjectModules implements Modules {
  readonly #file: string;
  readonly #output: OutputFolder;
  #configs: readonly ts.CompilerOptions[] | undefined;

  constructor(file: string, output: OutputFolder) {
    this.#file = file;
    this.#output = output;
  }

  moduleOf(specifier: string): string | undefined {
    if (!specifier.startsWith(".")) {
      const found = this.#resolve(specifier);
      return found === undefined ? undefined : this.#moduleAt(found);
    }
    const folders = [dirname(this.#file), dirname(realPath(this.#file))];
    const modules = folders.map((folder) => this.#moduleAt(resolve(folder, specifier)));
    return modules.find((module) => module !== undefined);
  }

  read(specifier: string): { file: string; text: string; modules: Modules } | undefined {
    const path = this.#resolve(specifier);
    if (path === undefined || path.split(sep).includes("node_modules") || !existsSync(path))
      return undefined;
    return {
      file: path,
      text: readFileSync(path, "utf8"),
      modules: new ProjectModules(path, this.#output),
    };
  }

  /**
   * Returns the module of the output folder at a path, with or without extension, or of a folder.
   */
  #moduleAt(path: string): string | undefined {
    const { out, files } = this.#output;
    const names = [out, realPath(out)].map((folder) => withSlashes(relative(folder, path)));
    const candidates = names.flatMap((name) => [
      name.replace(extension, ""),
      name,
      name === "" ? "index" : `${name}/index`,
    ]);
    return candidates.find((candidate) => files.has(`${candidate}.ts`));
  }

  #resolve(specifier: string): string | undefined {
    // Bundlers also resolve imports without an extension.
    this.#configs ??= [...compilerOptions(dirname(this.#file)), forBundlers];
    const { out, files } = this.#output;
    const host: ts.ModuleResolutionHost = {
      ...ts.sys,
      fileExists: (path) => files.has(withSlashes(relative(out, path))) || ts.sys.fileExists(path),
      directoryExists: () => true,
      realpath: realPath,
    };
    for (const options of this.#configs) {
      const { resolvedModule } = ts.resolveModuleName(specifier, this.#file, options, host);
      if (resolvedModule !== undefined) return resolvedModule.resolvedFileName;
    }
    return undefined;
  }
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/**
 * Returns the compiler options of the nearest `tsconfig.json`, and of the projects that it
 * references.
 */
function compilerOptions(folder: string): readonly ts.CompilerOptions[] {
  const path = ts.findConfigFile(folder, (file) => ts.sys.fileExists(file));
  return path === undefined ? [forNode] : optionsOf(path, new Set());
}

function optionsOf(path: string, visited: Set<string>): readonly ts.CompilerOptions[] {
  if (visited.has(path)) return [];
  visited.add(path);
  const read: { readonly config?: unknown } = ts.readConfigFile(path, (file) =>
    ts.sys.readFile(file),
  );
  // Do not list the project's files, which would be slow and is not required.
  const host: ts.ParseConfigHost = { ...ts.sys, readDirectory: () => [] };
  const folder = dirname(path);
  const parsed = ts.parseJsonConfigFileContent(read.config ?? {}, host, folder, undefined, path);
  const referred = (parsed.projectReferences ?? []).map((project) =>
    ts.resolveProjectReferencePath(project),
  );
  return [
    parsed.options,
    ...referred.filter((file) => existsSync(file)).flatMap((file) => optionsOf(file, visited)),
  ];
}
