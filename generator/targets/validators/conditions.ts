import { lineWidth } from "../../emit/text.js";

/** An expression that is true or false, and how it holds together with others. */
export interface Condition {
  readonly text: string;
  /** The same with the opposite result, where that is shorter than to put a `!` in front. */
  readonly opposite?: string;
  /** What joins its parts; absent where it is one. */
  readonly operator?: "||" | "&&" | "?";
  readonly parts: readonly Condition[];
  /** What is in brackets behind a `!`. */
  readonly inner?: Condition;
  /** How the formatter lays it out behind `return` where it is too long for a line. */
  readonly broken?: readonly string[];
  /** What it calls with which arguments, where it is a call. */
  readonly called?: { readonly name: string; readonly args: readonly string[] };
}

/** An expression that needs no brackets. */
export function plain(text: string): Condition {
  return { text, parts: [] };
}

/** A call. */
export function call(name: string, ...args: readonly string[]): Condition {
  return { text: `${name}(${args.join(", ")})`, parts: [], called: { name, args } };
}

/** A comparison: `left` and `right` are equal. */
export function equals(left: string, right: string): Condition {
  return { text: `${left} === ${right}`, opposite: `${left} !== ${right}`, parts: [] };
}

/** Joins conditions by an operator. */
export function join(operator: "||" | "&&", parts: readonly Condition[]): Condition {
  const flat = parts.flatMap((part) => (part.operator === operator ? part.parts : [part]));
  const [only] = flat;
  if (flat.length === 1 && only !== undefined) return only;
  return { text: flat.map(grouped).join(` ${operator} `), operator, parts: flat };
}

/** One condition or another, by a third one. */
export function choose(test: Condition, then: Condition, otherwise: Condition): Condition {
  const [first, second, third] = [test, then, otherwise].map(grouped);
  const broken = [first ?? "", `  ? ${second ?? ""}`, `  : ${third ?? ""}`];
  return { text: `${first ?? ""} ? ${second ?? ""} : ${third ?? ""}`, operator: "?", parts: [], broken };
}

/** The call of a function that takes any number of conditions. */
export function countOne(name: string, parts: readonly Condition[]): Condition {
  const texts = parts.map(({ text }) => text);
  const broken = [`${name}(`, ...texts.map((text) => `  ${text},`), ")"];
  return { text: `${name}(${texts.join(", ")})`, parts: [], broken };
}

/** The opposite of a condition. */
export function negate(condition: Condition): Condition {
  const { operator, parts, opposite, text } = condition;
  if (opposite !== undefined) return { text: opposite, opposite: text, parts: [] };
  if (operator === "||" && parts.every((part) => part.opposite !== undefined)) return join("&&", parts.map(negate));
  if (operator !== undefined) return { text: `!(${text})`, parts: [], inner: condition };
  const broken = condition.broken ?? brokenCall(condition);
  return { text: `!${text}`, parts: [], ...(broken && { broken: [`!${broken[0] ?? ""}`, ...broken.slice(1)] }) };
}

function grouped({ text, operator }: Condition): string {
  return operator === undefined ? text : `(${text})`;
}

/** The statement that returns a condition, laid out as the formatter does behind `indent` further columns. */
export function returnLines(condition: Condition, indent = 0): string[] {
  const width = lineWidth - indent;
  const line = `  return ${condition.text};`;
  const { operator, parts } = condition;
  if (line.length <= width) return [line];
  const broken = condition.broken ?? brokenCall(condition);
  if (broken !== undefined)
    return indentBy(2, ["return " + (broken[0] ?? ""), ...broken.slice(1, -1), `${broken.at(-1) ?? ""};`]);
  if (operator === undefined) return [line];
  if (condition.text.length + 4 <= width) return ["  return (", `    ${condition.text}`, "  );"];
  return ["  return (", ...operands(parts, operator), "  );"];
}

/** The statement that leaves with `false` where a condition holds, laid out as the formatter does. */
export function refuseWhere(condition: Condition): string {
  const head = `  if (${condition.text})`;
  const leave = " return false;";
  if (head.length + leave.length <= lineWidth) return head + leave;
  if (head.length <= lineWidth) return `${head}\n   ${leave}`;
  const { operator = "&&", parts } = condition;
  const lines = operands(parts.length === 0 ? [condition] : parts, operator);
  return ["  if (", ...lines, "  )", `   ${leave}`].join("\n");
}

/** Conditions one a line, with an operator behind all but the last. */
function operands(parts: readonly Condition[], operator: string): string[] {
  return parts.flatMap((part, index) => {
    const tail = index === parts.length - 1 ? "" : ` ${operator}`;
    const line = `    ${grouped(part)}${tail}`;
    if (line.length <= lineWidth) return [line];
    const broken = brokenGroup(part) ?? part.broken ?? brokenCall(part);
    return broken === undefined ? [line] : indentBy(4, [...broken.slice(0, -1), `${broken.at(-1) ?? ""}${tail}`]);
  });
}

/** A condition in brackets with one part a line. */
function brokenGroup(condition: Condition): string[] | undefined {
  const { operator, parts } = condition.inner ?? condition;
  if (operator === undefined || parts.length === 0) return undefined;
  const lines = operands(parts, operator).map((line) => line.slice(2));
  if (condition.inner !== undefined) return ["!(", ...lines, ")"];
  const [first = "", ...others] = lines;
  return [`(${first.trimStart()}`, ...others.slice(0, -1), `${others.at(-1) ?? ""})`];
}

/** A call with one argument a line. */
function brokenCall({ called }: Condition): string[] | undefined {
  return called && [`${called.name}(`, ...called.args.map((argument) => `  ${argument},`), ")"];
}

function indentBy(spaces: number, lines: readonly string[]): string[] {
  return lines.map((line) => " ".repeat(spaces) + line);
}
