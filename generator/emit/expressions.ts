import { isIdentifier, keywords } from "../../support/names.js";
import { bracketed, choice, line, print, type Layout } from "./layout.js";
import { keyOf, quote } from "./text.js";

/** An expression of calls, lists and objects. A string is emitted unchanged. */
export type Expression =
  | string
  | { readonly call: string; readonly args: readonly Expression[] }
  | { readonly list: readonly Expression[] }
  | { readonly object: Readonly<Record<string, Expression>> };

/**
 * Returns the literal of a JSON value. Members that are `undefined` are omitted. `textOf` returns
 * the expression for a string.
 */
export function literalOf(value: unknown, textOf: (text: string) => string = quote): Expression {
  if (typeof value === "string") return textOf(value);
  if (Array.isArray(value)) return { list: value.map((item) => literalOf(item, textOf)) };
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return {
    object: Object.fromEntries(members.map(([key, member]) => [key, literalOf(member, textOf)])),
  };
}

/** Returns an expression on one line. */
export function flat(expression: Expression): string {
  if (typeof expression === "string") return expression;
  if ("call" in expression) return `${expression.call}(${expression.args.map(flat).join(", ")})`;
  if ("list" in expression) return `[${expression.list.map(flat).join(", ")}]`;
  const entries = Object.entries(expression.object).map(([key, value]) =>
    isShorthand(key, value) ? key : `${keyOf(key)}: ${flat(value)}`,
  );
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

/** Returns whether a member is written as its key alone, because its value is the same variable. */
function isShorthand(key: string, value: Expression): boolean {
  return key === value && isIdentifier(key) && !keywords.has(key);
}

/**
 * Returns the lines of an expression between a head and a tail. Breaks the expression if a single
 * line that begins at `columns` would be too long.
 */
export function layout(
  head: string,
  expression: Expression,
  tail: string,
  columns: number,
): string[] {
  return print([head, layoutOf(expression), tail], columns);
}

/** Returns the layout of an expression. */
export function layoutOf(expression: Expression): Layout {
  if (typeof expression === "string") return expression;
  const broken = isBroken(expression);
  if ("list" in expression) return bracketed("[", expression.list.map(layoutOf), "]", { broken });
  if ("object" in expression) {
    const entries = Object.entries(expression.object).map(([key, value]): Layout =>
      isShorthand(key, value) ? key : [`${keyOf(key)}: `, layoutOf(value)],
    );
    return bracketed("{", entries, "}", { space: line, broken });
  }
  const { call, args } = expression;
  const layout = bracketed(`${call}(`, args.map(layoutOf), ")");
  const last = args.at(-1);
  if (last === undefined || typeof last === "string" || "call" in last) return layout;
  // If the preceding arguments fit on the line of the call, the last argument begins on that line.
  const before = args.slice(0, -1).map((arg) => `${flat(arg)}, `);
  const hugged = [`${call}(${before.join("")}`, layoutOf(last), ")"];
  return broken ? choice(hugged, layout) : choice(flat(expression), hugged, layout);
}

/**
 * Returns whether the formatter always puts each item on a separate line. It does so for lists
 * whose items are objects or lists with several members each.
 */
function isBroken(expression: Expression): boolean {
  if (typeof expression === "string") return false;
  if ("call" in expression) return expression.args.some(isBroken);
  if ("object" in expression) return Object.values(expression.object).some(isBroken);
  const { list } = expression;
  return (
    list.some(isBroken) ||
    (list.length > 1 && (list.every(isLargeObject) || list.every(isLargeList)))
  );
}

function isLargeObject(expression: Expression): boolean {
  return (
    typeof expression === "object" &&
    "object" in expression &&
    Object.keys(expression.object).length > 1
  );
}

function isLargeList(expression: Expression): boolean {
  return typeof expression === "object" && "list" in expression && expression.list.length > 1;
}

/** Returns the layout of a member of an object, with the comma after it. */
export function memberLayout(name: string, expression: Expression): Layout {
  return [`${keyOf(name)}: `, layoutOf(expression), ","];
}

/** Returns the members with the literals of JSON values. Omits `undefined` and flags not set. */
export function literalMembers(values: Readonly<Record<string, unknown>>): Layout[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => memberLayout(name, literalOf(value)));
}

/**
 * Returns a member that is a list of objects, or nothing if the list is empty. The formatter puts
 * each object on a separate line if there are several.
 */
export function listMember(name: string, items: readonly Expression[] = []): Layout[] {
  if (items.length === 0) return [];
  const list = bracketed("[", items.map(layoutOf), "]", { broken: items.length > 1 });
  return [[`${keyOf(name)}: `, list, ","]];
}
