import { join } from "node:path";
import ts from "typescript";
import type { OutputFile } from "../../../generator/core/contract.js";
import { outFolder } from "../../support/output.js";
import { strictest } from "../../product/types/compile.js";

const folder = join(outFolder, "fuzz");

/** Files that many programs share, as the compiler has read them: libraries and support modules. */
const parsed = new Map<string, ts.SourceFile>();

/** What a compiler has to say about the syntax of files that are TypeScript. */
export function syntaxProblems(files: readonly OutputFile[]): string[] {
  const program = programOf(files, { noResolve: true, noLib: true });
  return texts(program.getSyntacticDiagnostics());
}

/** What a compiler has to say about the types in files that are TypeScript, and belong to one output. */
export function typeProblems(files: readonly OutputFile[]): string[] {
  const { options, errors } = ts.convertCompilerOptionsFromJson(
    { ...strictest, lib: ["ES2022"], types: ["node"], typeRoots: [join(folder, "../../../../node_modules/@types")] },
    folder,
  );
  const program = programOf(files, { ...options, skipLibCheck: true });
  const own = program.getSourceFiles().filter(({ fileName }) => isOwn(fileName) && !isShared(fileName));
  return texts([...errors, ...own.flatMap((file) => program.getSemanticDiagnostics(file))]);
}

function isOwn(path: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** Tells whether a file is the same in every output. */
function isShared(path: string): boolean {
  return !isOwn(path) || path.startsWith(`${folder}/runtime/`);
}

function programOf(files: readonly OutputFile[], options: ts.CompilerOptions): ts.Program {
  const own = new Map(
    files.filter(({ path }) => path.endsWith(".ts")).map(({ path, text }) => [join(folder, path), text]),
  );
  const host = ts.createCompilerHost(options);
  const readFile = (path: string): string | undefined => own.get(path) ?? ts.sys.readFile(path);
  const getSourceFile = (
    path: string,
    target: ts.ScriptTarget | ts.CreateSourceFileOptions,
  ): ts.SourceFile | undefined => {
    const known = isShared(path) ? parsed.get(path) : undefined;
    const text = known === undefined ? readFile(path) : undefined;
    if (known !== undefined || text === undefined) return known;
    const file = ts.createSourceFile(path, text, target);
    if (isShared(path)) parsed.set(path, file);
    return file;
  };
  const fileExists = (path: string): boolean => own.has(path) || ts.sys.fileExists(path);
  const directoryExists = (path: string): boolean =>
    `${path}/`.startsWith(`${folder}/`) || ts.sys.directoryExists(path);
  return ts.createProgram({
    rootNames: [...own.keys()],
    options,
    host: { ...host, directoryExists, fileExists, readFile, getSourceFile },
  });
}

function texts(diagnostics: readonly ts.Diagnostic[]): string[] {
  return diagnostics.map(({ file, start = 0, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, " ");
    if (file === undefined) return text;
    const { line } = file.getLineAndCharacterOfPosition(start);
    return `${file.fileName.slice(folder.length + 1)}:${line + 1}: ${text}: ${file.text.split("\n")[line] ?? ""}`;
  });
}

const printer = ts.createPrinter({ removeComments: true });

/** A file of TypeScript without comments and white space, and with nothing in its strings. */
export function bareCode({ path, text }: OutputFile): string {
  const printed = printer.printFile(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return printed.replaceAll(/"(?:\\.|[^"\\\n])*"/g, '""').replaceAll(/\s+/g, "");
}
