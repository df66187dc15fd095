import { bracketed, group, ifBroken, indented, joined, line, print, softLine, type Layout } from "../../emit/layout.js";
import { behind } from "../../emit/text.js";

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
  /** How it is laid out; absent for a text that does not break, and for what an operator joins. */
  readonly layout?: Layout;
  /** What it calls with which arguments, where it is a call. */
  readonly called?: { readonly name: string; readonly args: readonly string[] };
}

/** An expression that needs no brackets. */
export function plain(text: string): Condition {
  return { text, parts: [] };
}

/** A call. */
export function call(name: string, ...args: readonly string[]): Condition {
  const layout = bracketed(`${name}(`, args, ")");
  return { text: `${name}(${args.join(", ")})`, parts: [], layout, called: { name, args } };
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
  const layout = group([first ?? "", indented([line, `? ${second ?? ""}`, line, `: ${third ?? ""}`])]);
  return { text: `${first ?? ""} ? ${second ?? ""} : ${third ?? ""}`, operator: "?", parts: [], layout };
}

/** The call of a function that takes any number of conditions. */
export function countOne(name: string, parts: readonly Condition[]): Condition {
  const texts = parts.map(({ text }) => text);
  return { text: `${name}(${texts.join(", ")})`, parts: [], layout: bracketed(`${name}(`, texts, ")") };
}

/** The opposite of a condition. */
export function negate(condition: Condition): Condition {
  const { operator, parts, opposite, text } = condition;
  if (opposite !== undefined) return { text: opposite, opposite: text, parts: [] };
  if (operator === "||" && parts.every((part) => part.opposite !== undefined)) return join("&&", parts.map(negate));
  if (operator !== undefined) return { text: `!(${text})`, parts: [], inner: condition };
  return { text: `!${text}`, parts: [], ...(condition.layout !== undefined && { layout: ["!", condition.layout] }) };
}

function grouped({ text, operator }: Condition): string {
  return operator === undefined ? text : `(${text})`;
}

/** The statement that returns a condition, behind `columns` further columns. */
export function returnLines(condition: Condition, columns = 0): string[] {
  const { text, operator, parts, layout = text } = condition;
  const isJoined = operator !== undefined && parts.length > 0;
  const joinedParts = [ifBroken("("), indented([softLine, group(operandsOf(condition))]), softLine, ifBroken(")")];
  return indentBy(2, print(["return ", isJoined ? group(joinedParts) : layout, ";"], columns + 2));
}

/** The statement that leaves with `false` if a condition holds. */
export function refuseWhere(condition: Condition): string {
  const test = group(["if (", indented([softLine, operandsOf(condition)]), softLine, ")"]);
  return indentBy(2, print(behind(test, "return false;"), 2)).join("\n");
}

/** Conditions with an operator behind all but the last. */
function operandsOf(condition: Condition): Layout {
  const { operator, parts } = condition;
  const operands = parts.length === 0 ? [condition] : parts;
  return joined([` ${operator ?? ""}`, line], operands.map(operandOf));
}

/** A condition among others: in brackets if an operator joins its parts. */
function operandOf(condition: Condition): Layout {
  const { operator, parts, inner, layout = grouped(condition) } = condition;
  if (inner !== undefined && inner.parts.length > 0)
    return group(["!(", indented([softLine, operandsOf(inner)]), softLine, ")"]);
  if (operator === undefined || parts.length === 0) return layout;
  return group(["(", indented(operandsOf(condition)), ")"]);
}

function indentBy(spaces: number, lines: readonly string[]): string[] {
  return lines.map((each) => " ".repeat(spaces) + each);
}
