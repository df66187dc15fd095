import { ts } from "ts-morph";

/** Code style of a file. */
export interface Style {
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
  readonly quote: '"' | "'";
  readonly semicolons: boolean;
}

/** Detects the code style of a file: for each choice, the most frequent style. */
export function styleOf(source: ts.SourceFile): Style {
  const { text, statements } = source;
  const ended = statements.filter(
    (node) => ts.isImportDeclaration(node) || ts.isVariableStatement(node),
  );
  return {
    eol: text.includes("\r\n") ? "\r\n" : "\n",
    unit: unitOf(text),
    quote: prevails([...text.matchAll(/(["'])[^"'\n]*\1/g)].map(([, quote]) => quote === "'"))
      ? "'"
      : '"',
    semicolons: !prevails(ended.map((node) => text.charAt(node.end - 1) !== ";")),
  };
}

/**
 * Converts text of the output to the style of a file, with an indentation. The text of doc comments
 * does not change.
 */
export function restyle(text: string, style: Style, indentation: string): string {
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => restyleLine(line, style, indentation)).join(style.eol);
}

function restyleLine(
  line: string,
  { unit, quote, semicolons }: Style,
  indentation: string,
): string {
  const [spaces = ""] = /^ */.exec(line) ?? [];
  const content = line.slice(spaces.length);
  if (content === "") return "";
  const head = indentation + unit.repeat(spaces.length >> 1) + " ".repeat(spaces.length % 2);
  if (/^\/?\*/.test(content)) return head + content;
  const quoted = quote === '"' ? content : content.replaceAll(/"([^"'\\]*)"/g, "'$1'");
  return head + (semicolons ? quoted : quoted.replace(/;$/, ""));
}

function prevails(votes: readonly boolean[]): boolean {
  return votes.filter((vote) => vote).length * 2 > votes.length;
}

/** Returns a tab if most lines begin with tabs, otherwise the smallest indentation of a line. */
function unitOf(text: string): string {
  const heads = [...text.matchAll(/^([ \t]+)[^\s*]/gm)].map(([, head = ""]) => head);
  if (prevails(heads.map((head) => head.startsWith("\t")))) return "\t";
  const widths = heads.map((head) => head.length).filter((width) => width > 1);
  return " ".repeat(widths.length === 0 ? 2 : Math.min(...widths));
}
