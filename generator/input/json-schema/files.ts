import { posix } from "node:path";
import { isRecord } from "../../../support/values.js";
import type { SourceText } from "../source-text.js";

/** A file of a schema. */
export interface SchemaFile {
  /** Path relative to the folder of the main file, with slashes. */
  readonly path: string;
  readonly source: SourceText;
  /** The `$id` of the file, as an absolute URI if possible. */
  readonly id: string | undefined;
}

/**
 * Returns the text of a file, by its path relative to the folder of the main file; `undefined` if
 * the file does not exist, or if reading it is not allowed.
 */
export type ReadReference = (path: string) => SourceText | undefined;

/**
 * Returns the main file of a schema and the files that it refers to, directly or indirectly. Skips
 * files that do not exist.
 */
export function schemaFiles(main: SourceText, read: ReadReference): SchemaFile[] {
  const first = fileOf(posix.basename(main.file.replaceAll("\\", "/")), main);
  const files = new Map([[first.path, first]]);
  for (const file of files.values()) {
    for (const reference of referencesIn(file.source.text)) {
      for (const path of pathsOf(reference, file)) {
        const source = files.has(path) ? undefined : read(path);
        if (source === undefined) continue;
        const found = fileOf(path, source);
        if (isReferredTo(found, reference, file)) files.set(path, found);
      }
    }
  }
  return [...files.values()];
}

/** Returns the file that a reference refers to, by its `$id` or by its path. */
export function fileAt(
  reference: string,
  from: SchemaFile,
  files: readonly SchemaFile[],
): SchemaFile | undefined {
  const uri = uriOf(reference, from.id);
  const named = uri === undefined ? undefined : files.find(({ id }) => id === uri);
  if (named !== undefined) return named;
  const paths = pathsOf(reference, from);
  return files.find((file) => paths.includes(file.path) && isReferredTo(file, reference, from));
}

/** Returns the absolute URI of a reference without its fragment; `undefined` if it has none. */
export function uriOf(reference: string, base: string | undefined): string | undefined {
  const [plain = ""] = reference.split("#");
  return URL.canParse(plain, base) ? new URL(plain, base).href : undefined;
}

/**
 * Returns the paths at which the file of a reference may be. A URI may refer to a file with the
 * same location relative to the `$id` of the referring file, or to a file next to the referring
 * file.
 */
export function pathsOf(reference: string, { path, id }: SchemaFile): string[] {
  const [plain = ""] = reference.split("#");
  if (plain === "") return [];
  const folder = posix.dirname(path);
  const below = (relative: string): string => posix.join(folder, decoded(relative));
  if (!isAbsolute(plain)) return [below(plain)];
  const [uri, base] = [uriOf(plain, id), uriOf("", id)];
  if (uri === undefined) return [];
  const [target, own] = [new URL(uri), base === undefined ? undefined : new URL(base)];
  const isNear = own?.origin === target.origin && own.protocol.startsWith("http");
  const near = isNear ? [below(posix.relative(posix.dirname(own.pathname), target.pathname))] : [];
  return [...new Set([...near, below(posix.basename(target.pathname))])];
}

/**
 * Returns whether a file at the path of a reference is meant. For a URI, the file must have this
 * `$id`.
 */
function isReferredTo({ id }: SchemaFile, reference: string, from: SchemaFile): boolean {
  const [plain = ""] = reference.split("#");
  return !isAbsolute(plain) || id === uriOf(plain, from.id);
}

function isAbsolute(reference: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\/)/i.test(reference);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function fileOf(path: string, source: SourceText): SchemaFile {
  const value = parsed(source.text);
  const id = isRecord(value) && typeof value["$id"] === "string" ? value["$id"] : undefined;
  return { path, source, id: id === undefined ? undefined : (uriOf(id, undefined) ?? id) };
}

/** Returns the values of all members `$ref` in a text; empty if the text is not JSON. */
function referencesIn(text: string): string[] {
  const found = new Set<string>();
  const waiting: unknown[] = [parsed(text)];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    if (isRecord(value) && typeof value["$ref"] === "string") found.add(value["$ref"]);
    for (const member of Object.values(value)) waiting.push(member);
  }
  return [...found];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}
