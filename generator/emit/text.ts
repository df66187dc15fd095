import { isIdentifier } from "../support/names.js";
import {
  braced,
  bracketed,
  choice,
  group,
  hardLine,
  indented,
  joined,
  line,
  lineWidth,
  print,
  softLine,
  type Layout,
} from "./layout.js";
import { fill, fillParagraphs } from "./prose.js";

/** A doc comment, split into lines that are safe within it. */
export interface DocView {
  readonly lines: readonly string[];
  /** Set where the comment fits one line. */
  readonly single: boolean;
}

/** Prepares a doc comment; `indent` is the number of spaces in front of it. Returns no lines for an empty string. */
export function docOf(text: string, indent = 0, tags: readonly string[] = []): DocView {
  const width = lineWidth - indent - " * ".length;
  const body = text.trim() === "" ? [] : fillParagraphs(text.trim().split("\n"), width);
  const separator = body.length > 0 && tags.length > 0 ? [""] : [];
  const lines = [...body, ...separator, ...tags.flatMap((tag) => fill(tag, width))].map((line) =>
    escapeComment(line.trimEnd()),
  );
  const [only = ""] = lines;
  return { lines, single: lines.length === 1 && indent + only.length + "/**  */".length <= lineWidth };
}

/** Keeps text from ending the comment that it stands in. */
export function escapeComment(text: string): string {
  return text.replaceAll("*/", "*\\/");
}

/** A string literal. JSON's form is valid TypeScript; line separators are escaped for old tools. */
export function quote(text: string): string {
  return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** A key of an object literal or interface. In brackets, `__proto__` is a member like any other. */
export function keyOf(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return isIdentifier(name) ? name : quote(name);
}

/** The access to a member. */
export function memberOf(object: string, name: string): string {
  return isIdentifier(name) ? `${object}.${name}` : `${object}[${quote(name)}]`;
}

/** A line, indented by one step. */
export const indent = (line: string): string => `  ${line}`;

/** Lines in braces behind a head. */
export function block(head: string, lines: readonly string[]): string[] {
  return [head, ...lines.map(indent), "}"];
}

/** A statement, or several in braces, behind a condition; a condition that is too long has each of its parts on a line. */
export function guard(condition: string, lines: readonly string[], columns = 2): string[] {
  const parts = condition.split(" && ");
  const [only, ...others] = lines;
  const isBlock = only === undefined || others.length > 0;
  const test = parts.length === 1 ? condition : [indented([softLine, joined([" &&", line], parts)]), softLine];
  // The brace stands on the line of the condition, whether that is broken or not.
  const head = (tail: string): Layout => group(["if (", test, `)${tail}`]);
  return print(isBlock ? [head(" "), braced("", lines)] : behind(head(""), only), columns);
}

/** A statement behind its head, on a line of its own if both do not fit on one. */
export function oneOrTwo(head: string, statement: string, columns = 2): string[] {
  return print(behind(head, statement), columns);
}

/** A statement behind its head, on a line of its own if both do not fit on one. */
export function behind(head: Layout, statement: Layout): Layout {
  return group([head, indented([line, statement])]);
}

/** A list between a head and a tail: on one line, or one item a line if that would be too long. */
export function enclose(
  head: string,
  items: readonly string[],
  tail: string,
  { indent: columns = 0 }: { readonly indent?: number } = {},
): string[] {
  return print(bracketed(head, items, tail), columns);
}

/** An object literal between a head and a tail: on one line, or one entry a line if that would be too long. */
export function encloseObject(head: string, entries: readonly string[], tail: string, columns: number): string[] {
  return print(bracketed(`${head}{`, entries, `}${tail}`, { space: line }), columns);
}

/** A JSON value as a literal, on one line if it is short and contains nothing that is longer. */
export function literal(value: unknown): string {
  return print(literalLayout(value), lineWidth - literalWidth).join("\n");
}

/** The widest line with a whole object or list of a literal. */
const literalWidth = 79;

function literalLayout(value: unknown): Layout {
  if (Array.isArray(value)) return bracketed("[", value.map(literalLayout), "]");
  if (typeof value !== "object" || value === null) return typeof value === "string" ? quote(value) : String(value);
  const members = Object.entries(value).map(([key, member]): Layout => [`${keyOf(key)}: `, literalLayout(member)]);
  return bracketed("{", members, "}", { space: line });
}

/** The declaration of a constant that is an object: `head<types> = {`, its members one a line, and the end. */
export function declareObject(head: string, types: readonly string[], members: readonly string[]): string[] {
  const start = `${head}<${types.join(", ")}> =`;
  const object = braced("", members, ";");
  // The formatter leaves the equals sign on a line that it just fits on, and moves the object to the next one.
  const broken = [`${head}<`, indented([hardLine, joined([",", hardLine], types)]), hardLine, "> = "];
  return print(choice([`${start} `, object], [start, indented([hardLine, object])], [broken, object]));
}
