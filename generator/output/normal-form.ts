import { scan, type TokenKind } from "./scanner.js";

/**
 * Returns TypeScript or JSON source in a form that formatters do not change: without white space, without semicolons that
 * only end a statement and trailing commas, with one kind of quotes, and without the parentheses and bars that depend on
 * where lines break. Two files with
 * the same normal form are the same program.
 */
export function normalForm(source: string): string {
  const form = new Form();
  scan(source, (text, kind, isFirst) => {
    if (kind === "comment") form.keep(text, isFirst);
    else form.add(text, kind, isFirst);
  });
  return form.end();
}

/** What may stand before a bar that opens a union on lines of its own. */
const beforeUnion = new Set(["=", ":", "(", "[", "<", ",", "=>", "extends", "?"]);
const closing = new Set([")", "]", "}", ">"]);
const beforeWrapper = new Set(["=>", "return", "throw"]);
/** Statements that end where their line does. */
const beforeEnd = new Set(["return", "throw", "break", "continue", "yield"]);
/** What a condition in parentheses stands behind: a semicolon behind those is a statement. */
const beforeHead = new Set(["if", "while", "for", "with"]);
/** What an expression goes on with behind parentheses that are a part of it. */
const continuation = /^(?:[.[(?+*/%&|^<>=!`-]|(?:as|in|instanceof|satisfies)$)/;
const beforeKey = new Set(["{", ",", ";", "readonly"]);
const name = /^"[\p{ID_Start}$_][\p{ID_Continue}$]*"$/u;

/**
 * A form that grows by one token after the other. What the next token decides is held back as the position of a token
 * that may still be dropped; tokens are dropped by emptying their places.
 */
class Form {
  readonly #tokens: string[] = [];
  /** For each open bracket, its place if it may be a wrapper, else -1. */
  readonly #open: number[] = [];
  /** For each open parenthesis, whether it opens the head of a statement. */
  readonly #heads: boolean[] = [];
  /** Whether the last token closed the head of a statement. */
  #isHead = false;
  #before = "";
  /** The place of a comma that is dropped if a bracket closes behind it. */
  #comma = -1;
  /** The place of a string that loses its quotes if a colon follows. */
  #key = -1;
  /** The places of parentheses that are dropped unless the expression goes on; the second one is the last token. */
  #wrapper: readonly [number, number] | undefined;
  /** The place of a parenthesis that is a wrapper unless an object follows. */
  #start = -1;

  /** Adds a comment. A statement that ends with its line ends before a comment that follows on another line or fills the line. */
  keep(text: string, isFirst: boolean): void {
    if (isFirst || text.startsWith("//")) this.#endLine();
    this.#tokens.push(text);
  }

  /** Adds a token, and decides about those that waited for it. */
  add(text: string, kind: TokenKind, isFirst: boolean): void {
    this.#decide(text, kind);
    if (isFirst && text !== ";") this.#endLine();
    const place = this.#tokens.length;
    if (
      kind === "string" &&
      this.#before !== "?" &&
      this.#before !== "case" &&
      (isFirst || beforeKey.has(this.#before)) &&
      name.test(text)
    )
      this.#key = place;
    const isBehindHead = this.#isHead;
    this.#isHead = false;
    this.#tokens.push(kind === "mark" ? this.#mark(text, place, isBehindHead) : text);
    this.#before = text;
  }

  /** Adds the semicolon that ends a statement such as `return` at the end of its line. */
  #endLine(): void {
    if (!beforeEnd.has(this.#before)) return;
    this.#tokens.push(";");
    this.#before = ";";
  }

  /** Returns the form of all that was added. */
  end(): string {
    this.#decide("", "mark");
    return this.#tokens.filter((text) => text !== "").join("\n");
  }

  #decide(text: string, kind: TokenKind): void {
    if (this.#comma >= 0 && kind === "mark" && closing.has(text)) this.#tokens[this.#comma] = "";
    this.#comma = -1;
    if (this.#wrapper !== undefined && (kind === "string" || !continuation.test(text)))
      for (const place of this.#wrapper) this.#tokens[place] = "";
    this.#wrapper = undefined;
    if (this.#start >= 0 && text === "{") this.#open[this.#open.length - 1] = -1;
    this.#start = -1;
    // A question mark may stand between the key and its colon.
    if (this.#key >= 0 && text === ":") this.#tokens[this.#key] = this.#tokens[this.#key]?.slice(1, -1) ?? "";
    if (text !== "?") this.#key = -1;
  }

  /** Returns what is kept of a mark for now. */
  #mark(text: string, place: number, isBehindHead: boolean): string {
    switch (text) {
      case ";":
        return isBehindHead || this.#heads.at(-1) === true || beforeEnd.has(this.#before) ? text : "";
      case ",":
        // A hole in a list is no trailing comma, and a comma in parentheses is an operator.
        this.#comma = this.#before === "[" || this.#before === "," ? -1 : place;
        if ((this.#open.at(-1) ?? -1) >= 0) this.#open[this.#open.length - 1] = -1;
        return text;
      case "|":
      case "&":
        return beforeUnion.has(this.#before) ? "" : text;
      case "(":
        this.#start = beforeWrapper.has(this.#before) ? place : -1;
        this.#open.push(this.#start);
        this.#heads.push(beforeHead.has(this.#before));
        return text;
      case "[":
      case "{":
        this.#open.push(-1);
        this.#heads.push(false);
        return text;
      default:
        if (text === ")" || text === "]" || text === "}") this.#close(place);
        return text;
    }
  }

  #close(place: number): void {
    const start = this.#open.pop() ?? -1;
    this.#isHead = this.#heads.pop() ?? false;
    if (start >= 0) this.#wrapper = [start, place];
  }
}
