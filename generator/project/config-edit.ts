import { findNodeAtLocation, parseTree, type Node } from "jsonc-parser";
import { isRecord } from "../../support/values.js";

/**
 * Sets a key in the text of a configuration, or removes the key if `value` is `undefined`. The rest
 * of the text, including comments, does not change. A new key is inserted at the position `index`
 * among the keys, by default at the beginning.
 */
export function withConfigKey(
  text: string,
  key: string,
  value: string | readonly string[] | undefined,
  index = 0,
): string {
  return withMember(text, [key], value, index);
}

/**
 * Sets a member in the text of a JSON file, by its keys from the root, or removes the member if
 * `value` is `undefined`. The rest of the text does not change. A new member is on its own line,
 * unless its object is on one line. The edits of the JSON parser are not used, because they lay out
 * again whatever is on the lines that they change.
 *
 * @throws Error if the text is not an object
 */
export function withMember(
  text: string,
  keys: readonly string[],
  value: unknown,
  index = Infinity,
): string {
  // The parser does not expect a byte order mark.
  if (text.startsWith("\uFEFF")) return `\uFEFF${withMember(text.slice(1), keys, value, index)}`;
  const root = parseTree(text, [], { allowTrailingComma: true });
  const depth = keys.findLastIndex(
    (_, at) => root && findNodeAtLocation(root, keys.slice(0, at))?.type === "object",
  );
  const object = root && findNodeAtLocation(root, keys.slice(0, depth));
  const [key, ...inner] = keys.slice(depth);
  if (object === undefined || key === undefined) throw new Error("The text is not an object");
  const nested = inner.reduceRight((member, name) => ({ [name]: member }), value);
  const old = findNodeAtLocation(object, [key])?.parent;
  if (value === undefined) return old === undefined ? text : without(text, object, old);
  const layout = layoutOf(text, object);
  const written = textOf(nested, layout);
  const present = old?.children?.[1];
  if (present !== undefined) return replaced(text, present.offset, endOf(present), written);
  return inserted(text, object, { member: `${JSON.stringify(key)}: ${written}`, index, layout });
}

/** How the members of an object are laid out. */
interface Layout {
  /** The text before each member: a line end and an indentation, or a space in one line. */
  readonly before: string;
  /** The text before the end of the object. */
  readonly after: string;
  /** An additional indentation; empty for an object that is on one line. */
  readonly indent: string;
}

function layoutOf(text: string, object: Node): Layout {
  const [first] = object.children ?? [];
  if (!isOnLines(text, object)) {
    const gap = first?.offset === object.offset + 1 ? "" : " ";
    return { before: gap, after: gap, indent: "" };
  }
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const [, indent = "  "] = /\n([ \t]+)"/.exec(text) ?? [];
  const line = text.slice(0, object.offset).split("\n").at(-1) ?? "";
  const [outer = ""] = /^[ \t]*/.exec(line) ?? [];
  const own = first && /\n([ \t]*)$/.exec(text.slice(0, first.offset))?.[1];
  return { before: eol + (own ?? outer + indent), after: eol + outer, indent };
}

/** Returns whether members are on lines of their own. An empty object is like that around it. */
function isOnLines(text: string, object: Node): boolean {
  const [first] = object.children ?? [];
  if (first !== undefined) return text.slice(object.offset, first.offset).includes("\n");
  const outer = object.parent?.parent;
  return outer === undefined || isOnLines(text, outer);
}

/** Returns the text of a value. An object has its members on lines; a list is on one line. */
function textOf(value: unknown, { before, indent }: Layout): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const inner = { before: before + indent, after: before, indent };
  const members = Object.entries(value).map(
    ([key, member]) => `${inner.before}${JSON.stringify(key)}: ${textOf(member, inner)}`,
  );
  return `{${members.join(",")}${inner.after}}`;
}

function inserted(
  text: string,
  object: Node,
  {
    member,
    index,
    layout,
  }: { readonly member: string; readonly index: number; readonly layout: Layout },
): string {
  const members = object.children ?? [];
  const previous = members[Math.min(index, members.length) - 1];
  const { before, after } = layout;
  if (previous !== undefined)
    return replaced(text, endOf(previous), endOf(previous), `,${before}${member}`);
  const start = object.offset + 1;
  if (members.length > 0) return replaced(text, start, start, `${before}${member},`);
  const end = endOf(object) - 1;
  const rest = text.slice(start, end).trimEnd();
  return replaced(text, start, end, `${before}${member}${rest}${after}`);
}

/** Removes a member with the comma and the space that separate it from its neighbor. */
function without(text: string, object: Node, member: Node): string {
  const members = object.children ?? [];
  const at = members.indexOf(member);
  const [previous, next] = [members[at - 1], members[at + 1]];
  if (previous !== undefined) return replaced(text, endOf(previous), endOf(member), "");
  if (next !== undefined) return replaced(text, member.offset, next.offset, "");
  const [start, end] = [object.offset + 1, endOf(object) - 1];
  const rest = text.slice(start, member.offset) + text.slice(endOf(member), end);
  return replaced(text, start, end, /^\s*,?\s*$/.test(rest) ? "" : rest);
}

function replaced(text: string, start: number, end: number, fresh: string): string {
  return text.slice(0, start) + fresh + text.slice(end);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}
