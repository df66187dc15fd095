import { extname } from "node:path";
import { Project, ts } from "ts-morph";
import { InputError } from "../../support/diagnostics.js";

/** Parses a source file. Throws an `InputError` with the location of the first syntax error. */
export function parse(text: string, file: string): ts.SourceFile {
  const { source, error } = tryParse(text, file);
  if (error === undefined) return source;
  const { line, character } = ts.getLineAndCharacterOfPosition(source, error.start);
  const location = { file, line: line + 1, column: character + 1 };
  const message = ts.flattenDiagnosticMessageText(error.messageText, " ").replace(/\.$/, "");
  const hint = "Correct it and run again; nothing was written";
  throw new InputError({
    location,
    message: `the file cannot be merged because it has a syntax error: ${message}`,
    hint,
  });
}

/** Parses a source file. Returns the file and its first syntax error, if any. */
export function tryParse(
  text: string,
  file: string,
): { readonly source: ts.SourceFile; readonly error: ts.DiagnosticWithLocation | undefined } {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    compilerOptions: { noLib: true, noResolve: true, allowJs: true, target: ts.ScriptTarget.ESNext },
  });
  const source = project.createSourceFile(`/source${extname(file) || ".ts"}`, text);
  const [error] = project.getProgram().compilerObject.getSyntacticDiagnostics(source.compilerNode);
  return { source: source.compilerNode, error };
}

/** Visits a node and all its descendants, in the order of the text. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Class or object literal: the nodes that can implement an interface. */
export type Body = ts.ClassLikeDeclaration | ts.ObjectLiteralExpression;

/** Returns whether a node has a modifier. */
export function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  return ts.canHaveModifiers(node) && ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) === true;
}

/** Removes the syntax around an expression that does not change its value. */
export function unwrap(node: ts.Expression): ts.Expression {
  if (ts.isParenthesizedExpression(node) || ts.isAwaitExpression(node)) return unwrap(node.expression);
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return unwrap(node.expression);
  if (ts.isTypeAssertionExpression(node) || ts.isNonNullExpression(node)) return unwrap(node.expression);
  return node;
}
