import type { Location } from "../../../support/diagnostics.js";

/** A name, number, string or sign of a proto, with its location. */
export interface Token {
  /** The text of the token, without whitespace around the dots of a name. */
  readonly text: string;
  /** Offset at which the token begins in the text of the file. */
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
  /**
   * The names of the enclosing declarations and of this declaration, joined by dots, without the
   * package.
   */
  readonly path: string;
  /** The number of a field or enum value. */
  readonly number?: number;
  readonly location: Location;
}

/** A statement: the tokens up to a `;`, `{` or `}`, and the declaration that contains them. */
export interface Statement {
  readonly tokens: readonly Token[];
  /** The sign that ends the statement; empty at the end of the file. */
  readonly end: string;
  readonly scope: Declaration | undefined;
}

/** The maximum depth of nested declarations, as in protoc. */
export const mostNested = 32;

/**
 * The result of a scan: the syntax, and every statement and declaration in the order of the text.
 */
export interface Scan {
  /**
   * Location of the first declaration that is nested too deeply. The result does not contain later
   * declarations.
   */
  readonly tooDeep: Location | undefined;
  readonly tokens: readonly Token[];
  readonly statements: readonly Statement[];
  readonly syntax:
    | {
        readonly keyword: "syntax" | "edition";
        readonly value: string;
        readonly location: Location;
      }
    | undefined;
  /** The package that the file declares; empty if it declares none. */
  readonly package: string;
  readonly imports: readonly { readonly path: string; readonly location: Location }[];
  readonly declarations: readonly Declaration[];
}

const lexeme =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\w.]+|\s+|[\s\S]/g;

/** Returns whether a token is a name or a path of names. */
export function isName(token: string): boolean {
  return /^[\w.]+$/.test(token);
}

/** Words that may precede a type name with a leading dot. */
const beforeTypes: ReadonlySet<string> = new Set([
  "repeated",
  "optional",
  "required",
  "stream",
  "extend",
]);

/**
 * Splits the text of a proto into tokens, without comments and whitespace. An unterminated string
 * or comment becomes a separate token: its quote, or `/*`. A name with dots is a single token, even
 * if whitespace or comments surround the dots.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let parts: Token[] = [];
  const finish = (): void => {
    const [first, last] = [parts[0], parts.at(-1)];
    if (first === undefined || last === undefined) return;
    tokens.push(
      first === last
        ? first
        : { ...first, text: parts.map((part) => part.text).join(""), end: last.end },
    );
  };
  for (const token of partsOf(text)) {
    if (continues(parts, token.text)) parts.push(token);
    else {
      finish();
      parts = [token];
    }
  }
  finish();
  return tokens;
}

/** Returns whether a token continues the name that consists of the given parts. */
function continues(parts: readonly Token[], token: string): boolean {
  const before = parts.at(-1)?.text ?? "";
  const isAfterWord = parts.length === 1 && beforeTypes.has(before);
  return (
    (before.endsWith(".") || (token.startsWith(".") && !isAfterWord)) &&
    isName(before) &&
    isName(token)
  );
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
 * Finds the locations of declarations. protobufjs parses the text, but its result does not contain
 * locations, which this scan adds. The scan accepts any text, and skips unrecognized parts.
 */
export function scan(file: string, text: string): Scan {
  const tokens = tokenize(text);
  const scanner = new Scanner(file);
  for (let start = 0; start < tokens.length && scanner.tooDeep === undefined;) {
    const { statement, end, opener } = statementAt(tokens, start);
    scanner.add(statement, opener);
    start = end;
  }
  const { statements, syntax, package: name, imports, declarations, tooDeep } = scanner;
  return { tokens, statements, syntax, package: name, imports, declarations, tooDeep };
}

/** The scope that an opening brace begins. */
interface Scope {
  /** Absent for the value of an option, and for unrecognized scopes. */
  readonly declaration: Declaration | undefined;
  /** The prefix of the paths of the declarations in the scope. */
  readonly prefix: string;
  /** The number of declarations that contain the scope. */
  readonly depth: number;
}

const top: Scope = { declaration: undefined, prefix: "", depth: 0 };

/** Object that receives the statements of a proto, one after another. */
class Scanner implements Omit<Scan, "tokens"> {
  readonly statements: Statement[] = [];
  readonly declarations: Declaration[] = [];
  readonly imports: { path: string; location: Location }[] = [];
  syntax: Scan["syntax"];
  package = "";
  tooDeep: Location | undefined;
  readonly #file: string;
  readonly #scopes: Scope[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds a statement. `end` is the sign after its tokens. */
  add(tokens: readonly Token[], end: string): void {
    const scope = this.#scopes.at(-1) ?? top;
    let inner: Scope = { ...scope, declaration: undefined };
    if (tokens.length > 0) {
      this.statements.push({ tokens, end, scope: scope.declaration });
      if (this.#scopes.length === 0) this.#readTop(tokens);
      const declared = declarationOf(tokens, end, scope.declaration?.kind);
      if (declared !== undefined) inner = this.#declare(declared, scope);
    }
    if (end === "{") this.#scopes.push(inner);
    else if (end === "}") this.#scopes.pop();
  }

  /** Reads a statement outside of all declarations. */
  #readTop(tokens: readonly Token[]): void {
    const [first, second, third] = tokens;
    if (first?.text === "package") this.package = second?.text ?? "";
    if (
      (first?.text === "syntax" || first?.text === "edition") &&
      second?.text === "=" &&
      third !== undefined
    ) {
      this.syntax = {
        keyword: first.text,
        value: unquote(third.text),
        location: locationAt(this.#file, first),
      };
    } else if (first?.text === "import") {
      const strings = tokens.filter(({ text }) => /^["']/.test(text));
      const path = strings.map(({ text }) => unquote(text)).join("");
      if (strings[0] !== undefined)
        this.imports.push({ path, location: locationAt(this.#file, strings[0]) });
    }
  }

  /** Adds a declaration, and returns its scope. */
  #declare({ kind, name: token, number }: Declared, { prefix, depth }: Scope): Scope {
    const [name, location] = [token.text, locationAt(this.#file, token)];
    // The innermost message may contain an enum, which may contain values, so allow two more
    // levels.
    if ((kind === "message" ? depth : depth - 2) >= mostNested) this.tooDeep = location;
    const declaration = {
      kind,
      name,
      path: prefix + name,
      location,
      ...(number !== undefined && { number }),
    };
    this.declarations.push(declaration);
    return kind === "oneof"
      ? { declaration, prefix, depth }
      : { declaration, prefix: `${prefix}${name}.`, depth: depth + 1 };
  }
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

interface Declared {
  readonly kind: Declaration["kind"];
  readonly name: Token;
  readonly number?: number;
}

function declarationOf(
  statement: readonly Token[],
  opener: string,
  scope: Declaration["kind"] | undefined,
): Declared | undefined {
  const [first, second] = statement;
  if (first === undefined || second === undefined) return undefined;
  const block =
    first.text === "message" ||
    first.text === "enum" ||
    first.text === "service" ||
    first.text === "oneof";
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

/**
 * Returns the integer at an index of a statement: decimal, octal or hexadecimal; `NaN` for anything
 * else.
 */
export function numberAt(tokens: readonly Token[], at: number): number {
  const negative = tokens[at]?.text === "-";
  const text = tokens[negative ? at + 1 : at]?.text ?? "";
  const octal = /^0[0-7]+$/.test(text);
  const value = octal
    ? Number.parseInt(text, 8)
    : /^(?:\d+|0[xX][\da-fA-F]+)$/.test(text)
      ? Number(text)
      : Number.NaN;
  return negative ? -value : value;
}

/** Returns a string token without its quotes. */
export function unquote(text: string): string {
  return text.replace(/^["']|["']$/g, "");
}
