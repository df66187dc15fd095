import protobuf from "protobufjs";
import { InputError, type Diagnostics, type Place } from "../../diagnostics.js";
import type { SourceText, SpecSource } from "../source.js";
import { checkDeclarations } from "./check.js";
import { isBuiltInImport } from "./known.js";
import { scan, type Scan } from "./scan.js";

/** The parsed files of a specification. */
export interface ProtoFiles {
  readonly root: protobuf.Root;
  /** The package of the main file. */
  readonly package: string;
  /** Gives the place where something is declared, by its full name without a leading dot. */
  readonly placeOf: (fullName: string) => Place | undefined;
}

/** Parses the main proto and all that it imports. Throws an `InputError` with everything that is wrong with the files. */
export function parseProtos(source: SpecSource, diagnostics: Diagnostics): ProtoFiles {
  const root = new protobuf.Root();
  const places = new Map<string, Place>();
  const done = new Set<string>();
  const queue: SourceText[] = [source.proto];
  let mainPackage = "";
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (done.has(file.file)) continue;
    done.add(file.file);
    const scanned = scan(file.file, file.text);
    checkDeclarations(file.file, scanned, diagnostics);
    for (const { path, place } of scanned.imports) {
      if (isBuiltInImport(path)) continue;
      const imported = source.readImport(path);
      if (imported !== undefined) queue.push(imported);
      else
        diagnostics.add(
          place,
          `the import "${path}" is not there`,
          "Put the file where the path says, relative to the main proto",
        );
    }
    diagnostics.throwIfAny();
    const name = parseInto(root, file, scanned);
    if (file === source.proto) mainPackage = name;
    for (const { path, place } of scanned.declarations) places.set(name === "" ? path : `${name}.${path}`, place);
  }
  return { root, package: mainPackage, placeOf: (fullName) => places.get(fullName) };
}

/** Parses one file and gives its package. */
function parseInto(root: protobuf.Root, { file, text }: SourceText, scanned: Scan): string {
  try {
    const options = { keepCase: true, alternateCommentMode: true, preferTrailingComment: false };
    return protobuf.parse(text, root, options).package ?? "";
  } catch (error) {
    throw syntaxError(file, scanned, error instanceof Error ? error.message : String(error));
  }
}

const parserMessage = /^(?:[^:]*: )?(.*?)(?: \((?:[^,]*, )?line (\d+)\))?$/;

/** Gives a message of protobufjs its place: the first token of that line that the message quotes, or the name it gives. */
function syntaxError(file: string, { tokens, declarations }: Scan, message: string): InputError {
  const [, problem = message, lineText] = parserMessage.exec(message) ?? [];
  const quoted = /'([^']*)'/.exec(problem)?.[1];
  const line = lineText === undefined ? undefined : Number(lineText);
  const token = tokens.find((candidate) => candidate.line === line && candidate.text === quoted);
  const owner = / in (?:Type|Enum|Service) \.?(\S+)$/.exec(problem)?.[1];
  const declared =
    owner === undefined ? undefined : declarations.find(({ path }) => path === owner || owner.endsWith(`.${path}`));
  const known =
    token ?? declared?.place ?? tokens.findLast((candidate) => line === undefined || candidate.line <= line);
  const place: Place = { file, line: known?.line ?? line ?? 1, column: known?.column ?? 1 };
  return new InputError({ place, problem: `the proto does not parse: ${problem}`, remedy: "Correct the syntax there" });
}
