import type { ts } from "ts-morph";
import type { NameMap } from "./names.js";
import type { NeverTrue } from "./never-true.js";
import type { Checked } from "./project.js";
import { positionBefore, positionAfter } from "./edits.js";
import type { FileNames } from "./rename.js";
import type { Edit, Notice, Remaining, Renamed } from "./types.js";

/** Compile error in a file of the user. */
export interface CompileError {
  readonly fileName: string;
  readonly start: number;
  readonly line: number;
  readonly column: number;
  readonly code: number;
  readonly message: string;
}

/**
 * Returns the compile errors in all or some of the user's files, ordered by file and position. Call
 * it before other questions to the type checker, because the errors that a checker reports depend
 * on the order of its work.
 */
export function compileErrorsOf(
  { ts, program, files }: Checked,
  only?: ReadonlySet<string>,
): CompileError[] {
  const chosen = files.filter(({ fileName }) => only?.has(fileName) ?? true);
  // Check in the order of `tsc`; the program keeps the errors of each file.
  for (const file of program.getSourceFiles())
    if (chosen.includes(file)) program.getSemanticDiagnostics(file);
  return chosen.flatMap((file) =>
    [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      .filter(({ category }) => category === ts.DiagnosticCategory.Error)
      .map((diagnostic) => compileErrorOf(diagnostic, file, ts))
      .sort((a, b) => a.start - b.start),
  );
}

function compileErrorOf(
  { start = 0, code, messageText }: ts.Diagnostic,
  file: ts.SourceFile,
  compiler: typeof ts,
): CompileError {
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  const [message = ""] = compiler.flattenDiagnosticMessageText(messageText, "\n").split("\n");
  return { fileName: file.fileName, start, line: line + 1, column: character + 1, code, message };
}

/** File of the user, and the names of the output in it. */
export interface UserFile {
  /** Absolute path with slashes, in the form that the compiler uses. */
  readonly path: string;
  readonly text: string;
  readonly names: FileNames;
  /** Insertions of the merge into the renamed text. */
  readonly insertions: readonly Edit[];
}

/** Input of {@link remainingIn}. */
export interface Evidence {
  readonly files: readonly UserFile[];
  /** Texts of the files after the upgrade. */
  readonly texts: ReadonlyMap<string, string>;
  /** Compile errors before and after the upgrade. */
  readonly before: readonly CompileError[];
  readonly after: readonly CompileError[];
  /** Conditions that are never true after the upgrade, with their positions before the upgrade. */
  readonly neverTrue: readonly NeverTrue[];
  readonly names: NameMap;
  /** Returns the path of a file, as shown in messages. */
  readonly shown: (path: string) => string;
  /** Whether to report positions in the upgraded files instead of the current files. */
  readonly written: boolean;
}

/** Returns the remaining manual work: compile errors, and code that compiles but may be wrong. */
export function remainingIn(evidence: Evidence): Remaining[] {
  return [...errorsIn(evidence), ...noticesIn(evidence)];
}

/**
 * Codes of errors about keys of an object that its type does not have. The compiler only reports
 * the first key.
 */
const invalidKeys: ReadonlySet<number> = new Set([2353, 2561]);

function errorsIn({ files, before, after, names, shown, written }: Evidence): Remaining[] {
  const known = new Map(files.map((file) => [file.path, file]));
  return after.map(({ fileName, start, line, column, code, message }): Remaining => {
    const file = known.get(fileName);
    const position = file === undefined ? start : originOf(start, file);
    const notes = [
      ...(file?.names
        .namesAt(position, invalidKeys.has(code))
        .flatMap((name) => names.notesOf(name)) ?? []),
      ...(message.includes("undefined") ? (file?.names.membersReadAt(position) ?? []) : []).flatMap(
        (name) => names.absenceOf(name),
      ),
      ...namesIn(message).flatMap((name) => names.shapeOf(name)),
    ];
    const wasBefore = before.some(
      (other) => other.fileName === fileName && other.code === code && other.start === position,
    );
    const isMoved = !written && file !== undefined;
    const location = {
      file: shown(fileName),
      ...(isMoved ? locationAt(file.text, position) : { line, column }),
    };
    return { ...location, kind: "error", code, message, notes: [...new Set(notes)], wasBefore };
  });
}

/**
 * Converts a position in the upgraded text of a file to a position in its text before the upgrade.
 */
export function originOf(position: number, { insertions, names }: UserFile): number {
  return positionBefore(positionBefore(position, insertions), names.renamings);
}

function noticesIn({ files, texts, neverTrue, names, shown, written }: Evidence): Remaining[] {
  return files.flatMap(({ path, text, insertions, names: { renamings, notices } }) => {
    const untrue = neverTrue.filter(({ fileName }) => fileName === path);
    const noted = untrue.map(({ types, ...test }) => {
      return { ...test, notes: types.flatMap((name) => names.shapeOf(name)) };
    });
    return [...noted, ...notices].map(({ start, message, notes = [] }: Noted): Remaining => {
      const location = written
        ? locationAt(
            texts.get(path) ?? "",
            positionAfter(positionAfter(start, renamings), insertions),
          )
        : locationAt(text, start);
      return { file: shown(path), ...location, kind: "name", message, notes, wasBefore: false };
    });
  });
}

/** A notice with explanations from the specifications. */
interface Noted extends Notice {
  readonly notes?: readonly string[];
}

/** Returns the names of types in a compiler message. */
function namesIn(message: string): string[] {
  const quoted = [...message.matchAll(/'([^']*)'/g)].map(([, quote = ""]) => quote);
  return [...new Set(quoted.flatMap((quote) => quote.match(/\b[A-Z]\w+/g) ?? []))];
}

/** Returns the renames in a file, at the positions of the old names. */
export function renamedIn(
  { path, text, names }: UserFile,
  shown: (path: string) => string,
): Renamed[] {
  return names.renamings
    .filter(({ from, to }) => from !== to)
    .map(({ start, from, to }) => ({ file: shown(path), ...locationAt(text, start), from, to }));
}

function locationAt(
  text: string,
  position: number,
): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, position).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
