import { keyOf, lineWidth, quote } from "./text.js";

/** An expression of calls, lists and objects; a text stands for itself. */
export type Expression =
  | string
  | { readonly call: string; readonly args: readonly Expression[] }
  | { readonly list: readonly Expression[] }
  | { readonly object: Readonly<Record<string, Expression>> };

/** The literal of a JSON value; members of objects that are `undefined` are left out. */
export function literalOf(value: unknown): Expression {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return { list: value.map(literalOf) };
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return { object: Object.fromEntries(members.map(([key, member]) => [key, literalOf(member)])) };
}

/** An expression on one line. */
export function flat(expression: Expression): string {
  if (typeof expression === "string") return expression;
  if ("call" in expression) return `${expression.call}(${expression.args.map(flat).join(", ")})`;
  if ("list" in expression) return `[${expression.list.map(flat).join(", ")}]`;
  const entries = Object.entries(expression.object).map(([key, value]) => `${keyOf(key)}: ${flat(value)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

/** An expression between a head and a tail, over several lines where one at `indent` would be too long. */
export function layout(head: string, expression: Expression, tail: string, indent: number): string[] {
  const line = head + flat(expression) + tail;
  if (typeof expression === "string" || (indent + line.length <= lineWidth && !isBroken(expression))) return [line];
  const items = (values: readonly Expression[]): string[] =>
    values.flatMap((value) => layout("", value, ",", indent + 2)).map((text) => `  ${text}`);
  if ("list" in expression) return [`${head}[`, ...items(expression.list), `]${tail}`];
  if ("object" in expression) {
    const entries = Object.entries(expression.object).flatMap(([key, value]) =>
      layout(`${keyOf(key)}: `, value, ",", indent + 2),
    );
    return [`${head}{`, ...entries.map((text) => `  ${text}`), `}${tail}`];
  }
  const last = expression.args.at(-1);
  if (last !== undefined && typeof last !== "string" && !("call" in last)) {
    const before = expression.args.slice(0, -1).map((arg) => `${flat(arg)}, `);
    const start = `${head}${expression.call}(${before.join("")}`;
    if (indent + start.length < lineWidth) return layout(start, last, `)${tail}`, indent);
  }
  return [`${head}${expression.call}(`, ...items(expression.args), `)${tail}`];
}

/** Whether the formatter gives each item a line, however short: of lists of objects, or of lists, with several members each. */
function isBroken(expression: Expression): boolean {
  if (typeof expression === "string") return false;
  if ("call" in expression) return expression.args.some(isBroken);
  if ("object" in expression) return Object.values(expression.object).some(isBroken);
  const { list } = expression;
  return list.some(isBroken) || (list.length > 1 && (list.every(isLargeObject) || list.every(isLargeList)));
}

function isLargeObject(expression: Expression): boolean {
  return typeof expression === "object" && "object" in expression && Object.keys(expression.object).length > 1;
}

function isLargeList(expression: Expression): boolean {
  return typeof expression === "object" && "list" in expression && expression.list.length > 1;
}

/** A member that is a list of objects; the formatter writes each on a line of its own where there are several. */
export function layoutList(name: string, items: readonly Expression[] = [], indent: number): string[] {
  if (items.length === 0) return [];
  if (items.length === 1) return layout(`${name}: `, { list: items }, ",", indent);
  const lines = items.flatMap((item) => layout("", item, ",", indent + 2));
  return [`${name}: [`, ...lines.map((line) => `  ${line}`), "],"];
}
