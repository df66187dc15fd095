import ts from "typescript";
import type { OutputFile } from "../../../generator/core/contract.js";

const read = ({ path, text }: OutputFile) =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest);

/** Returns the syntax errors of TypeScript files. */
export function syntaxProblems(files: readonly OutputFile[]): string[] {
  const own = new Map(
    files.filter(({ path }) => path.endsWith(".ts")).map((file) => [file.path, read(file)]),
  );
  const options = { noResolve: true, noLib: true };
  const host = {
    ...ts.createCompilerHost(options),
    getSourceFile: (path: string) => own.get(path),
  };
  const program = ts.createProgram({ rootNames: [...own.keys()], options, host });
  return program.getSyntacticDiagnostics().map(({ file, start, messageText }) => {
    const { line } = file.getLineAndCharacterOfPosition(start);
    const text = ts.flattenDiagnosticMessageText(messageText, " ");
    return `${file.fileName}:${line + 1}: ${text}: ${file.text.split("\n")[line] ?? ""}`;
  });
}

const printer = ts.createPrinter({ removeComments: true });

/** A file of TypeScript without comments and white space, and with nothing in its strings. */
export function bareCode(file: OutputFile): string {
  const printed = printer.printFile(read(file));
  return printed.replaceAll(/"(?:\\.|[^"\\\n])*"/g, '""').replaceAll(/\s+/g, "");
}
