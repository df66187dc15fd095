import type { LiteralType, NumberType, TextType, TypeDef, ValueType } from "../protocol/model/types.js";
import { jsonForm, isTextual, type Rename } from "./forms.js";

/** Finds a named type of a version. */
export type Resolve = (name: string) => TypeDef | undefined;

/** One of the two types that are compared, and how its version names things. */
export interface Side {
  readonly type: ValueType;
  readonly resolve: Resolve;
  /** Makes names comparable with those of the other side. */
  readonly rename: Rename;
}

/**
 * Tells whether JSON that fits `inner` fits `outer`, too. What cannot be told from the types counts as not fitting; a
 * named type fits the one of its name, whose own changes are reported with it.
 */
export function accepts(outer: Side, inner: Side, depth = 8): boolean {
  const [of, from] = [outer.type, inner.type];
  const form = jsonForm(of, outer.rename);
  if (form === jsonForm(from, inner.rename) || form === "any" || from.kind === "never") return true;
  if (depth === 0) return false;
  const members = choicesOf(inner);
  if (members !== undefined) return members.every((type) => accepts(outer, { ...inner, type }, depth - 1));
  const choices = choicesOf(outer);
  if (choices !== undefined) return choices.some((type) => accepts({ ...outer, type }, inner, depth - 1));
  if (of.kind === "list" && from.kind === "list") {
    const isInside = isWithin(from.minItems, of.minItems, from.maxItems, of.maxItems) && (!of.unique || from.unique);
    const [element, own] = [
      { ...outer, type: of.element },
      { ...inner, type: from.element },
    ];
    return isInside === true && accepts(element, own, depth - 1);
  }
  if (of.kind === "map" && from.kind === "map") {
    const [value, own] = [
      { ...outer, type: of.value },
      { ...inner, type: from.value },
    ];
    return of.key === from.key && accepts(value, own, depth - 1);
  }
  return acceptsPlain(of, from);
}

/** The members of a union or an alias, named or not, and the values of an enum; nothing for other types. */
export function choicesOf({ type, resolve }: Side): readonly ValueType[] | undefined {
  if (type.kind === "anyOf" || type.kind === "oneOf") return type.members;
  if (type.kind === "literal" && type.values.length > 1)
    return type.values.map((value): LiteralType => ({ kind: "literal", values: [value] }));
  if (!("name" in type)) return undefined;
  const found = resolve(type.name);
  if (found?.kind === "union") return found.members;
  if (found?.kind === "alias") return [found.type];
  return found?.kind === "enum" ? [{ kind: "literal", values: found.values.map(({ name }) => name) }] : undefined;
}

function acceptsPlain(of: ValueType, from: ValueType): boolean {
  const isText = of.kind === "text" || (of.kind === "scalar" && of.scalar === "string");
  if (from.kind === "literal") {
    const [value] = from.values;
    if (isText) return typeof value === "string" && isFree(of);
    if (of.kind === "number") return typeof value === "number" && !hasLimits(of);
    return of.kind === "literal"
      ? from.values.every((one) => of.values.includes(one))
      : jsonForm(of, same) === typeof value;
  }
  if (isText && from.kind === "text" && of.kind === "text") return isWithinText(from, of);
  if (isText) return isFree(of) && (from.kind === "text" || isTextual(from));
  if (of.kind === "number" && from.kind === "number") return isWithinNumber(from, of);
  const isInteger = jsonForm(from, same).startsWith("integer") && !isTextual(from);
  const isOpen = of.kind === "number" ? !hasLimits(of) : jsonForm(of, same) === "number";
  return isOpen && isInteger;
}

function same(name: string): string {
  return name;
}

function isFree(type: ValueType): boolean {
  return (
    type.kind !== "text" || [type.minLength ?? 0, type.maxLength, type.pattern].every((limit) => (limit ?? 0) === 0)
  );
}

function isWithinText(inner: TextType, outer: TextType): boolean {
  const isMatching = outer.pattern === undefined || outer.pattern === inner.pattern;
  return isMatching && isWithin(inner.minLength, outer.minLength, inner.maxLength, outer.maxLength);
}

function hasLimits(type: NumberType): boolean {
  return type.integer || Object.keys(type).length > 2;
}

function isWithinNumber(inner: NumberType, outer: NumberType): boolean {
  const isSteady = outer.multipleOf === undefined || outer.multipleOf === inner.multipleOf;
  const exclusive =
    outer.exclusiveMinimum === inner.exclusiveMinimum && outer.exclusiveMaximum === inner.exclusiveMaximum;
  const isWhole = inner.integer || !outer.integer;
  const { minimum, maximum } = outer;
  return (
    isSteady && isWhole && exclusive && isWithin(inner.minimum, minimum ?? -Infinity, inner.maximum, maximum, -Infinity)
  );
}

/** Whether the limits of the one are inside those of the other. */
function isWithin(
  innerMin: number | undefined,
  outerMin: number | undefined,
  innerMax: number | undefined,
  outerMax: number | undefined,
  least = 0,
): boolean {
  return (innerMin ?? least) >= (outerMin ?? least) && (innerMax ?? Infinity) <= (outerMax ?? Infinity);
}
