import { createRequire } from "node:module";
import type { ts } from "ts-morph";

type Compiler = typeof ts;
type Parsed = ts.SourceFile & { readonly parseDiagnostics?: readonly unknown[] };

/** TypeScript compiler of ts-morph: `undefined` before it is first required, `null` if ts-morph is not installed. */
let loaded: Compiler | null | undefined;

/** Loads the compiler synchronously at its first use, because most runs do not compare the forms of files. */
function compiler(): Compiler | null {
  if (loaded !== undefined) return loaded;
  const require = createRequire(import.meta.url);
  try {
    loaded = (require("ts-morph") as { readonly ts: Compiler }).ts;
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "MODULE_NOT_FOUND") throw error;
    loaded = null;
  }
  return loaded;
}

/** Returns whether ts-morph is installed, so that TypeScript has a normal form. */
export function hasCompiler(): boolean {
  return compiler() !== null;
}

/**
 * Returns TypeScript or JSON source in a form that formatters do not change. Two files with the same normal form are the
 * same program with the same comments. Returns `undefined` for other files, for invalid source, and for TypeScript if
 * ts-morph is not installed.
 */
export function normalForm(path: string, text: string): string | undefined {
  if (path.endsWith(".json")) return jsonForm(text);
  const ts = isTypeScript(path) ? compiler() : null;
  if (ts === null) return undefined;
  const source: Parsed = ts.createSourceFile("source.ts", text, ts.ScriptTarget.ESNext, true);
  return source.parseDiagnostics?.length === 0 ? programForm(ts, source) : undefined;
}

/** Returns whether a file contains TypeScript. */
export function isTypeScript(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path);
}

function jsonForm(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Returns the tokens of a program inside the nodes of its syntax tree, without the tokens that formatters add or remove,
 * and its comments with the number of tokens before each.
 */
function programForm(ts: Compiler, source: ts.SourceFile): string {
  const { SyntaxKind } = ts;
  const form: string[] = [];
  const comments: string[] = [];
  let count = 0;
  const addComments = (ranges: readonly ts.CommentRange[] = []): void => {
    for (const { pos, end } of ranges) {
      const lines = source.text.slice(pos, end).split("\n");
      comments.push(`${String(count)} ${lines.map((line) => line.trim()).join(" ")}`);
    }
  };
  const addToken = (token: ts.Node): void => {
    addComments(ts.getLeadingCommentRanges(source.text, token.pos));
    if (!isOptional(ts, token)) {
      form.push(tokenText(ts, token, source));
      count += 1;
    }
    addComments(ts.getTrailingCommentRanges(source.text, token.end));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child));
    if (children.length === 0 && node.kind !== SyntaxKind.SyntaxList) {
      addToken(node);
      return;
    }
    // The tree of an expression shows where its parentheses were, unless they end an optional chain.
    const isWrapper =
      ts.isParenthesizedTypeNode(node) || (ts.isParenthesizedExpression(node) && !ts.isOptionalChain(node.expression));
    if (!isWrapper && !ts.isSemicolonClassElement(node)) form.push(`<${String(node.kind)}`);
    children.forEach(visit);
    if (!isWrapper && !ts.isSemicolonClassElement(node)) form.push(">");
  };
  visit(source);
  return [...form, ...comments].join("\n");
}

/** Returns whether the tree of a program shows a token even if a formatter has removed it. */
function isOptional(ts: Compiler, token: ts.Node): boolean {
  const { SyntaxKind } = ts;
  const { kind, parent } = token;
  switch (kind) {
    case SyntaxKind.OpenParenToken:
    case SyntaxKind.CloseParenToken:
      return ts.isParenthesizedExpression(parent) || ts.isParenthesizedTypeNode(parent) || ts.isArrowFunction(parent);
    case SyntaxKind.SemicolonToken:
      return !ts.isForStatement(parent);
    case SyntaxKind.CommaToken:
    case SyntaxKind.BarToken:
    case SyntaxKind.AmpersandToken:
      return !ts.isBinaryExpression(parent);
    default:
      return false;
  }
}

/** Returns the text of a token. The quotes of strings, and whether the name of a property has quotes, do not matter. */
function tokenText(ts: Compiler, token: ts.Node, source: ts.SourceFile): string {
  if (!ts.isStringLiteral(token)) return token.getText(source);
  const { parent, text } = token;
  const isName = "name" in parent && parent.name === token && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text);
  return isName ? text : JSON.stringify(text);
}
