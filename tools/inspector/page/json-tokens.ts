/** A token of indented JSON. Spaces, brackets and commas have no kind. */
export interface JsonToken {
  readonly kind: "key" | "string" | "number" | "literal" | undefined;
  readonly text: string;
}

/** A bracket, a comma or a colon, or characters up to the next token. */
const pattern = /[{}[\],:]|[^\s"{}[\],:]+/y;

/** Number of levels whose lines are indented further than their parents. */
const maxIndent = 40;

/**
 * Yields the tokens of JSON with line breaks and indentation. Reads the text without parsing it, so
 * that the reader can stop at any token of any length or depth. Numbers stay unchanged. `at` is
 * the position after the token.
 */
export function* jsonTokens(
  text: string,
): Generator<JsonToken & { readonly at: number }, undefined> {
  const stack: string[] = [];
  const find = new RegExp(pattern);
  const tokenAt = (from: number): string => {
    if (text[from] === '"') return text.slice(from, stringEnd(text, from));
    find.lastIndex = from;
    return find.exec(text)?.[0] ?? "";
  };
  const space = /\s*/gy;
  const skip = (from: number): number => {
    space.lastIndex = from;
    space.exec(text);
    return space.lastIndex;
  };
  const line = (): string => `\n${"  ".repeat(Math.min(stack.length, maxIndent))}`;
  let at = skip(0);
  while (at < text.length) {
    const token = tokenAt(at);
    const end = skip(at + token.length);
    const next = text[end];
    if (token === "{" || token === "[") {
      const close = token === "{" ? "}" : "]";
      if (next === close) {
        at = skip(end + 1);
        yield { kind: undefined, text: token + close, at };
        continue;
      }
      stack.push(close);
      yield { kind: undefined, text: token + line(), at: end };
    } else if (token === "}" || token === "]") {
      stack.pop();
      yield { kind: undefined, text: line() + token, at: end };
    } else if (token === ",") yield { kind: undefined, text: `,${line()}`, at: end };
    else if (token === ":") yield { kind: undefined, text: ": ", at: end };
    else yield { kind: kindOf(token, next), text: token, at: end };
    at = end;
  }
}

/** Returns the end of a string. A pattern would need a stack for strings of megabytes. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

function kindOf(token: string, next: string | undefined): JsonToken["kind"] {
  if (token.startsWith('"')) return next === ":" ? "key" : "string";
  if (/^-?\d/.test(token)) return "number";
  return /^(?:true|false|null)$/.test(token) ? "literal" : undefined;
}
