/** Returns a text with Unix line ends: editors and checkouts change them. */
export function unixLines(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}
