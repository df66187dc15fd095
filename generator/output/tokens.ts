import type ts from "typescript";
import { loadScanner } from "../compiled/scanner.js";

/**
 * Kind of a token: a name or number, a string, a part of a template, a comment, or any other mark.
 */
export type TokenKind = "word" | "string" | "template" | "comment" | "mark";

/**
 * Callback for each token of a source. `text` is the token without the quotes of a string and
 * without the indentation of a comment. `isFirst` is true for the first token of a line.
 */
export type TokenHandler = (text: string, kind: TokenKind, isFirst: boolean) => void;

/**
 * Words that precede an expression. After such a word, a slash starts a regular expression, not a
 * division.
 */
const beforeExpression = new Set([
  "return",
  "throw",
  "case",
  "typeof",
  "void",
  "delete",
  "await",
  "yield",
  "in",
  "of",
]);

/**
 * Passes the tokens of TypeScript to `onToken`. Invalid source is accepted, but its tokens are
 * unspecified.
 */
export function scan(source: string, onToken: TokenHandler): void {
  const { createScanner, LanguageVariant, ScriptTarget, SyntaxKind } = loadScanner();
  const scanner = createScanner(ScriptTarget.ESNext, false, LanguageVariant.Standard, source);
  /** For each open brace, whether it starts a placeholder of a template. */
  const braces: boolean[] = [];
  let [isFirst, isAfterValue] = [true, false];
  for (let token = scanner.scan(); token !== SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token === SyntaxKind.NewLineTrivia) isFirst = true;
    if (token === SyntaxKind.NewLineTrivia || token === SyntaxKind.WhitespaceTrivia) continue;
    const isSlash = token === SyntaxKind.SlashToken || token === SyntaxKind.SlashEqualsToken;
    if (isSlash && !isAfterValue) token = scanner.reScanSlashToken();
    if (token === SyntaxKind.CloseBraceToken && braces.pop() === true)
      token = scanner.reScanTemplateToken(false);
    if (token === SyntaxKind.OpenBraceToken) braces.push(false);
    if (token === SyntaxKind.TemplateHead || token === SyntaxKind.TemplateMiddle) braces.push(true);
    const kind = kindOf(SyntaxKind, token);
    const text = textOf(scanner.getTokenText(), kind);
    onToken(text, kind, isFirst);
    isFirst = false;
    if (kind === "comment") continue;
    if (kind === "word") isAfterValue = !beforeExpression.has(text);
    else isAfterValue = kind !== "mark" || [")", "]", "}"].includes(text);
  }
}

function kindOf(SyntaxKind: typeof ts.SyntaxKind, token: ts.SyntaxKind): TokenKind {
  if (token === SyntaxKind.StringLiteral) return "string";
  if (token === SyntaxKind.SingleLineCommentTrivia || token === SyntaxKind.MultiLineCommentTrivia)
    return "comment";
  if (token >= SyntaxKind.FirstTemplateToken && token <= SyntaxKind.LastTemplateToken)
    return "template";
  const isName = token >= SyntaxKind.Identifier && token <= SyntaxKind.LastKeyword;
  return isName || token === SyntaxKind.NumericLiteral || token === SyntaxKind.BigIntLiteral
    ? "word"
    : "mark";
}

/**
 * Returns a token without what is not significant: quotes, escapes of quotes in strings, and
 * indentation.
 */
function textOf(text: string, kind: TokenKind): string {
  if (kind === "comment")
    return text
      .split("\n")
      .map((line) => line.trim())
      .join(" ");
  if (kind !== "string") return text;
  const content = text.slice(1, -1);
  const plain = content.replaceAll(/\\(.)/gsu, (all, char: string) =>
    /["']/.test(char) ? char : all,
  );
  return `"${plain}"`;
}
