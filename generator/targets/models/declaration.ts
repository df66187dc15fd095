import { fillParagraphs } from "../../emit/prose.js";
import { lineWidth } from "../../emit/text.js";
import { splitType } from "./type-text.js";

/**
 * Lays out one declaration of json-schema-to-typescript as the formatter of this project would: indentation,
 * semicolons, one alternative of a union a block. The library's own formatter would take longer than all the rest.
 */
export function layoutDeclaration(text: string): string {
  const comments = new CommentReader();
  const code = new CodeLayout();
  const result: string[] = [];
  for (const line of text.split("\n")) {
    const comment = line === "" ? "within" : comments.read(line);
    if (comment === "within") continue;
    result.push(...(comment === undefined ? code.lines(line) : layoutComment(comment, code.indent)));
  }
  return result.join("\n");
}

/** Separates the lines of comments from code. */
class CommentReader {
  #lines: string[] | undefined;

  /** Returns the text of a comment at its end, `within` inside of one, and nothing for code. */
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

/** Lays out the lines of code, one after another. */
class CodeLayout {
  /** The indentation of the members at this place. */
  indent = 0;
  /** What ends the block at this place. */
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
    return this.#open(4, "  };", [`${head} ${first} &`, ...middle, `  ${others.slice(-2).join(" & ")}`]);
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

/** A member of an interface: its key, a colon, and its type. */
function layoutMember(line: string, indent: number): string[] {
  const pad = " ".repeat(indent);
  const [, head, type = ""] = /^((?:"(?:[^"\\]|\\.)*"|\[key: string\]|[\w$]+)\??:) (.*)$/s.exec(line) ?? [];
  return head === undefined ? [`${pad}${line};`] : layoutType(`${pad}${head}`, type, indent);
}

/** A type and a semicolon behind a head, over several lines where one would be too long. */
function layoutType(head: string, type: string, indent: number): string[] {
  const line = `${head} ${type};`;
  if (line.length <= lineWidth) return [line];
  const pad = " ".repeat(indent);
  if (splitType(type, " | ").length > 1) return endWith([head, ...alternatives(type, indent + 2)], ";");
  const [, group] = isSingle(type) ? (/^\((.*)\)\[\]$/s.exec(type) ?? []) : [];
  if (group !== undefined) return [`${head} (`, ...alternatives(group, indent + 2), `${pad})[];`];
  const [, item] = /^Record<string, (.*)>$/s.exec(type) ?? [];
  if (item !== undefined) return [`${head} Record<`, `${pad}  string,`, ...alternatives(item, indent + 2), `${pad}>;`];
  const [, member] = isSingle(type) ? (/^\{ \[key: string\]: (.*) \}$/s.exec(type) ?? []) : [];
  if (member !== undefined)
    return [`${head} {`, ...layoutType(`${pad}  [key: string]:`, member, indent + 2), `${pad}};`];
  const [first = "", ...others] = splitType(type, " & ");
  if (others.length === 0) return [line];
  return [
    `${head} ${first} &`,
    ...endWith(
      others
        .map((part) => `${pad}  ${part}`)
        .join(" &\n")
        .split("\n"),
      ";",
    ),
  ];
}

/** Returns whether a type is neither a union nor an intersection, as long as it is not in brackets. */
function isSingle(type: string): boolean {
  return splitType(type, " | ").length === 1 && splitType(type, " & ").length === 1;
}

/** The members of a union: on one line, or one a line where that would be too long. */
function alternatives(type: string, indent: number): string[] {
  const pad = " ".repeat(indent);
  const members = splitType(type, " | ");
  if (members.length === 1 || indent + type.length < lineWidth) return [pad + type];
  return members.map((member) => `${pad}| ${member}`);
}

function endWith(lines: readonly string[], tail: string): string[] {
  return [...lines.slice(0, -1), `${lines.at(-1) ?? ""}${tail}`];
}
