/** Matches the comments and strings of a proto. */
export const commentOrString =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const escape =
  /(?<bytes>(?:\\x[\da-f]{1,2}|\\[0-7]{1,3})+)|\\u(?<short>[\da-f]{4})|\\U(?<long>[\da-f]{8})|\\[^]/gi;
const letters: Readonly<Record<string, string>> = { a: "\u0007", b: "\b", f: "\f", v: "\v" };

/**
 * Replaces the escapes in proto strings that protobufjs does not support with the characters that
 * they represent.
 */
export function resolveEscapes(text: string): string {
  if (!/\\[xuabfv\d]/i.test(text)) return text;
  return text.replace(commentOrString, (token) =>
    token.startsWith("/") ? token : token.replaceAll(escape, resolved),
  );
}

function resolved(found: string, ...captures: readonly unknown[]): string {
  const { bytes, short, long } = captures.at(-1) as Readonly<Record<string, string | undefined>>;
  if (bytes !== undefined) return safe(new TextDecoder().decode(Uint8Array.from(bytesOf(bytes))));
  const code = Number.parseInt(short ?? long ?? "", 16);
  if (code <= 0x10_ff_ff) return safe(String.fromCodePoint(code));
  return letters[found.slice(1)] ?? found;
}

function bytesOf(text: string): number[] {
  const codes = text.split("\\").slice(1);
  return codes.map((code) =>
    /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 8),
  );
}

/** Escapes characters that have a special meaning in strings. */
function safe(text: string): string {
  return text
    .replaceAll(/[\\"']/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\0", "\\0");
}
