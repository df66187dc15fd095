/** Returns text with Unix line ends, because editors and checkouts may change line ends. */
export function unixLines(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}
