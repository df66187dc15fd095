import { dirname, join, relative, resolve } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { isFile, isFolder } from "../../support/files.js";
import { hasParentStep, withSlashes } from "../../support/paths.js";
import { resolvesInto } from "../../support/real-path.js";
import type { SourceText, SpecSource } from "./source.js";

/** The files that a specification may import. */
export interface ImportOptions {
  /** Paths of the main protos, and their texts. */
  readonly protos: readonly { readonly path: string; readonly text: string }[];
  /** Folders to search first and last, unless `protoPaths` specifies the folders. */
  readonly roots?: { readonly first: readonly string[]; readonly last: readonly string[] };
  /** Paths of the folders that imports are relative to. */
  readonly protoPaths: readonly string[] | undefined;
  /** Folder that the paths in messages are relative to. */
  readonly cwd: string;
  readonly read: (path: string) => SourceText;
}

/**
 * Returns the functions of a specification that find its imports. As with protoc, imports are
 * relative to a root. Without `protoPaths`, the root is the folder above the main proto that its
 * package determines. Imports next to the main proto are always found.
 */
export function importsOf(
  options: ImportOptions,
): Pick<SpecSource, "readImport" | "importFolders"> {
  const { protos, roots = { first: [], last: [] }, protoPaths, cwd, read } = options;
  const own = protos.map(({ path }) => dirname(path));
  const given = protoPaths?.map((path) => folderAt(path, cwd));
  const usual = [...roots.first, ...own, ...protos.map(rootOf), ...roots.last];
  const folders = [...new Set(given === undefined ? usual : [...given, ...own])];
  const readImport = (path: string): SourceText | undefined => {
    if (hasParentStep(path)) return undefined;
    const folder = folders.find((candidate) => isFile(join(candidate, path)));
    if (folder === undefined) return undefined;
    const file = join(folder, path);
    if (resolvesInto(file, [...folders, cwd])) return read(file);
    const message =
      `the import "${path}" is a link to a file outside the folder of the main proto and the ` +
      "project";
    const [main] = protos;
    throw new InputError({
      ...(main && { location: { file: read(main.path).file } }),
      message,
      hint: "Replace the link with the file",
    });
  };
  return {
    readImport,
    importFolders: folders.map((folder) => withSlashes(relative(cwd, folder)) || "."),
  };
}

function folderAt(path: string, cwd: string): string {
  const folder = resolve(cwd, path);
  if (isFolder(folder)) return folder;
  const message = `the folder "${path}" of imports does not exist`;
  throw new InputError({
    message,
    hint: "Correct --proto-path, or `protoPaths` in the configuration",
  });
}

const packageStatement = /(?:^|;|\*\/)\s*package\s+([\w.]+)\s*;/m;

/** Returns the package that the text of a proto declares. */
export function packageIn(text: string): string | undefined {
  return packageStatement.exec(text)?.[1];
}

/**
 * Returns the root of a file: the folder above the folders that repeat its package. The package may
 * begin with names that are not folders: the root of `api/v1/a.proto` with the package
 * `shop.api.v1` contains `api`.
 */
export function rootOf({ path, text }: { readonly path: string; readonly text: string }): string {
  const folder = dirname(path);
  const names = packageIn(text)?.split(".") ?? [];
  const steps = withSlashes(folder).split("/");
  const lengths = names.map((_, index) => names.length - index);
  const length =
    lengths.find((count) => names.slice(-count).join() === steps.slice(-count).join()) ?? 0;
  return resolve(folder, ...Array.from({ length }, () => ".."));
}

/**
 * Returns the function that reads the files to which a JSON Schema refers. Files must be below the
 * folder of the schema or below the project, after symbolic links are resolved.
 */
export function referencesOf(
  schema: string,
  { cwd, read }: Pick<ImportOptions, "cwd" | "read">,
): NonNullable<SpecSource["readReference"]> {
  const folder = dirname(schema);
  return (path) => {
    const file = join(folder, path);
    return !path.includes("\0") && resolvesInto(file, [folder, cwd]) && isFile(file)
      ? read(file)
      : undefined;
  };
}
