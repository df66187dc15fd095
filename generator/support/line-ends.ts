/** A text with the line ends of Unix, whatever an editor or a checkout has made of them. */
export function unixLines(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}
