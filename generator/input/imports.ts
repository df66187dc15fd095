import { dirname, join, relative, resolve } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { isFile, isFolder } from "../../support/files.js";
import { hasParentStep, withSlashes } from "../../support/paths.js";
import { resolvesInto } from "../../support/real-path.js";
import type { SourceText, SpecSource } from "./source.js";

/** The files that a specification may import. */
export interface ImportOptions {
  /** Path of the main proto, and its text. */
  readonly proto: { readonly path: string; readonly text: string };
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
  const { proto, protoPaths, cwd, read } = options;
  const own = dirname(proto.path);
  const roots = protoPaths?.map((path) => folderAt(path, cwd)) ?? [];
  const folders = [
    ...new Set(protoPaths === undefined ? [own, rootOf(own, proto.text)] : [...roots, own]),
  ];
  const readImport = (path: string): SourceText | undefined => {
    if (hasParentStep(path)) return undefined;
    const folder = folders.find((candidate) => isFile(join(candidate, path)));
    if (folder === undefined) return undefined;
    const file = join(folder, path);
    if (resolvesInto(file, [...folders, cwd])) return read(file);
    const message =
      `the import "${path}" is a link to a file outside the folder of the main proto and the ` +
      "project";
    throw new InputError({
      location: { file: read(proto.path).file },
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

const packageStatement = /(?:^|;)\s*package\s+([\w.]+)\s*;/m;

/**
 * Returns the root of a file: the folder above the folders that repeat its package. The package may
 * begin with names that are not folders: the root of `api/v1/a.proto` with the package
 * `shop.api.v1` contains `api`.
 */
function rootOf(folder: string, text: string): string {
  const names = packageStatement.exec(text)?.[1]?.split(".") ?? [];
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
