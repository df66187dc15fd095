import protobuf from "protobufjs";
import { formatLocation, type Diagnostics, type Location } from "../../support/diagnostics.js";
import type { SourceText, SpecSource } from "../source.js";
import { checkDeclarations, isProto3 } from "./check.js";
import { isBuiltInImport } from "./known.js";
import { declareLibrary, declareWellKnown, libraryFiles } from "./library.js";
import { parserText } from "./parser-text.js";
import { TypeResolver, type ProtoType } from "./resolve.js";
import { scan, type Scan } from "./scan.js";
import { syntaxError } from "./syntax-error.js";
import { servicesIn, typesIn, withUsed } from "./types.js";

/** The parsed files of a specification. */
export interface ProtoFiles {
  /** The package of the main file. */
  readonly package: string;
  /** The messages and enums of all files, and those of Google's files that they use. */
  readonly types: readonly ProtoType[];
  readonly services: readonly protobuf.Service[];
  readonly resolver: TypeResolver;
  /** Whether all of the files are proto3. Others have features, which are resolved. */
  readonly isProto3: boolean;
  /** Returns the location of a declaration, by its full name without a leading dot. */
  readonly locationOf: (fullName: string) => Location | undefined;
}

/** Parses the main proto and its imports. Throws an `InputError` with all problems of the files. */
export function parseProtos(
  proto: SourceText,
  readImport: SpecSource["readImport"],
  diagnostics: Diagnostics,
): ProtoFiles {
  const parser = new Parser(readImport, diagnostics);
  parser.parse(proto);
  const { root } = parser;
  const [declared, services] = [typesIn(root), servicesIn(root)];
  declareWellKnown(root);
  const resolver = new TypeResolver(root, () => parser.declareBuiltIn());
  const types = withUsed(declared, services, resolver);
  const { isProto3 } = parser;
  if (!isProto3) root._resolveFeaturesRecursive("proto3");
  const locationOf = (fullName: string): Location | undefined => parser.locationOf(fullName);
  return { package: parser.package, types, services, resolver, isProto3, locationOf };
}

/** Parses files into one tree. */
class Parser {
  readonly root = new protobuf.Root();
  /** The package of the first file. */
  package = "";
  isProto3 = true;
  readonly #readImport: SpecSource["readImport"];
  readonly #diagnostics: Diagnostics;
  readonly #locations = new Map<string, Location>();
  readonly #parsed = new Set<string>();
  /** Built-in files that are imported, and not parsed: most of them only declare options. */
  readonly #builtIn = new Set<string>();

  constructor(readImport: SpecSource["readImport"], diagnostics: Diagnostics) {
    this.#readImport = readImport;
    this.#diagnostics = diagnostics;
  }

  locationOf(fullName: string): Location | undefined {
    return this.#locations.get(fullName);
  }

  /** Parses a file and its imports, without built-in ones. */
  parse(main: SourceText): void {
    const queue = [main];
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      if (this.#parsed.has(file.file)) continue;
      const isMain = this.#parsed.size === 0;
      this.#parsed.add(file.file);
      const scanned = scan(file.file, file.text);
      checkDeclarations(file, scanned, isMain, this.#diagnostics);
      if (!isProto3(scanned)) this.isProto3 = false;
      queue.push(...this.#importsOf(scanned));
      this.#locate(file, scanned);
      this.#diagnostics.throwIfAny();
      if (isMain) this.package = scanned.package;
      parseInto(this.root, file, scanned);
    }
  }

  /** Declares the types of the built-in files. */
  declareBuiltIn(): void {
    declareLibrary(this.root);
    this.isProto3 = false;
    for (const path of this.#builtIn) {
      const file = libraryFiles.has(path) ? undefined : this.#readImport(path);
      if (file !== undefined) this.parse(file);
    }
  }

  #importsOf({ imports }: Scan): SourceText[] {
    return imports.flatMap(({ path, location }) => {
      if (isBuiltInImport(path)) {
        this.#builtIn.add(path);
        return [];
      }
      // As for protoc, imports lead down: any file of the machine could be read, and quoted in messages, otherwise.
      if (path.split(/[/\\]/).includes("..")) {
        const hint = "Put the file below the folder of the main proto, and name it from there";
        this.#diagnostics.add(location, `the import "${path}" leads out of the folder of the main proto`, hint);
        return [];
      }
      const imported = this.#readImport(path);
      if (imported !== undefined) return [imported];
      const hint = "Put the file at that path, relative to the main proto";
      this.#diagnostics.add(location, `the import "${path}" is not there`, hint);
      return [];
    });
  }

  #locate({ file }: SourceText, scanned: Scan): void {
    const { package: name } = scanned;
    for (const { path, location } of scanned.declarations) {
      const fullName = name === "" ? path : `${name}.${path}`;
      const earlier = this.#locations.get(fullName);
      if (earlier !== undefined && earlier.file !== file) {
        const message = `"${fullName}" is declared in ${formatLocation(earlier)}, too`;
        this.#diagnostics.add(location, message, "Rename or remove one of them");
      }
      this.#locations.set(fullName, location);
    }
  }
}

function parseInto(root: protobuf.Root, { file, text }: SourceText, scanned: Scan): void {
  try {
    const options = { keepCase: true, alternateCommentMode: true, preferTrailingComment: false };
    protobuf.parse(parserText(text, scanned), root, options);
  } catch (error) {
    throw syntaxError(file, scanned, error instanceof Error ? error.message : String(error));
  }
}
