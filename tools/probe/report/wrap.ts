/** Width of the text report in columns. */
const width = 80;

/**
 * Splits a string into lines of at most 80 columns. Long words are also split. Lines after the
 * first have the indentation `hanging`.
 */
export function wrapped(text: string, indent: string, hanging = indent): string[] {
  const lines: string[] = [];
  let line = "";
  const room = (): number => width - (lines.length === 0 ? indent : hanging).length;
  for (const word of text.replaceAll(/\s+/g, " ").split(" ")) {
    if (line !== "" && line.length + 1 + word.length > room()) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    while (line.length > room()) {
      const part = line.slice(0, room());
      line = line.slice(room());
      lines.push(part);
    }
  }
  return [...lines, line].map((part, at) => (at === 0 ? indent : hanging) + part);
}
