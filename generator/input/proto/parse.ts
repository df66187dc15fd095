import protobuf from "protobufjs";
import {
  formatLocation,
  reasonOf,
  type Diagnostics,
  type Location,
} from "../../../support/diagnostics.js";
import { hasParentStep } from "../../../support/paths.js";
import type { SourceText, SpecSource } from "../source.js";
import { checkDeclarations, isProto3 } from "./check.js";
import { isBuiltInImport } from "./known.js";
import { fullNameOf } from "./parsed-names.js";
import { declareLibrary, declareWellKnown, isLibraryFile } from "./library.js";
import { parserText } from "./parser-text.js";
import { leaveOut } from "./recover.js";
import { TypeResolver, type ProtoType } from "./resolve.js";
import { packageOf } from "./type-names.js";
import { scan, type Scan } from "./scan.js";
import { syntaxError, type SyntaxError } from "./syntax-error.js";
import { servicesIn, typesIn, withUsed } from "./types.js";

/** The parsed files of a specification. */
export interface ProtoFiles {
  /** The package of the main files. */
  readonly package: string;
  /** The folders of the types that other outputs of the run declare, by their full names. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** The messages and enums of all files, and the types from Google's files that they use. */
  readonly types: readonly ProtoType[];
  readonly services: readonly protobuf.Service[];
  readonly resolver: TypeResolver;
  /** Whether all files are proto3. If not, the features of all files are resolved. */
  readonly isProto3: boolean;
  /** Returns the location of a declaration, by its full name without a leading dot. */
  readonly locationOf: (fullName: string) => Location | undefined;
}

/**
 * Parses the main protos, which have one package, and their imports. Reports errors, and returns the valid part.
 *
 * @throws InputError if further checks would only report consequences of these errors.
 */
export function parseProtos(
  protos: readonly SourceText[],
  source: ImportSource,
  diagnostics: Diagnostics,
): ProtoFiles {
  const parser = new Parser(source, diagnostics);
  parser.parse(protos);
  const { root } = parser;
  const { folders } = source;
  const isElsewhere = (packageName: string): boolean =>
    packageName !== parser.package && folders?.has(packageName) === true;
  const declared = typesIn(root);
  const services = servicesIn(root).filter((service) => !isElsewhere(packageOf(service)));
  declareWellKnown(root);
  const resolver = new TypeResolver(root, () => parser.declareBuiltIn());
  const types = withUsed(declared, services, resolver);
  const { isProto3 } = parser;
  if (!isProto3) root._resolveFeaturesRecursive("proto3");
  const locationOf = (fullName: string): Location | undefined => parser.locationOf(fullName);
  const elsewhere = types.flatMap((type) => {
    const name = packageOf(type);
    const folder = isElsewhere(name) ? folders?.get(name) : undefined;
    return folder === undefined ? [] : [[fullNameOf(type), folder] as const];
  });
  const found = { types, services, resolver, isProto3, locationOf };
  return { package: parser.package, elsewhere: new Map(elsewhere), ...found };
}

type ImportSource = Pick<SpecSource, "readImport" | "importFolders" | "folders">;

/** The maximum number of parser errors to find in a file. */
const mostErrors = 20;

/** Parses files into one tree. */
class Parser {
  root = new protobuf.Root();
  /** The package of the first file. */
  package = "";
  isProto3 = true;
  readonly #source: ImportSource;
  readonly #diagnostics: Diagnostics;
  readonly #locations = new Map<string, Location>();
  readonly #parsed = new Set<string>();
  /** The texts that were parsed into the tree. */
  readonly #texts: string[] = [];
  /**
   * Whether types are missing because of errors. In this case, references to unknown types are not
   * reported.
   */
  #isPartial = false;
  /** Built-in files that are imported but not parsed, because most of them only declare options. */
  readonly #builtIn = new Set<string>();

  constructor(source: ImportSource, diagnostics: Diagnostics) {
    this.#source = source;
    this.#diagnostics = diagnostics;
  }

  locationOf(fullName: string): Location | undefined {
    return this.#locations.get(fullName);
  }

  /** Parses files and their imports, except built-in files. */
  parse(mains: readonly SourceText[]): void {
    const isFirst = this.#parsed.size === 0;
    const names = new Set(isFirst ? mains.map(({ file }) => file) : []);
    const queue = [...mains];
    for (const file of queue) {
      if (this.#parsed.has(file.file)) continue;
      const isMain = names.has(file.file);
      this.#parsed.add(file.file);
      const scanned = scan(file.file, file.text);
      checkDeclarations(file, scanned, isMain, this.#diagnostics);
      if (!isProto3(scanned)) this.isProto3 = false;
      queue.push(...this.#importsOf(scanned));
      this.#locate(file, scanned);
      if (isMain) this.package = scanned.package;
      this.#parseInto(file, scanned);
    }
    if (this.#isPartial) this.#diagnostics.throwIfAny();
  }

  /** Adds a file to the tree. If parsing fails, skips the invalid statements. */
  #parseInto(file: SourceText, scanned: Scan): void {
    const error = parseText(this.root, file, scanned);
    const text =
      error === undefined ? parserText(file.text, scanned) : this.#recover(file, scanned, error);
    if (text === undefined) this.#isPartial = true;
    else this.#texts.push(text);
    // After an error, the tree may contain a part of the file.
    if (error !== undefined) this.root = this.#tree();
  }

  /**
   * Reports the errors in a file, and returns its text without the invalid statements for another
   * attempt. Returns `undefined` if no such text is found, or if the file has too many errors.
   */
  #recover(file: SourceText, scanned: Scan, first: SyntaxError): string | undefined {
    // Earlier checks may have reported errors in this file. Remove the invalid statements first, so
    // that the parser does not report the same errors again.
    const known = this.#diagnostics.found.flatMap(({ location }) =>
      location?.file === file.file ? [location] : [],
    );
    let [text, rest, error]: [string, Scan, SyntaxError | undefined] = [file.text, scanned, first];
    for (let count = 0; error !== undefined; count += 1) {
      const isKnown = count === 0 && known.length > 0;
      if (!isKnown) this.#diagnostics.add(error.location, error.message, error.hint);
      const left = leaveOut(text, rest.tokens, isKnown ? known : [error.location]);
      if (left === undefined || left.text === text || count === mostErrors) return undefined;
      if (left.hasTypes) this.#isPartial = true;
      text = left.text;
      rest = scan(file.file, text);
      error = parseText(this.#tree(), { ...file, text }, rest);
    }
    return parserText(text, rest);
  }

  /** Builds a tree from the parsed files. */
  #tree(): protobuf.Root {
    const root = new protobuf.Root();
    for (const text of this.#texts) protobuf.parse(text, root, parserOptions);
    return root;
  }

  /** Declares the types of the built-in files. */
  declareBuiltIn(): void {
    declareLibrary(this.root);
    this.isProto3 = false;
    for (const path of this.#builtIn) {
      const file = isLibraryFile(path) ? undefined : this.#source.readImport(path);
      if (file !== undefined) this.parse([file]);
    }
  }

  #importsOf({ imports }: Scan): SourceText[] {
    return imports.flatMap(({ path, location }) => {
      if (isBuiltInImport(path)) {
        this.#builtIn.add(path);
        return [];
      }
      // Like protoc, only accept imports below the folder. Otherwise, an import could read any file
      // on the machine, and error messages would quote it.
      if (hasParentStep(path)) {
        const hint =
          'Write the path without "..", relative to a folder above both files, and name that ' +
          "folder with --proto-path";
        this.#diagnostics.add(
          location,
          `the import "${path}" is outside the folder of the main proto`,
          hint,
        );
        this.#isPartial = true;
        return [];
      }
      const imported = this.#source.readImport(path);
      if (imported !== undefined) return [imported];
      const { importFolders = ["."] } = this.#source;
      const tried = importFolders
        .map((folder) => (folder === "." ? path : `${folder}/${path}`))
        .join(" or ");
      const hint =
        `Create the file ${tried}, or specify the folder that imports are relative to with ` +
        "--proto-path";
      this.#diagnostics.add(location, `the import "${path}" does not exist`, hint);
      this.#isPartial = true;
      return [];
    });
  }

  #locate({ file }: SourceText, scanned: Scan): void {
    const { package: name } = scanned;
    for (const { path, location } of scanned.declarations) {
      const fullName = name === "" ? path : `${name}.${path}`;
      const earlier = this.#locations.get(fullName);
      if (earlier !== undefined && earlier.file !== file) {
        const message = `"${fullName}" is already declared in ${formatLocation(earlier)}`;
        this.#diagnostics.add(location, message, "Rename or remove one of them");
      }
      this.#locations.set(fullName, location);
    }
  }
}

const parserOptions = { keepCase: true, alternateCommentMode: true, preferTrailingComment: false };

/**
 * Parses the text of a proto into a tree. Returns the parser's error; `undefined` if parsing
 * succeeded.
 */
function parseText(
  root: protobuf.Root,
  { file, text }: SourceText,
  scanned: Scan,
): SyntaxError | undefined {
  try {
    protobuf.parse(parserText(text, scanned), root, parserOptions);
    return undefined;
  } catch (error) {
    return syntaxError(file, scanned, reasonOf(error));
  }
}
