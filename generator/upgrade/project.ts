import { dirname, join } from "node:path";
import { existsSync } from "node:fs";
import type { FileSystemHost, Project, ts } from "ts-morph";

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

/** Loads the TypeScript of a project, with some of its files replaced. */
export async function loadProject(paths: ProjectPaths, overlay: Overlay): Promise<Checked> {
  const morph = await import("ts-morph");
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = morph.ts;
  const fileSystem = overlaid(new morph.Project({ useInMemoryFileSystem: false }).getFileSystem(), overlay);
  const { tsconfig, folder, out } = paths;
  const project: Project =
    tsconfig === undefined
      ? new morph.Project({
          fileSystem,
          compilerOptions: {
            strict: true,
            target: ScriptTarget.ES2022,
            module: ModuleKind.NodeNext,
            moduleResolution: ModuleResolutionKind.NodeNext,
          },
        })
      : new morph.Project({ fileSystem, tsConfigFilePath: tsconfig });
  if (tsconfig === undefined)
    project.addSourceFilesAtPaths([
      `${slashed(folder)}/**/*.{ts,tsx,mts,cts}`,
      `!${slashed(folder)}/**/node_modules/**`,
    ]);
  const program = project.getProgram().compilerObject;
  const output = `${slashed(out)}/`;
  const files = project
    .getSourceFiles()
    .map(({ compilerNode }) => compilerNode)
    .filter(
      ({ fileName, isDeclarationFile }) =>
        !isDeclarationFile && !fileName.startsWith(output) && !fileName.includes("/node_modules/"),
    );
  return { ts: morph.ts, program, checker: program.getTypeChecker(), files };
}

/** A path with slashes, as the compiler has it. */
export function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** A file system that has other texts in some places, and cannot be written to. */
function overlaid(real: FileSystemHost, overlay: Overlay): FileSystemHost {
  const folders = new Set([...overlay].flatMap(([path, text]) => (text === undefined ? [] : foldersOf(path))));
  const refuse = (): never => {
    throw new Error("The project is only read");
  };
  const has = (path: string): boolean =>
    overlay.has(path) ? overlay.get(path) !== undefined : real.fileExistsSync(path);
  const read = (path: string, encoding?: string): string => overlay.get(path) ?? real.readFileSync(path, encoding);
  const isFolder = (path: string): boolean => folders.has(path) || real.directoryExistsSync(path);
  return {
    isCaseSensitive: () => real.isCaseSensitive(),
    readDirSync(path) {
      const found = real.directoryExistsSync(path) ? real.readDirSync(path) : [];
      const kept = found.filter(({ name, isFile }) => !isFile || has(name));
      const known = new Set(kept.map(({ name }) => name));
      const entry = { isSymlink: false };
      const added = [...overlay].flatMap(([name, text]) =>
        text !== undefined && dirname(name) === path && !known.has(name)
          ? [{ ...entry, name, isFile: true, isDirectory: false }]
          : [],
      );
      const inner = [...folders]
        .filter((name) => dirname(name) === path && !known.has(name))
        .map((name) => ({ ...entry, name, isFile: false, isDirectory: true }));
      return [...kept, ...added, ...inner];
    },
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

function foldersOf(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersOf(above)];
}
