import { scan, type TokenKind } from "./tokens.js";

/**
 * Returns TypeScript or JSON source in a form that formatters do not change. The form contains no
 * whitespace, no trailing commas, no semicolons that only end a statement, and none of the
 * parentheses and leading bars that formatters add or remove. All strings have double quotes. Two
 * files with the same normal form are the same program. Returns `undefined` for other files.
 */
export function normalForm(path: string, text: string): string | undefined {
  if (path.endsWith(".json")) return jsonForm(text);
  if (!isTypeScript(path)) return undefined;
  const form = new Form();
  scan(text, (token, kind, isFirst) => {
    if (kind === "comment") form.keep(token, isFirst);
    else form.add(token, kind, isFirst);
  });
  return form.end();
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

/** Tokens before the leading bar of a multi-line union. */
const beforeUnion = new Set(["=", ":", "(", "[", "<", ",", "=>", "extends", "?"]);
const closing = new Set([")", "]", "}", ">"]);
const beforeWrapper = new Set(["=>", "return", "throw"]);
/** Keywords of statements that end at the end of their line. */
const beforeEnd = new Set(["return", "throw", "break", "continue", "yield"]);
/**
 * Keywords before a condition in parentheses: a semicolon after the condition is an empty
 * statement.
 */
const beforeHead = new Set(["if", "while", "for", "with"]);
/** Tokens that continue an expression after its parentheses, which must then be kept. */
const continuation = /^(?:[.[(?+*/%&|^<>=!`-]|(?:as|in|instanceof|satisfies)$)/;
const beforeKey = new Set(["{", ",", ";", "readonly"]);
const name = /^"[\p{ID_Start}$_][\p{ID_Continue}$]*"$/u;

/**
 * Normal form that is built token by token. If the next token determines whether a token is kept,
 * the position of the token is remembered. Tokens are dropped by replacing them with an empty
 * string, so that positions stay valid.
 */
class Form {
  readonly #tokens: string[] = [];
  /** For each open bracket, its position if it may only wrap an expression, otherwise -1. */
  readonly #open: number[] = [];
  /** For each open parenthesis, whether it starts the head of a statement. */
  readonly #heads: boolean[] = [];
  /** Whether the last token closed the head of a statement. */
  #isHead = false;
  #before = "";
  /** Position of a comma that is dropped if a closing bracket follows. */
  #comma = -1;
  /** Position of a string whose quotes are dropped if a colon follows. */
  #key = -1;
  /**
   * Positions of a pair of parentheses that are dropped unless the expression continues. The
   * closing parenthesis is the last token.
   */
  #wrapper: readonly [number, number] | undefined;
  /** Position of a parenthesis that may be dropped unless `{` follows. */
  #start = -1;

  /**
   * Adds a comment. A statement that ends at the end of its line also ends before a comment on a
   * later line, and before a comment that extends to the end of the line.
   */
  keep(text: string, isFirst: boolean): void {
    if (isFirst || text.startsWith("//")) this.#endLine();
    this.#tokens.push(text);
  }

  /** Adds a token, and resolves the positions that depended on it. */
  add(text: string, kind: TokenKind, isFirst: boolean): void {
    this.#decide(text, kind);
    if (isFirst && text !== ";") this.#endLine();
    const index = this.#tokens.length;
    if (
      kind === "string" &&
      this.#before !== "?" &&
      this.#before !== "case" &&
      (isFirst || beforeKey.has(this.#before)) &&
      name.test(text)
    )
      this.#key = index;
    const isAfterHead = this.#isHead;
    this.#isHead = false;
    this.#tokens.push(kind === "mark" ? this.#mark(text, index, isAfterHead) : text);
    this.#before = text;
  }

  /** Adds the semicolon that ends a statement such as `return` at the end of its line. */
  #endLine(): void {
    if (!beforeEnd.has(this.#before)) return;
    this.#tokens.push(";");
    this.#before = ";";
  }

  /** Returns the form of all added tokens. */
  end(): string {
    this.#decide("", "mark");
    return this.#tokens.filter((text) => text !== "").join("\n");
  }

  #decide(text: string, kind: TokenKind): void {
    if (this.#comma >= 0 && kind === "mark" && closing.has(text)) this.#tokens[this.#comma] = "";
    this.#comma = -1;
    if (this.#wrapper !== undefined && (kind === "string" || !continuation.test(text)))
      for (const index of this.#wrapper) this.#tokens[index] = "";
    this.#wrapper = undefined;
    if (this.#start >= 0 && text === "{") this.#open[this.#open.length - 1] = -1;
    this.#start = -1;
    // A question mark may be between the key and its colon.
    if (this.#key >= 0 && text === ":")
      this.#tokens[this.#key] = this.#tokens[this.#key]?.slice(1, -1) ?? "";
    if (text !== "?") this.#key = -1;
  }

  /**
   * Returns the text to add for a mark. Remembers the position of the mark if the next token
   * determines whether the mark is kept.
   */
  #mark(text: string, index: number, isAfterHead: boolean): string {
    switch (text) {
      case ";":
        return isAfterHead || this.#heads.at(-1) === true || beforeEnd.has(this.#before)
          ? text
          : "";
      case ",":
        // A comma after a hole in a list is not a trailing comma, and a comma in parentheses may be
        // an operator.
        this.#comma = this.#before === "[" || this.#before === "," ? -1 : index;
        if ((this.#open.at(-1) ?? -1) >= 0) this.#open[this.#open.length - 1] = -1;
        return text;
      case "|":
      case "&":
        return beforeUnion.has(this.#before) ? "" : text;
      case "(":
        this.#start = beforeWrapper.has(this.#before) ? index : -1;
        this.#open.push(this.#start);
        this.#heads.push(beforeHead.has(this.#before));
        return text;
      case "[":
      case "{":
        this.#open.push(-1);
        this.#heads.push(false);
        return text;
      default:
        if (text === ")" || text === "]" || text === "}") this.#close(index);
        return text;
    }
  }

  #close(index: number): void {
    const start = this.#open.pop() ?? -1;
    this.#isHead = this.#heads.pop() ?? false;
    if (start >= 0) this.#wrapper = [start, index];
  }
}
