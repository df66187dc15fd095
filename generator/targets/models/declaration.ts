import { fillParagraphs } from "../../emit/prose.js";
import {
  group,
  ifBroken,
  indented,
  joined,
  line,
  lineWidth,
  print,
  softLine,
  type Layout,
} from "../../emit/layout.js";
import { splitType } from "./type-text.js";

/**
 * Formats a declaration from json-schema-to-typescript in the layout of this project's formatter,
 * with its indentation and semicolons, and with one block for each alternative of a union. The
 * library's own formatter would take longer than the rest of the generator.
 */
export function layoutDeclaration(text: string): string {
  const comments = new CommentReader();
  const code = new CodeLayout();
  const result: string[] = [];
  for (const line of text.split("\n")) {
    const comment = line === "" ? "within" : comments.read(line);
    if (comment === "within") continue;
    result.push(
      ...(comment === undefined ? code.lines(line) : layoutComment(comment, code.indent)),
    );
  }
  return result.join("\n");
}

/** Separates comment lines from code. */
class CommentReader {
  #lines: string[] | undefined;

  /**
   * Returns the text of a comment if the line ends the comment, `within` for its other lines, and
   * `undefined` for code.
   */
  read(line: string): readonly string[] | "within" | undefined {
    if (this.#lines === undefined) {
      if (line !== "/**") return undefined;
      this.#lines = [];
      return "within";
    }
    if (line !== " */") {
      this.#lines.push(line.replace(/^ \* ?/, "").trimEnd());
      return "within";
    }
    const lines = this.#lines;
    this.#lines = undefined;
    return lines;
  }
}

function layoutComment(text: readonly string[], indent: number): string[] {
  const pad = " ".repeat(indent);
  const lines = fillParagraphs(text, lineWidth - indent - " * ".length);
  const [only = ""] = lines;
  const single = `${pad}/** ${only} */`;
  if (lines.length === 1 && single.length <= lineWidth) return [single];
  return [`${pad}/**`, ...lines.map((line) => `${pad} * ${line}`.trimEnd()), `${pad} */`];
}

/** Formats code line by line. */
class CodeLayout {
  /** Indentation of the members of the current block. */
  indent = 0;
  /** End of the current block. */
  #closer = "}";

  lines(line: string): string[] {
    const [, head = "", rest = ""] = /^(export type \w+ =) (.*)$/.exec(line) ?? [];
    if (rest === "({") return this.#open(6, "    };", [head, "  | {"]);
    if (rest.endsWith("{")) return this.#intersection(head, rest.replace(/^\(/, "").split(" & "));
    if (head !== "") return layoutAlias(head, rest);
    if (line.startsWith("export interface")) return this.#open(2, "}", [line]);
    if (line === "} | {") return ["    }", "  | {"];
    if (line === "}" || line === "})") return this.#open(0, "}", [this.#closer]);
    return layoutMember(line, this.indent);
  }

  #intersection(head: string, parts: readonly string[]): string[] {
    if (parts.length <= 2) return this.#open(2, "};", [`${head} ${parts.join(" & ")}`]);
    const [first = "", ...others] = parts;
    const middle = others.slice(0, -2).map((part) => `  ${part} &`);
    const last = `  ${others.slice(-2).join(" & ")}`;
    return this.#open(4, "  };", [`${head} ${first} &`, ...middle, last]);
  }

  #open(indent: number, closer: string, lines: string[]): string[] {
    this.indent = indent;
    this.#closer = closer;
    return lines;
  }
}

function layoutAlias(head: string, type: string): string[] {
  const isGroup = type.startsWith("(") && type.endsWith(")") && isSingle(type);
  return layoutType(head, isGroup ? type.slice(1, -1) : type, 0);
}

/** Formats a member of an interface: its key, a colon, and its type. */
function layoutMember(line: string, indent: number): string[] {
  const pad = " ".repeat(indent);
  const [, head, type = ""] =
    /^((?:"(?:[^"\\]|\\.)*"|\[key: string\]|[\w$]+)\??:) (.*)$/s.exec(line) ?? [];
  return head === undefined ? [`${pad}${line};`] : layoutType(`${pad}${head}`, type, indent);
}

/**
 * Formats a type and its semicolon after a head, over several lines if a single line would be too
 * long.
 */
function layoutType(head: string, type: string, columns: number): string[] {
  const pad = " ".repeat(columns);
  const lines = print(group([head.trimStart(), typeAfterHead(type), ";"]), columns);
  return lines.map((text) => pad + text);
}

function typeAfterHead(type: string): Layout {
  if (splitType(type, " | ").length > 1) return indented([line, alternatives(type)]);
  const [first = "", ...others] = splitType(type, " & ");
  if (others.length > 0) return [` ${first}`, indented(others.map((part) => [" &", line, part]))];
  return singleAfterHead(type);
}

/** Formats a list, a record or an object with a break inside its brackets. */
function singleAfterHead(type: string): Layout {
  const [, elements] = /^\((.*)\)\[\]$/s.exec(type) ?? [];
  if (elements !== undefined)
    return [" (", indented([softLine, alternatives(elements)]), softLine, ")[]"];
  const [, item] = /^Record<string, (.*)>$/s.exec(type) ?? [];
  if (item !== undefined)
    return [" Record<", indented([softLine, "string,", line, alternatives(item)]), softLine, ">"];
  const [, member] = /^\{ \[key: string\]: (.*) \}$/s.exec(type) ?? [];
  if (member === undefined) return ` ${type}`;
  const entry = group(["[key: string]:", typeAfterHead(member), ifBroken(";")]);
  return [" {", indented([line, entry]), line, "}"];
}

/** Returns whether a type is not a union or intersection, except inside brackets. */
function isSingle(type: string): boolean {
  return splitType(type, " | ").length === 1 && splitType(type, " & ").length === 1;
}

/** Formats the members of a union: on one line, or one per line if that would be too long. */
function alternatives(type: string): Layout {
  const members = splitType(type, " | ");
  return members.length === 1 ? type : group([ifBroken("| "), joined([line, "| "], members)]);
}
