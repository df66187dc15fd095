import { applyEdits, modify, type FormattingOptions, type ModificationOptions } from "jsonc-parser";

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
  const getInsertionIndex = ({ length }: readonly string[]): number => Math.min(index, length);
  return withMember(text, [key], value, { getInsertionIndex });
}

/**
 * Sets a member in the text of a JSON file, by its keys from the root, or removes the member if
 * `value` is `undefined`. The rest of the text does not change.
 */
export function withMember(
  text: string,
  keys: readonly string[],
  value: unknown,
  options: Pick<ModificationOptions, "getInsertionIndex"> = {},
): string {
  // The parser does not expect a byte order mark.
  if (text.startsWith("\uFEFF")) return `\uFEFF${withMember(text.slice(1), keys, value, options)}`;
  const formattingOptions = formattingOf(text);
  return applyEdits(text, modify(text, [...keys], value, { ...options, formattingOptions }));
}

/** Returns how the text of a JSON file is formatted: its line ends, and its indentation. */
function formattingOf(text: string): FormattingOptions {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const [, indent = "  "] = /\n([ \t]+)"/.exec(text) ?? [];
  return { eol, insertSpaces: !indent.includes("\t"), tabSize: indent.length };
}
