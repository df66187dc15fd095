import ts from "typescript";
import type { OutputFile } from "../../../generator/core/contract.js";

/** Code of an output, without its literals and comments. */
export interface Code {
  /** Errors of syntax. */
  readonly errors: readonly string[];
  /** Texts of all identifiers but the names of members, which may be any text in quotes. */
  readonly names: readonly string[];
}

/** Parses TypeScript and JSON files; other files are ignored. */
export function codeOf(files: readonly OutputFile[]): Code {
  const parts = files.map(({ path, text }): Code => {
    if (path.endsWith(".json")) return { errors: jsonErrors(path, text), names: [] };
    if (!path.endsWith(".ts")) return { errors: [], names: [] };
    const source = ts.createSourceFile(
      path,
      text,
      { languageVersion: ts.ScriptTarget.ESNext },
      true,
    );
    return { errors: syntaxErrors(source), names: namesIn(source) };
  });
  return {
    errors: parts.flatMap(({ errors }) => errors),
    names: parts.flatMap(({ names }) => names),
  };
}

function jsonErrors(path: string, text: string) {
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    return [`${path}: ${String(error)}`];
  }
}

function syntaxErrors(source: ts.SourceFile) {
  const { fileName, text } = source;
  // The result of the parser, which its types do not expose. Emitting the file as well would double
  // the time.
  const diagnostics = Reflect.get(
    source,
    "parseDiagnostics",
  ) as readonly ts.DiagnosticWithLocation[];
  return diagnostics.map(({ messageText, start }) => {
    const line = text.slice(text.lastIndexOf("\n", start) + 1).split("\n", 1)[0] ?? "";
    return `${fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}: ${line}`;
  });
}

function namesIn(node: ts.Node) {
  if (ts.isIdentifier(node)) return isMember(node) ? [] : [node.text];
  const names: string[] = [];
  ts.forEachChild(node, (child) => {
    for (const name of namesIn(child)) names.push(name);
  });
  return names;
}

/** Returns whether a name is the name of a member: it follows a dot or precedes a colon. */
function isMember({ parent, ...node }: ts.Identifier) {
  if (ts.isPropertyAccessExpression(parent)) return parent.name.pos === node.pos;
  return (
    (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) &&
    parent.name.pos === node.pos
  );
}
