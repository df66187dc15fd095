/**
 * Characters that control a terminal, end a line, or change the order in which text is displayed.
 */
const control = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Replaces control characters other than tabs with JSON escapes. Displayed text may come from an
 * untrusted document, which could otherwise send commands to the terminal.
 */
export function visible(line: string): string {
  const escape = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return line.replace(control, (sign) => (sign === "\t" ? sign : escape(sign)));
}

/** Like {@link visible}, but keeps line feeds. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}
