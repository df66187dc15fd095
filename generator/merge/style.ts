import { ts } from "ts-morph";
import { walk } from "./parse.js";

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
  const quotes: string[] = [];
  const ends: boolean[] = [];
  walk(source, (node) => {
    if (ts.isStringLiteral(node)) quotes.push(source.text.charAt(node.getStart(source)));
    if (endsInSemicolon(node)) ends.push(source.text.charAt(node.end - 1) === ";");
  });
  return {
    eol: lineEnd(source.text),
    unit: unitOf(source.text),
    quote: prevails(quotes.map((quote) => quote === "'")) ? "'" : '"',
    semicolons: !prevails(ends.map((end) => !end)),
  };
}

/**
 * Converts text of the output to the style of a file, with an indentation. The text of doc comments does not change.
 */
export function restyle(text: string, style: Style, indentation: string): string {
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => restyleLine(line, style, indentation)).join(style.eol);
}

function restyleLine(line: string, { unit, quote, semicolons }: Style, indentation: string): string {
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

function endsInSemicolon(node: ts.Node): boolean {
  return (
    ts.isImportDeclaration(node) ||
    ts.isVariableStatement(node) ||
    ts.isExpressionStatement(node) ||
    ts.isReturnStatement(node) ||
    ts.isThrowStatement(node) ||
    ts.isPropertyDeclaration(node)
  );
}

function lineEnd(text: string): string {
  const ends = [...text.matchAll(/\r\n|\n|\r/g)].map(([end]) => end);
  const count = (end: string): number => ends.filter((one) => one === end).length;
  return ["\n", "\r\n", "\r"].reduce((best, end) => (count(end) > count(best) ? end : best));
}

/** Returns the smallest increase of indentation between consecutive lines. */
function unitOf(text: string): string {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => /\S/.test(line) && !/^\s*\*/.test(line));
  const heads = lines.map((line) => /^[ \t]*/.exec(line)?.[0] ?? "");
  if (prevails(heads.filter((head) => head !== "").map((head) => head.startsWith("\t")))) return "\t";
  const steps = heads.flatMap((head, index) => {
    const step = head.length - (heads[index - 1] ?? "").length;
    return step > 1 ? [step] : [];
  });
  const counted = [2, 4, 3, 8].map((step) => ({ step, times: steps.filter((one) => one === step).length }));
  const best = counted.reduce((a, b) => (b.times > a.times ? b : a));
  return " ".repeat(best.times === 0 ? 2 : best.step);
}
