/** A tag that {@link Inline} opens. */
export type InlineTag =
  | { readonly kind: "strong" | "em" | "del" }
  | { readonly kind: "link"; readonly url: string; readonly title: string };

/**
 * A token of a line: text, code, or the beginning or the end of a tag. A flat list instead of a
 * tree, because an agent can nest thousands of tags.
 */
export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "open"; readonly tag: InlineTag }
  | { readonly kind: "close" };

/** Signs that a backslash makes text. */
const punctuation = /[!-/:-@[-`{-~]/;

/** Length of the longest address of a link. */
const maxUrl = 2_000;

/**
 * Returns the address if a link may lead to it, in the form in which browsers send it. Other
 * addresses can run scripts, or open programs and files.
 */
export function linkUrl(address: string): string | undefined {
  if (address.length > maxUrl || !URL.canParse(address)) return undefined;
  const { protocol, href } = new URL(address);
  const isAllowed = ["http:", "https:", "mailto:"].includes(protocol);
  return isAllowed && href.length <= maxUrl ? href : undefined;
}

/** A run of the same sign, which can open and close emphasis. */
interface Run {
  readonly sign: string;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** Number of signs that neither open nor close. */
  rest: number;
  closes: number;
  /** Tags that the run opens, from the innermost to the outermost. */
  readonly opens: InlineTag[];
}

/** A bracket that can open a link. */
interface Bracket {
  readonly sign: "[" | "![";
  tag: InlineTag | undefined;
  /** Number of runs before the bracket. */
  readonly runs: number;
}

type Token = Inline | Run | Bracket;

/** Reads the tokens of a paragraph, in time that is linear in its length. */
export function parseInline(text: string): Inline[] {
  return new InlineParser(text).parse();
}

class InlineParser {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  readonly #brackets: Bracket[] = [];
  readonly #runs: Run[] = [];
  /** Positions of the runs of backticks by their lengths, in descending order. */
  readonly #backticks = new Map<number, number[]>();
  #at = 0;
  /** Where the text begins that is not yet a token. */
  #from = 0;

  constructor(text: string) {
    this.#text = text;
    for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
      const positions = this.#backticks.get(run.length) ?? [];
      positions.push(index);
      this.#backticks.set(run.length, positions);
    }
  }

  parse(): Inline[] {
    const special = /[\\`*_~[\]!<h]/g;
    for (;;) {
      special.lastIndex = this.#at;
      const found = special.exec(this.#text);
      if (found === null) break;
      this.#at = found.index;
      if (!this.#read(found[0])) this.#at += 1;
    }
    this.#at = this.#text.length;
    this.#endText();
    this.#match(0);
    return this.#tokens.flatMap(inlinesOf);
  }

  /** Reads what begins with a sign. Returns `false` if the sign is text. */
  #read(sign: string): boolean {
    switch (sign) {
      case "\\":
        return this.#escape();
      case "`":
        return this.#code();
      case "[":
        return this.#open("[");
      case "!":
        return this.#text[this.#at + 1] === "[" && this.#open("![");
      case "]":
        return this.#close();
      case "<":
        return this.#address(/<([a-z][a-z\d+.-]*:[^\s<>]{1,2000})>/iy, 1);
      case "h":
        return this.#address(/https?:\/\/[^\s<>"`[\]\p{Cc}]+/iuy, 0);
      default:
        return this.#run(sign);
    }
  }

  /** Ends the text before a token, which has some characters. */
  #endText(length = 0): void {
    const text = this.#text.slice(this.#from, this.#at);
    if (text !== "") this.#tokens.push({ kind: "text", text });
    this.#at += length;
    this.#from = this.#at;
  }

  #escape(): boolean {
    const next = this.#text[this.#at + 1] ?? "";
    if (next !== "\n" && !punctuation.test(next)) return false;
    this.#endText(1);
    // The sign itself is text.
    this.#at += 1;
    return true;
  }

  #code(): boolean {
    const start = this.#at;
    const length = this.#runLength("`");
    const positions = this.#backticks.get(length) ?? [];
    while ((positions.at(-1) ?? Infinity) <= start) positions.pop();
    const end = positions.at(-1);
    if (end === undefined) {
      this.#at += length;
      return true;
    }
    this.#endText(end + length - start);
    const code = this.#text.slice(start + length, end).replaceAll("\n", " ");
    const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
    this.#tokens.push({ kind: "code", text: isPadded ? code.slice(1, -1) : code });
    return true;
  }

  #open(sign: Bracket["sign"]): boolean {
    this.#endText(sign.length);
    const bracket: Bracket = { sign, tag: undefined, runs: this.#runs.length };
    this.#brackets.push(bracket);
    this.#tokens.push(bracket);
    return true;
  }

  #close(): boolean {
    const bracket = this.#brackets.pop();
    if (bracket === undefined || this.#text[this.#at + 1] !== "(") return false;
    const target = targetAt(this.#text, this.#at + 2);
    const url = target === undefined ? undefined : linkUrl(target.address);
    if (target === undefined || url === undefined) return false;
    this.#endText(target.end - this.#at);
    bracket.tag = { kind: "link", url, title: target.title };
    this.#match(bracket.runs);
    this.#tokens.push({ kind: "close" });
    // A link cannot contain links, but a link can consist of an image.
    if (bracket.sign === "[") this.#brackets.length = 0;
    return true;
  }

  #address(pattern: RegExp, group: number): boolean {
    const isInWord = group === 0 && /\w/.test(this.#text[this.#at - 1] ?? "");
    pattern.lastIndex = this.#at;
    const found = isInWord ? null : pattern.exec(this.#text);
    if (found === null) return false;
    const address = group === 0 ? withoutEnd(found[0]) : (found[group] ?? "");
    const url = linkUrl(address);
    if (url === undefined) {
      this.#at += found[0].length;
      return true;
    }
    this.#endText(group === 0 ? address.length : found[0].length);
    this.#tokens.push(
      { kind: "open", tag: { kind: "link", url, title: "" } },
      { kind: "text", text: address },
      { kind: "close" },
    );
    return true;
  }

  #run(sign: string): boolean {
    const before = this.#text[this.#at - 1] ?? " ";
    const length = this.#runLength(sign);
    const after = this.#text[this.#at + length] ?? " ";
    if (length > 3 || (sign === "~" && length !== 2)) {
      this.#at += length;
      return true;
    }
    const opensWord = !isSpace(after) && (!isSign(after) || isSpace(before) || isSign(before));
    const endsWord = !isSpace(before) && (!isSign(before) || isSpace(after) || isSign(after));
    const isInner = sign === "_" && opensWord && endsWord;
    const run: Run = {
      sign,
      canOpen: opensWord && (!isInner || isSign(before)),
      canClose: endsWord && (!isInner || isSign(after)),
      rest: length,
      closes: 0,
      opens: [],
    };
    this.#endText(length);
    this.#tokens.push(run);
    this.#runs.push(run);
    return true;
  }

  #runLength(sign: string): number {
    let end = this.#at;
    while (this.#text[end] === sign) end += 1;
    return end - this.#at;
  }

  /** Matches the runs from an index on, and removes them, so that each run is matched once. */
  #match(from: number): void {
    const stack: Run[] = [];
    const open = new Map<string, number>();
    const count = (sign: string, change: number): void => {
      open.set(sign, (open.get(sign) ?? 0) + change);
    };
    for (const run of this.#runs.splice(from)) {
      while (run.canClose && run.rest > 0 && (open.get(run.sign) ?? 0) > 0) {
        // Runs between the two are text.
        while (stack.at(-1)?.sign !== run.sign) count(stack.pop()?.sign ?? "", -1);
        const opener = stack.at(-1);
        if (opener === undefined) break;
        const used = Math.min(opener.rest, run.rest, 2);
        opener.opens.push({ kind: run.sign === "~" ? "del" : used === 2 ? "strong" : "em" });
        opener.rest -= used;
        run.rest -= used;
        run.closes += 1;
        if (opener.rest === 0) count(stack.pop()?.sign ?? "", -1);
      }
      if (!run.canOpen || run.rest === 0) continue;
      stack.push(run);
      count(run.sign, 1);
    }
  }
}

function inlinesOf(token: Token): Inline[] {
  if ("kind" in token) return [token];
  if ("closes" in token) {
    const { sign, rest, closes, opens } = token;
    const text: Inline[] = rest === 0 ? [] : [{ kind: "text", text: sign.repeat(rest) }];
    const opened = opens.map((tag): Inline => ({ kind: "open", tag })).reverse();
    return [
      ...Array.from({ length: closes }, (): Inline => ({ kind: "close" })),
      ...text,
      ...opened,
    ];
  }
  const { tag, sign } = token;
  return [tag === undefined ? { kind: "text", text: sign } : { kind: "open", tag }];
}

/** The address and the title of a link, and the position after the parenthesis. */
interface Target {
  readonly address: string;
  readonly title: string;
  readonly end: number;
}

/** Deepest parentheses in an address, which also keep the time linear. */
const maxParentheses = 8;

/** Reads `address "title")` at a position. */
function targetAt(text: string, start: number): Target | undefined {
  let depth = 0;
  let end = start;
  for (; end - start <= maxUrl; end += 1) {
    const sign = text[end] ?? " ";
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    if (depth < 0 || depth > maxParentheses || isSpace(sign)) break;
  }
  const address = text.slice(start, end).replace(/^<(.*)>$/, "$1");
  if (text[end] === ")" && depth < 0) return { address, title: "", end: end + 1 };
  const title = / (?:"([^"\n]{0,500})"|'([^'\n]{0,500})')\)/y;
  title.lastIndex = end;
  const found = title.exec(text);
  if (found === null) return undefined;
  return { address, title: found[1] ?? found[2] ?? "", end: title.lastIndex };
}

/** Removes the punctuation after an address in a sentence. */
function withoutEnd(address: string): string {
  let end = address.length;
  // Pairs of parentheses belong to the address.
  let unpaired = address.split(")").length - address.split("(").length;
  for (; end > 0; end -= 1) {
    const last = address[end - 1] ?? "";
    const isUnpaired = last === ")" && unpaired > 0;
    if (!isUnpaired && !/[.,:;!?'*_~\]|\\]/.test(last)) break;
    if (isUnpaired) unpaired -= 1;
  }
  return address.slice(0, end);
}

function isSpace(sign: string): boolean {
  return /\s/.test(sign);
}

function isSign(sign: string): boolean {
  return /[\p{P}\p{S}]/u.test(sign);
}
