import { applyEdits, modify } from "jsonc-parser";

/**
 * Sets a key in the text of a configuration, or removes the key if `value` is `undefined`. The rest
 * of the text, including comments, does not change. A new key is inserted at the position `index`
 * among the keys, by default at the beginning.
 */
export function withConfigKey(
  text: string,
  key: string,
  value: string | readonly string[] | undefined,
  index = 0,
): string {
  const formattingOptions = formattingOf(text);
  const getInsertionIndex = ({ length }: readonly string[]): number => Math.min(index, length);
  return applyEdits(text, modify(text, [key], value, { formattingOptions, getInsertionIndex }));
}

/** Returns how the text of a JSON file is formatted: its line ends, and its indentation. */
export function formattingOf(text: string): {
  readonly eol: string;
  readonly insertSpaces: boolean;
  readonly tabSize: number;
} {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const [, indent = "  "] = /\n([ \t]+)"/.exec(text) ?? [];
  return { eol, insertSpaces: !indent.includes("\t"), tabSize: indent.length };
}
