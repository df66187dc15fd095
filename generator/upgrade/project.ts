import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type * as morph from "ts-morph";
import type { FileSystemHost, Project, ts } from "ts-morph";
import { InputError } from "../diagnostics.js";
import { placeIn } from "../json-text.js";

/** Texts in place of files, by absolute path with slashes; `undefined` for a file that is taken as absent. */
export type Overlay = ReadonlyMap<string, string | undefined>;

/** The TypeScript of a project, with a type checker. */
export interface Checked {
  readonly ts: typeof ts;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  /** The files that belong to the user: neither declarations nor below the output folder. */
  readonly files: readonly ts.SourceFile[];
}

/** Where the TypeScript of a project is. */
export interface ProjectPaths {
  /** The `tsconfig.json`; without one, every TypeScript file below `folder` counts. */
  readonly tsconfig: string | undefined;
  readonly folder: string;
  /** The output folder. */
  readonly out: string;
}

/** Finds the `tsconfig.json` in a folder or the nearest one above it. */
export function findTsconfig(folder: string): string | undefined {
  const found = join(folder, "tsconfig.json");
  if (existsSync(found)) return found;
  return dirname(folder) === folder ? undefined : findTsconfig(dirname(folder));
}

/** A project that can be looked at with other texts in its files. */
export interface LoadedProject {
  readonly checked: Checked;
  /** The project with some of its files replaced, added or taken away. What was looked at before is of no use then. */
  readonly with: (overlay: Overlay) => Checked;
}

/** Loads the TypeScript of a project. Throws an `InputError` for a `tsconfig.json` that cannot be read. */
export async function loadProject(paths: ProjectPaths): Promise<LoadedProject> {
  const compiler = await import("ts-morph");
  const overlay = new Map<string, string | undefined>();
  const fileSystem = overlaid(new compiler.Project({ skipLoadingLibFiles: true }).getFileSystem(), overlay);
  const project = openProject(compiler, fileSystem, paths);
  const output = `${slashed(paths.out)}/`;
  const check = (): Checked => {
    const program = project.getProgram().compilerObject;
    const files = project
      .getSourceFiles()
      .map(({ compilerNode }) => compilerNode)
      .filter(
        ({ fileName, isDeclarationFile }) =>
          !isDeclarationFile && !fileName.startsWith(output) && !fileName.includes("/node_modules/"),
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
  if (tsconfig !== undefined) {
    const text = readFileSync(tsconfig, "utf8");
    const { error } = compiler.readConfigFile(tsconfig, () => text);
    if (error === undefined) return new ProjectClass({ fileSystem, tsConfigFilePath: tsconfig });
    const problem = compiler.flattenDiagnosticMessageText(error.messageText, " ").replace(/\.$/, "");
    const place = placeIn(relative(folder, tsconfig), text, error.start ?? 0);
    throw new InputError({ place, problem, remedy: "Correct it, or name another project behind --tsconfig" });
  }
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = compiler;
  const compilerOptions = {
    strict: true,
    target: ScriptTarget.ES2022,
    module: ModuleKind.NodeNext,
    moduleResolution: ModuleResolutionKind.NodeNext,
  };
  const project = new ProjectClass({ fileSystem, compilerOptions });
  const below = slashed(folder);
  project.addSourceFilesAtPaths([`${below}/**/*.{ts,tsx,mts,cts}`, `!${below}/**/node_modules/**`]);
  return project;
}

/** A path with slashes, as the compiler has it. */
export function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** A file system that has other texts in some places, and cannot be written to. */
function overlaid(real: FileSystemHost, overlay: Overlay): FileSystemHost {
  const refuse = (): never => {
    throw new Error("The project is only read");
  };
  const has = (path: string): boolean =>
    overlay.has(path) ? overlay.get(path) !== undefined : real.fileExistsSync(path);
  const read = (path: string, encoding?: string): string => overlay.get(path) ?? real.readFileSync(path, encoding);
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
