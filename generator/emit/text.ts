import { isIdentifier } from "../../support/names.js";
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

/** A doc comment, split into lines that are safe inside a comment. */
export interface DocView {
  readonly lines: readonly string[];
  /** Set if the comment fits on one line. */
  readonly single: boolean;
}

/**
 * Prepares a doc comment. `indent` is the number of spaces before it. Returns no lines for an empty
 * string.
 */
export function docOf(text: string, indent = 0, tags: readonly string[] = []): DocView {
  const width = lineWidth - indent - " * ".length;
  const body = text.trim() === "" ? [] : fillParagraphs(text.trim().split("\n"), width);
  const separator = body.length > 0 && tags.length > 0 ? [""] : [];
  const lines = [...body, ...separator, ...tags.flatMap((tag) => fill(tag, width))].map((line) =>
    escapeComment(line.trimEnd()),
  );
  const [only = ""] = lines;
  return {
    lines,
    single: lines.length === 1 && indent + only.length + "/**  */".length <= lineWidth,
  };
}

/** Escapes text so that it cannot end the comment around it. */
export function escapeComment(text: string): string {
  return text.replaceAll("*/", "*\\/");
}

/**
 * Returns a string literal. JSON strings are valid TypeScript; line separators are escaped for old
 * tools.
 */
export function quote(text: string): string {
  return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/**
 * Returns the name of a type for error messages: without the underscores that only make the name
 * unique in the output.
 */
export function shownName({
  name,
  fullName,
}: {
  readonly name: string;
  readonly fullName: string;
}): string {
  return fullName.endsWith("_") ? name : name.replace(/(?<=.)_+$/, "");
}

/**
 * Returns a key of an object literal or interface. `__proto__` is put in brackets, so that it is an
 * ordinary member.
 */
export function keyOf(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return isIdentifier(name) ? name : quote(name);
}

/** Returns an expression that accesses a member. */
export function memberOf(object: string, name: string): string {
  return isIdentifier(name) ? `${object}.${name}` : `${object}[${quote(name)}]`;
}

/** Returns a line indented by one step. */
export const indent = (line: string): string => `  ${line}`;

/** Returns lines in braces after a head. */
export function block(head: string, lines: readonly string[]): string[] {
  return [head, ...lines.map(indent), "}"];
}

/**
 * Returns one statement, or several in braces, after a condition. If the condition is too long,
 * each of its parts is on a separate line.
 */
export function guard(condition: string, lines: readonly Layout[], columns = 2): string[] {
  // Conditions contain ` && ` only at the top level.
  const parts = condition.split(" && ");
  const [first, ...others] = lines;
  const test =
    parts.length === 1 ? condition : [indented([softLine, joined([" &&", line], parts)]), softLine];
  // The brace is on the last line of the condition, even if the condition breaks.
  const head = (afterParenthesis: "" | " "): Layout =>
    group(["if (", test, `)${afterParenthesis}`]);
  if (first !== undefined && others.length === 0) return print(withHead(head(""), first), columns);
  return print([head(" "), braced("", lines)], columns);
}

/** Returns a statement after its head, on a separate line if both do not fit on one line. */
export function headedStatement(head: string, statement: Layout, columns = 2): string[] {
  return print(withHead(head, statement), columns);
}

/** Returns a statement after its head, on a separate line if both do not fit on one line. */
export function withHead(head: Layout, statement: Layout): Layout {
  return group([head, indented([line, statement])]);
}

/**
 * Returns a list between a head and a tail: on one line, or with one item per line if it would be
 * too long.
 */
export function enclose(
  head: string,
  items: readonly string[],
  tail: string,
  { indent: columns = 0 }: { readonly indent?: number } = {},
): string[] {
  return print(bracketed(head, items, tail), columns);
}

/**
 * Returns an object literal between a head and a tail: on one line, or with one entry per line if
 * it would be too long.
 */
export function encloseObject(
  head: string,
  entries: readonly string[],
  tail: string,
  columns: number,
): string[] {
  return print(bracketed(`${head}{`, entries, `}${tail}`, { space: line }), columns);
}

/**
 * Returns the declaration of a constant object: `head<types> = {`, one member per line, and the
 * end.
 */
export function declareObject(
  head: string,
  types: readonly string[],
  members: readonly Layout[],
): string[] {
  const start = `${head}<${types.join(", ")}> =`;
  const object = braced("", members, ";");
  // If the line just fits up to the equals sign, the formatter keeps the sign on this line and
  // moves the object to the next line.
  const broken = [
    `${head}<`,
    indented([hardLine, joined([",", hardLine], types)]),
    hardLine,
    "> = ",
  ];
  return print(
    choice([`${start} `, object], [start, indented([hardLine, object])], [broken, object]),
  );
}

/**
 * Returns the declaration of variables for members of an object; no lines without members. `column`
 * is the number of spaces before it.
 */
export function destructured(object: string, keys: readonly string[], column: number): string[] {
  if (keys.length === 0) return [];
  const pattern = `const { ${keys.join(", ")} } =`;
  const end = `${object};`;
  const broken = [bracketed("const {", keys, "}", { space: hardLine }), ` = ${end}`];
  return print(choice(`${pattern} ${end}`, [pattern, indented([hardLine, end])], broken), column);
}
