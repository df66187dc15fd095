import {
  bracketed,
  group,
  ifBroken,
  indented,
  joined,
  line,
  print,
  softLine,
  type Layout,
} from "../../emit/layout.js";
import { withHead } from "../../emit/text.js";

/** Boolean expression, with the information for combining it with other expressions. */
export interface Condition {
  readonly text: string;
  /** Negated expression, if it is shorter than the expression with a `!`. */
  readonly opposite?: string;
  /** Operator between the parts; absent for a single part. */
  readonly operator?: "||" | "&&" | "?";
  readonly parts: readonly Condition[];
  /** Condition in the parentheses after a `!`. */
  readonly inner?: Condition;
  /** Layout of the expression; absent if it never breaks or if it has an operator. */
  readonly layout?: Layout;
  /** Name and arguments if the condition is a call. */
  readonly called?: { readonly name: string; readonly args: readonly string[] };
}

/** Returns an expression that never needs parentheses. */
export function plain(text: string): Condition {
  return { text, parts: [] };
}

/** Returns a call. */
export function call(name: string, ...args: readonly string[]): Condition {
  const layout = bracketed(`${name}(`, args, ")");
  return { text: `${name}(${args.join(", ")})`, parts: [], layout, called: { name, args } };
}

/** Returns the condition that `left` equals `right`. */
export function equals(left: string, right: string): Condition {
  return { text: `${left} === ${right}`, opposite: `${left} !== ${right}`, parts: [] };
}

/** Combines conditions with an operator. */
export function join(operator: "||" | "&&", parts: readonly Condition[]): Condition {
  const flat = parts.flatMap((part) => (part.operator === operator ? part.parts : [part]));
  const [only] = flat;
  if (flat.length === 1 && only !== undefined) return only;
  return { text: flat.map(grouped).join(` ${operator} `), operator, parts: flat };
}

/** Returns the conditional expression `test ? then : otherwise`. */
export function choose(test: Condition, then: Condition, otherwise: Condition): Condition {
  const [first, second, third] = [test, then, otherwise].map(grouped);
  const layout = group([
    first ?? "",
    indented([line, `? ${second ?? ""}`, line, `: ${third ?? ""}`]),
  ]);
  return {
    text: `${first ?? ""} ? ${second ?? ""} : ${third ?? ""}`,
    operator: "?",
    parts: [],
    layout,
  };
}

/** Returns a call to a function that takes any number of conditions. */
export function countOne(name: string, parts: readonly Condition[]): Condition {
  const texts = parts.map(({ text }) => text);
  return {
    text: `${name}(${texts.join(", ")})`,
    parts: [],
    layout: bracketed(`${name}(`, texts, ")"),
  };
}

/** Negates a condition. */
export function negate(condition: Condition): Condition {
  const { operator, parts, opposite, text } = condition;
  if (opposite !== undefined) return { text: opposite, opposite: text, parts: [] };
  if (operator === "||" && parts.every((part) => part.opposite !== undefined))
    return join("&&", parts.map(negate));
  if (operator !== undefined) return { text: `!(${text})`, parts: [], inner: condition };
  return {
    text: `!${text}`,
    parts: [],
    ...(condition.layout !== undefined && { layout: ["!", condition.layout] }),
  };
}

function grouped({ text, operator }: Condition): string {
  return operator === undefined ? text : `(${text})`;
}

/** Returns the statement that returns a condition, for code that is indented by `columns`. */
export function returnLines(condition: Condition, columns = 0): string[] {
  const { text, operator, parts, layout = text } = condition;
  const isJoined = operator !== undefined && parts.length > 0;
  const joinedParts = [
    ifBroken("("),
    indented([softLine, group(operandsOf(condition))]),
    softLine,
    ifBroken(")"),
  ];
  return indentBy(2, print(["return ", isJoined ? group(joinedParts) : layout, ";"], columns + 2));
}

/** Returns the statement that returns `false` if a condition holds. */
export function refuseIf(condition: Condition): string {
  const test = group(["if (", indented([softLine, operandsOf(condition)]), softLine, ")"]);
  return indentBy(2, print(withHead(test, "return false;"), 2)).join("\n");
}

/**
 * Returns the operands of a condition. Each operand except the last is followed by the operator.
 */
function operandsOf(condition: Condition): Layout {
  const { operator, parts } = condition;
  const operands = parts.length === 0 ? [condition] : parts;
  return joined([` ${operator ?? ""}`, line], operands.map(operandOf));
}

/** Returns a condition as an operand: in parentheses if it has an operator. */
function operandOf(condition: Condition): Layout {
  const { operator, parts, inner, layout = grouped(condition) } = condition;
  if (inner !== undefined && inner.parts.length > 0)
    return group(["!(", indented([softLine, operandsOf(inner)]), softLine, ")"]);
  if (operator === undefined || parts.length === 0) return layout;
  return group(["(", indented(operandsOf(condition)), ")"]);
}

function indentBy(spaces: number, lines: readonly string[]): string[] {
  return lines.map((text) => " ".repeat(spaces) + text);
}
