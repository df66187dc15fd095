import protobuf from "protobufjs";
import { formatLocation, type Diagnostics, type Location } from "../../support/diagnostics.js";
import type { SourceText, SpecSource } from "../source.js";
import { checkDeclarations } from "./check.js";
import { markComments } from "./comments.js";
import { resolveEscapes } from "./escapes.js";
import { hideInherited } from "./inherited-name.js";
import { isBuiltInImport } from "./known.js";
import { scan, type Scan } from "./scan.js";
import { syntaxError } from "./syntax-error.js";

/** The parsed files of a specification. */
export interface ProtoFiles {
  readonly root: protobuf.Root;
  /** The package of the main file. */
  readonly package: string;
  /** Returns the location of a declaration, by its full name without a leading dot. */
  readonly locationOf: (fullName: string) => Location | undefined;
}

/** Parses the main proto and its imports. Throws an `InputError` with all problems of the files. */
export function parseProtos(
  proto: SourceText,
  readImport: SpecSource["readImport"],
  diagnostics: Diagnostics,
): ProtoFiles {
  const root = new protobuf.Root();
  const locations = new Map<string, Location>();
  const done = new Set<string>();
  const queue: SourceText[] = [proto];
  let mainPackage = "";
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (done.has(file.file)) continue;
    done.add(file.file);
    const scanned = scan(file.file, file.text);
    checkDeclarations(file.file, file.text, scanned, diagnostics);
    for (const { path, location } of scanned.imports) {
      if (isBuiltInImport(path)) continue;
      const imported = readImport(path);
      if (imported !== undefined) queue.push(imported);
      else
        diagnostics.add(
          location,
          `the import "${path}" is not there`,
          "Put the file at that path, relative to the main proto",
        );
    }
    const name = packageOf(scanned);
    for (const { path, location } of scanned.declarations) {
      const fullName = name === "" ? path : `${name}.${path}`;
      const earlier = locations.get(fullName);
      if (earlier !== undefined && earlier.file !== file.file) {
        diagnostics.add(
          location,
          `"${fullName}" is declared in ${formatLocation(earlier)}, too`,
          "Rename or remove one of them",
        );
      }
      locations.set(fullName, location);
    }
    diagnostics.throwIfAny();
    parseInto(root, file, scanned);
    if (file === proto) mainPackage = name;
  }
  return { root, package: mainPackage, locationOf: (fullName) => locations.get(fullName) };
}

function packageOf({ statements }: Scan): string {
  return statements.find(({ tokens }) => tokens[0]?.text === "package")?.tokens[1]?.text ?? "";
}

function parseInto(root: protobuf.Root, { file, text }: SourceText, scanned: Scan): void {
  try {
    const options = { keepCase: true, alternateCommentMode: true, preferTrailingComment: false };
    protobuf.parse(markComments(resolveEscapes(hideInherited(text, scanned.tokens))), root, options);
  } catch (error) {
    throw syntaxError(file, scanned, error instanceof Error ? error.message : String(error));
  }
}
