import type { Location } from "../../support/diagnostics.js";

/** A name, number, string or sign of a proto, with its location. */
export interface Token {
  /** The token without the white space that a name may have around its dots. */
  readonly text: string;
  /** Where the token begins in the text of the file, and where it ends. */
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
}

/** Returns the location of a token. */
export function locationAt(file: string, { line, column }: Token): Location {
  return { file, line, column };
}

/** A declaration of a proto, with its location. */
export interface Declaration {
  readonly kind: "message" | "enum" | "service" | "rpc" | "oneof" | "field" | "value";
  readonly name: string;
  /** The names of the enclosing declarations and its own, joined by dots; without the package. */
  readonly path: string;
  /** The number of a field or enum value. */
  readonly number?: number;
  readonly location: Location;
}

/** The tokens up to a `;`, `{` or `}`, and the declaration around them. */
export interface Statement {
  readonly tokens: readonly Token[];
  /** The sign that ends the statement; empty at the end of the text. */
  readonly end: string;
  readonly scope: Declaration | undefined;
}

/** The result of a scan: the syntax, and every statement and declaration in the order of the text. */
export interface Scan {
  readonly tokens: readonly Token[];
  readonly statements: readonly Statement[];
  readonly syntax:
    { readonly keyword: "syntax" | "edition"; readonly value: string; readonly location: Location } | undefined;
  /** The package that the file declares; empty if there is none. */
  readonly package: string;
  readonly imports: readonly { readonly path: string; readonly location: Location }[];
  readonly declarations: readonly Declaration[];
}

const lexeme = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\w.]+|\s+|[\s\S]/g;

/** Returns whether a token is a name, or the path to one. */
export function isName(token: string): boolean {
  return /^[\w.]+$/.test(token);
}

/** Words before the name of a type that may begin with a dot. */
const beforeTypes: ReadonlySet<string> = new Set(["repeated", "optional", "required", "stream", "extend"]);

/**
 * Splits the text of a proto into tokens; comments and white space are left out. A string or comment that does not end
 * becomes a token of its own: its quote, or `/*`. The parts of a name are one token, whatever is around its dots.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const token of partsOf(text)) {
    const before = tokens.at(-1);
    if (before !== undefined && continues(before.text, token.text))
      tokens[tokens.length - 1] = { ...before, text: before.text + token.text, end: token.end };
    else tokens.push(token);
  }
  return tokens;
}

function continues(before: string, token: string): boolean {
  const isPart = before.endsWith(".") || (token.startsWith(".") && !beforeTypes.has(before));
  return isPart && isName(before) && isName(token);
}

function partsOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let lineStart = 0;
  for (const { 0: lexed, index } of text.matchAll(lexeme)) {
    const endless = lexed.startsWith("/*") && !/^\/\*[\s\S]*\*\/$/.test(lexed);
    if (endless || !/^(?:\s|\/\/|\/\*|\uFEFF)/.test(lexed))
      tokens.push({
        text: endless ? "/*" : lexed,
        start: index,
        end: index + lexed.length,
        line,
        column: index - lineStart + 1,
      });
    for (let at = lexed.indexOf("\n"); at >= 0; at = lexed.indexOf("\n", at + 1)) {
      line += 1;
      lineStart = index + at + 1;
    }
  }
  return tokens;
}

/**
 * Finds the locations of declarations. protobufjs parses the text; this only adds the locations that its result lacks, so
 * it accepts any text and skips what it does not recognize.
 */
export function scan(file: string, text: string): Scan {
  const tokens = tokenize(text);
  const statements: Statement[] = [];
  const declarations: Declaration[] = [];
  const imports: { path: string; location: Location }[] = [];
  let syntax: Scan["syntax"];
  let packageName = "";
  const scopes: (Declaration | undefined)[] = [];
  const declare = (kind: Declaration["kind"], token: Token, number?: number): Declaration => {
    const enclosing = scopes
      .filter((scope) => scope !== undefined && scope.kind !== "oneof")
      .map((scope) => scope?.name);
    const path = [...enclosing, token.text].join(".");
    const declaration = {
      kind,
      name: token.text,
      path,
      location: locationAt(file, token),
      ...(number === undefined ? {} : { number }),
    };
    declarations.push(declaration);
    return declaration;
  };
  for (let start = 0; start < tokens.length;) {
    const { statement, end, opener } = statementAt(tokens, start);
    const [first, second, third] = statement;
    start = end;
    if (first === undefined) {
      if (opener === "}") scopes.pop();
      else if (opener === "{") scopes.push(undefined);
      continue;
    }
    statements.push({ tokens: statement, end: opener, scope: scopes.at(-1) });
    const isTop = scopes.length === 0;
    if (isTop && first.text === "package") packageName = second?.text ?? "";
    if (isTop && (first.text === "syntax" || first.text === "edition") && second?.text === "=" && third !== undefined) {
      syntax = { keyword: first.text, value: unquote(third.text), location: locationAt(file, first) };
    } else if (isTop && first.text === "import") {
      const strings = statement.filter(({ text }) => /^["']/.test(text));
      const [path] = strings;
      if (path !== undefined)
        imports.push({ path: strings.map(({ text }) => unquote(text)).join(""), location: locationAt(file, path) });
    }
    const declared = declarationOf(statement, opener, scopes.at(-1)?.kind);
    const declaration = declared && declare(declared.kind, declared.name, declared.number);
    if (opener === "{") scopes.push(declaration);
    else if (opener === "}") scopes.pop();
  }
  return { tokens, statements, syntax, package: packageName, imports, declarations };
}

/** Consumes the tokens up to the next `;`, `{` or `}` outside of brackets. */
function statementAt(tokens: readonly Token[], start: number) {
  const statement: Token[] = [];
  let depth = 0;
  for (let at = start; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (depth === 0 && (token.text === ";" || token.text === "{" || token.text === "}")) {
      return { statement, end: at + 1, opener: token.text };
    }
    if (token.text === "[") depth += 1;
    else if (token.text === "]") depth = Math.max(0, depth - 1);
    statement.push(token);
  }
  return { statement, end: tokens.length, opener: "" };
}

function declarationOf(
  statement: readonly Token[],
  opener: string,
  scope: Declaration["kind"] | undefined,
): { kind: Declaration["kind"]; name: Token; number?: number } | undefined {
  const [first, second] = statement;
  if (first === undefined || second === undefined) return undefined;
  const block = first.text === "message" || first.text === "enum" || first.text === "service" || first.text === "oneof";
  if (block && opener === "{" && statement.length === 2) return { kind: first.text, name: second };
  if (first.text === "rpc" && scope === "service") return { kind: "rpc", name: second };
  if (first.text === "option" || first.text === "reserved" || opener === "{") return undefined;
  const equals = statement.findIndex((token) => token.text === "=");
  const name = statement[equals - 1];
  const number = numberAt(statement, equals + 1);
  if (equals < 1 || name === undefined || !Number.isInteger(number)) return undefined;
  if (scope === "enum") return { kind: "value", name, number };
  return scope === "message" || scope === "oneof" ? { kind: "field", name, number } : undefined;
}

/** Returns the integer at an index of a statement: decimal, octal or hexadecimal; `NaN` for anything else. */
export function numberAt(tokens: readonly Token[], at: number): number {
  const negative = tokens[at]?.text === "-";
  const text = tokens[negative ? at + 1 : at]?.text ?? "";
  const octal = /^0[0-7]+$/.test(text);
  const value = octal ? Number.parseInt(text, 8) : /^(?:\d+|0[xX][\da-fA-F]+)$/.test(text) ? Number(text) : Number.NaN;
  return negative ? -value : value;
}

/** Returns a string token without its quotes. */
export function unquote(text: string): string {
  return text.replace(/^["']|["']$/g, "");
}
