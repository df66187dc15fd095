import { isIdentifier } from "../support/names.js";
import { fill, fillParagraphs } from "./prose.js";

/** The widest line of the output. */
export const lineWidth = 120;

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
export function guard(condition: string, lines: readonly string[], indentation = 2): string[] {
  const isBlock = lines.length !== 1;
  const head = `if (${condition})${isBlock ? " {" : ""}`;
  const parts = condition.split(" && ");
  if (indentation + head.length <= lineWidth || parts.length === 1)
    return isBlock ? block(head, lines) : oneOrTwo(head, lines[0] ?? "", indentation);
  const last = parts.length - 1;
  const conditions = parts.map((part, index) => indent(index === last ? part : `${part} &&`));
  return ["if (", ...conditions, isBlock ? ") {" : ")", ...lines.map(indent), ...(isBlock ? ["}"] : [])];
}

/** A statement behind its head, on a line of its own where both do not fit one. */
export function oneOrTwo(head: string, statement: string, indentation = 2): string[] {
  return indentation + head.length + statement.length + 1 <= lineWidth
    ? [`${head} ${statement}`]
    : [head, indent(statement)];
}

/** A list between a head and a tail: on one line, or one item a line where that would be too long. */
export function enclose(
  head: string,
  items: readonly string[],
  tail: string,
  { indent = 0 }: { readonly indent?: number } = {},
): string[] {
  const line = head + items.join(", ") + tail;
  if (indent + line.length <= lineWidth || items.length === 0) return [line];
  return [head, ...items.map((item) => `  ${item},`), tail];
}

/** An object literal between a head and a tail: on one line, or one entry a line where that would be too long. */
export function encloseObject(head: string, entries: readonly string[], tail: string, indent: number): string[] {
  const line = entries.length === 0 ? `${head}{}${tail}` : `${head}{ ${entries.join(", ")} }${tail}`;
  if (indent + line.length <= lineWidth) return [line];
  return [`${head}{`, ...entries.map((entry) => `  ${entry},`), `}${tail}`];
}

/** A JSON value as a literal: on one line where it fits behind `indent` columns, and over several where it does not. */
export function literal(value: unknown, indent: number): string {
  if (Array.isArray(value))
    return bracket(
      "[",
      value.map((item) => literal(item, indent + 2)),
      "]",
      indent,
    );
  if (typeof value !== "object" || value === null) return typeof value === "string" ? quote(value) : String(value);
  const members = Object.entries(value).map(([key, member]) => `${keyOf(key)}: ${literal(member, indent + 2)}`);
  return bracket("{", members, "}", indent);
}

function bracket(open: string, items: readonly string[], close: string, indent: number): string {
  const space = open === "{" && items.length > 0 ? " " : "";
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (!line.includes("\n") && indent + line.length < lineWidth - 40) return line;
  const pad = " ".repeat(indent);
  return `${open}\n${items.map((item) => `${pad}  ${item},\n`).join("")}${pad}${close}`;
}

/** The declaration of a constant that is an object: `head<types> = {`, its members one a line, and the end. */
export function declareObject(head: string, types: readonly string[], members: readonly string[]): string[] {
  const line = `${head}<${types.join(", ")}> =`;
  const inner = members.map((member) => `  ${member}`);
  if (line.length + " {".length <= lineWidth) return [`${line} {`, ...inner, "};"];
  // The formatter leaves the equals sign on a line that it just fits on, and moves the object to the next one.
  if (line.length <= lineWidth) return [line, ...["{", ...inner, "};"].map((text) => `  ${text}`)];
  const last = types.length - 1;
  const broken = types.map((type, index) => `  ${type}${index === last ? "" : ","}`);
  return [`${head}<`, ...broken, "> = {", ...inner, "};"];
}
