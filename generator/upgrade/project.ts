import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type * as morph from "ts-morph";
import type { FileSystemHost, Project, ts } from "ts-morph";
import { InputError } from "../../support/diagnostics.js";
import { loadOptional } from "../../support/optional-package.js";
import { locationIn } from "../../support/json-text.js";
import { isRecord } from "../../support/values.js";

/** New texts of files, by absolute path with slashes; `undefined` for a removed file. */
export type Overlay = ReadonlyMap<string, string | undefined>;

/** TypeScript files of a project, with a type checker. */
export interface Checked {
  readonly ts: typeof ts;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  /** Files of the user, without declaration files and files of the output. */
  readonly files: readonly ts.SourceFile[];
}

/** Paths of a TypeScript project. */
export interface ProjectPaths {
  /**
   * Path of the `tsconfig.json`. If it is absent, every TypeScript file below `folder` is included.
   */
  readonly tsconfig: string | undefined;
  readonly folder: string;
  /** Path of the output folder. */
  readonly out: string;
}

/** Finds the `tsconfig.json` in a folder or the nearest folder above it. */
export function findTsconfig(folder: string): string | undefined {
  const found = join(folder, "tsconfig.json");
  if (existsSync(found)) return found;
  return dirname(folder) === folder ? undefined : findTsconfig(dirname(folder));
}

/** A loaded project, which can be checked with changed files. */
export interface LoadedProject {
  readonly checked: Checked;
  /**
   * Returns the project with files replaced, added or removed. The call invalidates earlier
   * results.
   */
  readonly with: (overlay: Overlay) => Checked;
}

/** Loads a TypeScript project. Throws an `InputError` if a `tsconfig.json` cannot be read. */
export async function loadProject(paths: ProjectPaths): Promise<LoadedProject> {
  const compiler = await loadOptional("ts-morph", "`upgrade`", () => import("ts-morph"));
  const overlay = new Map<string, string | undefined>();
  const fileSystem = overlaid(
    new compiler.Project({ skipLoadingLibFiles: true }).getFileSystem(),
    overlay,
  );
  const project = openProject(compiler, fileSystem, paths);
  addUsers(project, fileSystem, paths);
  const output = `${slashed(paths.out)}/`;
  const check = (): Checked => {
    const program = project.getProgram().compilerObject;
    const files = project
      .getSourceFiles()
      .map(({ compilerNode }) => compilerNode)
      .filter(
        ({ fileName, isDeclarationFile }) =>
          !isDeclarationFile &&
          !fileName.startsWith(output) &&
          !fileName.includes("/node_modules/"),
      );
    return { ts: compiler.ts, program, checker: program.getTypeChecker(), files };
  };
  const replaced = (changes: Overlay): Checked => {
    for (const [path, text] of changes) {
      overlay.set(path, text);
      const file = project.getSourceFile(path);
      if (text === undefined) file?.forget();
      else if (file === undefined) project.addSourceFileAtPath(path);
      else file.refreshFromFileSystemSync();
    }
    return check();
  };
  return { checked: check(), with: replaced };
}

function openProject(
  { Project: ProjectClass, ts: compiler }: Pick<typeof morph, "Project" | "ts">,
  fileSystem: FileSystemHost,
  { tsconfig, folder }: ProjectPaths,
): Project {
  const [main, ...others] = tsconfig === undefined ? [] : configsOf(tsconfig, compiler, folder);
  if (main !== undefined) {
    const project = new ProjectClass({ fileSystem, tsConfigFilePath: main });
    for (const path of others) project.addSourceFilesFromTsConfig(path);
    return project;
  }
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = compiler;
  const compilerOptions = {
    strict: true,
    target: ScriptTarget.ES2022,
    module: ModuleKind.NodeNext,
    moduleResolution: ModuleResolutionKind.NodeNext,
  };
  const project = new ProjectClass({ fileSystem, compilerOptions });
  project.addSourceFilesAtPaths(sourcesBelow(folder));
  return project;
}

/**
 * Returns the `tsconfig.json` files of a project: the file itself or, if it does not include any
 * source files, the files that it references.
 */
function configsOf(
  path: string,
  compiler: typeof ts,
  folder: string,
  known = new Set<string>(),
): string[] {
  if (known.has(path)) return [];
  known.add(path);
  const text = readFileSync(path, "utf8");
  const read: { config?: unknown; error?: ts.Diagnostic } = compiler.readConfigFile(
    path,
    () => text,
  );
  const { config, error } = read;
  if (error !== undefined) {
    const message = compiler
      .flattenDiagnosticMessageText(error.messageText, " ")
      .replace(/\.$/, "");
    const location = locationIn(relative(folder, path), text, error.start ?? 0);
    throw new InputError({
      location,
      message,
      hint: "Correct it, or specify another project with --tsconfig",
    });
  }
  const { files, references } = isRecord(config) ? config : {};
  if (!Array.isArray(files) || files.length > 0 || !Array.isArray(references)) return [path];
  return references.flatMap((reference: unknown) => {
    const target =
      isRecord(reference) && typeof reference["path"] === "string" ? reference["path"] : undefined;
    if (target === undefined) return [];
    const found = resolve(dirname(path), target);
    const file = found.endsWith(".json") ? found : join(found, "tsconfig.json");
    return existsSync(file) ? configsOf(file, compiler, folder, known) : [];
  });
}

/** Adds files that import the output but that no `tsconfig.json` lists, such as tests. */
function addUsers(
  project: Project,
  fileSystem: FileSystemHost,
  { folder, out }: ProjectPaths,
): void {
  const output = `${slashed(out)}/`;
  for (const path of fileSystem.globSync(sourcesBelow(folder))) {
    if (path.startsWith(output) || project.getSourceFile(path) !== undefined) continue;
    const imported = [...fileSystem.readFileSync(path).matchAll(/\bfrom\s*["'](\.[^"']*)["']/g)];
    if (
      imported.some(([, name = ""]) =>
        `${slashed(resolve(dirname(path), name))}/`.startsWith(output),
      )
    )
      project.addSourceFileAtPath(path);
  }
}

function sourcesBelow(folder: string): string[] {
  const below = slashed(folder);
  return [`${below}/**/*.{ts,tsx,mts,cts}`, `!${below}/**/node_modules/**`, `!${below}/**/*.d.ts`];
}

/** Returns a path with slashes, in the form that the compiler uses. */
export function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** Returns a read-only file system with some files replaced. */
function overlaid(real: FileSystemHost, overlay: Overlay): FileSystemHost {
  const refuse = (): never => {
    throw new Error("The file system is read-only");
  };
  const has = (path: string): boolean =>
    overlay.has(path) ? overlay.get(path) !== undefined : real.fileExistsSync(path);
  const read = (path: string, encoding?: string): string =>
    overlay.get(path) ?? real.readFileSync(path, encoding);
  const isFolder = (path: string): boolean =>
    real.directoryExistsSync(path) ||
    [...overlay].some(([name, text]) => text !== undefined && name.startsWith(`${path}/`));
  return {
    isCaseSensitive: () => real.isCaseSensitive(),
    readDirSync: (path) => real.readDirSync(path),
    readFileSync: read,
    readFile: (path, encoding) => Promise.resolve(read(path, encoding)),
    fileExistsSync: has,
    fileExists: (path) => Promise.resolve(has(path)),
    directoryExistsSync: isFolder,
    directoryExists: (path) => Promise.resolve(isFolder(path)),
    realpathSync: (path) => (overlay.get(path) === undefined ? real.realpathSync(path) : path),
    getCurrentDirectory: () => real.getCurrentDirectory(),
    glob: (patterns) => real.glob(patterns),
    globSync: (patterns) => real.globSync(patterns),
    delete: refuse,
    deleteSync: refuse,
    writeFile: refuse,
    writeFileSync: refuse,
    mkdir: refuse,
    mkdirSync: refuse,
    move: refuse,
    moveSync: refuse,
    copy: refuse,
    copySync: refuse,
  };
}
