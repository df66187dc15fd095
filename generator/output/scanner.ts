/** Kind of a token: a name or number, a string, a part of a template, a comment, or any other mark. */
export type TokenKind = "word" | "string" | "template" | "comment" | "mark";

/**
 * Callback for each token of a source. `text` is the token without the quotes of a string and without the indentation
 * of a comment. `isFirst` is true for the first token of a line.
 */
export type TokenHandler = (text: string, kind: TokenKind, isFirst: boolean) => void;

/**
 * Passes the tokens of TypeScript or JSON source to `onToken`. Invalid source is accepted, but its tokens are
 * unspecified.
 */
export function scan(source: string, onToken: TokenHandler): void {
  new Scanner(source, onToken).scan(false);
}

const code = (char: string): number => char.charCodeAt(0);
const [newline, space, slash, star, backslash, dollar] = ["\n", " ", "/", "*", "\\", "$"].map(code);
const [quote, apostrophe, backtick, open, close] = ['"', "'", "`", "{", "}"].map(code);

/** Lookup table for the characters of names and numbers by ASCII code. All characters beyond ASCII belong to names. */
const isWord = Array.from({ length: 128 }, (_, index) => /[\w$#@]/.test(String.fromCharCode(index)));

/** Words that precede an expression. After such a word, a slash starts a regular expression, not a division. */
const beforeExpression = new Set(["return", "throw", "case", "typeof", "void", "delete", "await", "yield", "in", "of"]);
const regularExpression = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/suy;

class Scanner {
  readonly #source: string;
  readonly #onToken: TokenHandler;
  /** Last token that is not a comment. */
  #lastText = "";
  #lastKind: TokenKind = "mark";
  #position = 0;
  #isFirst = true;

  constructor(source: string, onToken: TokenHandler) {
    this.#source = source;
    this.#onToken = onToken;
  }

  /** Reads tokens up to the end of the source, or up to the brace that ends a placeholder of a template. */
  scan(isPlaceholder: boolean): void {
    let depth = 0;
    for (; this.#position < this.#source.length;) {
      const char = this.#source.charCodeAt(this.#position);
      if (char <= (space ?? 0)) {
        this.#isFirst ||= char === newline;
        this.#position += 1;
        continue;
      }
      if (char === close && depth === 0 && isPlaceholder) return;
      if (char === open) depth += 1;
      if (char === close) depth -= 1;
      this.#token(char);
    }
  }

  #token(char: number): void {
    if (char > 127 || isWord[char] === true) this.#word();
    else if (char === quote || char === apostrophe) this.#string(char);
    else if (char === backtick) this.#template();
    else if (char === slash) this.#slash();
    else this.#mark();
  }

  #word(): void {
    let end = this.#position + 1;
    for (; end < this.#source.length; end += 1) {
      const char = this.#source.charCodeAt(end);
      if (char < 128 && isWord[char] !== true) break;
    }
    this.#add(end, "word");
  }

  /** Reads a mark of one character, or the arrow. */
  #mark(): void {
    this.#add(this.#position + (this.#source.startsWith("=>", this.#position) ? 2 : 1), "mark");
  }

  /** Reads a string. The kind of quotes, and escapes of quotes inside the string, are not significant. */
  #string(delimiter: number): void {
    const start = this.#position + 1;
    let end = start;
    for (; end < this.#source.length; end += 1) {
      const char = this.#source.charCodeAt(end);
      if (char === delimiter) break;
      if (char === backslash) end += 1;
    }
    const content = this.#source.slice(start, end);
    const isPlain = !content.includes("\\");
    const text = isPlain
      ? content
      : content.replaceAll(/\\(.)/gsu, (all, char: string) => (/["']/.test(char) ? char : all));
    this.#add(end + 1, "string", `"${text}"`);
  }

  /** Reads a template. Passes on its text parts unchanged, and the tokens of the placeholders between them. */
  #template(): void {
    let end = this.#position + 1;
    for (; end < this.#source.length; end += 1) {
      const char = this.#source.charCodeAt(end);
      if (char === backtick) break;
      if (char === backslash) end += 1;
      if (char !== dollar || this.#source.charCodeAt(end + 1) !== open) continue;
      this.#add(end + 2, "template");
      this.scan(true);
      end = this.#position;
    }
    this.#add(end + 1, "template");
  }

  /** Reads a comment, a regular expression, or a division. */
  #slash(): void {
    const next = this.#source.charCodeAt(this.#position + 1);
    if (next === slash || next === star) {
      this.#comment(next === slash ? "\n" : "*/");
      return;
    }
    regularExpression.lastIndex = this.#position;
    const found = this.#followsValue() ? null : regularExpression.exec(this.#source);
    if (found === null) this.#mark();
    else this.#add(this.#position + found[0].length, "mark");
  }

  /** Reads a comment, ignoring the indentation of its lines. */
  #comment(end: string): void {
    const found = this.#source.indexOf(end, this.#position + 2);
    const stop = found < 0 ? this.#source.length : found + (end === "\n" ? 0 : end.length);
    const lines = this.#source.slice(this.#position, stop).split("\n");
    this.#add(stop, "comment", lines.map((line) => line.trim()).join(" "));
  }

  #followsValue(): boolean {
    if (this.#lastKind === "mark") return [")", "]", "}"].includes(this.#lastText);
    return !beforeExpression.has(this.#lastText);
  }

  /** Passes on a token that ends at `end`. */
  #add(end: number, kind: TokenKind, text = this.#source.slice(this.#position, end)): void {
    this.#onToken(text, kind, this.#isFirst);
    if (kind !== "comment") {
      this.#lastText = text;
      this.#lastKind = kind;
    }
    this.#isFirst = false;
    this.#position = end;
  }
}
