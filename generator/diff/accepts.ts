import type {
  LiteralType,
  NumberType,
  StringType,
  TypeDef,
  ValueType,
} from "../protocol/model/types.js";
import { jsonForm, isStringInJson, type Rename } from "./forms.js";

/** Finds a named type of a version. */
export type Resolve = (name: string) => TypeDef | undefined;

/** One of two types to compare, with the names and types of its version. */
export interface Side {
  readonly type: ValueType;
  readonly resolve: Resolve;
  /** Converts a name to the corresponding name of the other side. */
  readonly rename: Rename;
}

/**
 * Returns whether all JSON that is valid for `inner` is also valid for `outer`; `false` if this
 * cannot be determined. A named type accepts the type with the same name, because changes inside a
 * type are reported separately.
 */
export function accepts(outer: Side, inner: Side, depth = 8): boolean {
  const [of, from] = [outer.type, inner.type];
  const form = jsonForm(of, outer.rename);
  if (form === jsonForm(from, inner.rename) || form === "any" || from.kind === "never") return true;
  if (depth === 0) return false;
  const members = choicesOf(inner);
  if (members !== undefined)
    return members.every((type) => accepts(outer, { ...inner, type }, depth - 1));
  const choices = choicesOf(outer);
  if (choices !== undefined)
    return choices.some((type) => accepts({ ...outer, type }, inner, depth - 1));
  if (of.kind === "list" && from.kind === "list") {
    const isInside =
      isWithin(from.minItems, of.minItems, from.maxItems, of.maxItems) &&
      (!of.unique || from.unique);
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

/**
 * Returns the members of a union or an alias, or the values of an enum; `undefined` for other
 * types.
 */
export function choicesOf({ type, resolve }: Side): readonly ValueType[] | undefined {
  if (type.kind === "anyOf" || type.kind === "oneOf") return type.members;
  if (type.kind === "literal" && type.values.length > 1)
    return type.values.map((value): LiteralType => ({ kind: "literal", values: [value] }));
  if (!("name" in type)) return undefined;
  const found = resolve(type.name);
  if (found?.kind === "union") return found.members;
  if (found?.kind === "alias") return [found.type];
  return found?.kind === "enum"
    ? [{ kind: "literal", values: found.values.map(({ name }) => name) }]
    : undefined;
}

function acceptsPlain(of: ValueType, from: ValueType): boolean {
  const isString = of.kind === "string" || (of.kind === "scalar" && of.scalar === "string");
  if (from.kind === "literal") {
    const [value] = from.values;
    if (isString) return typeof value === "string" && isUnlimited(of);
    if (of.kind === "number") return typeof value === "number" && !hasLimits(of);
    return of.kind === "literal"
      ? from.values.every((candidate) => of.values.includes(candidate))
      : jsonForm(of, same) === typeof value;
  }
  if (isString && from.kind === "string" && of.kind === "string") return isWithinString(from, of);
  if (isString) return isUnlimited(of) && (from.kind === "string" || isStringInJson(from));
  if (of.kind === "number" && from.kind === "number") return isWithinNumber(from, of);
  const isInteger = jsonForm(from, same).startsWith("integer") && !isStringInJson(from);
  const isOpen = of.kind === "number" ? !hasLimits(of) : jsonForm(of, same) === "number";
  return isOpen && isInteger;
}

function same(name: string): string {
  return name;
}

function isUnlimited(type: ValueType): boolean {
  return (
    type.kind !== "string" ||
    [type.minLength ?? 0, type.maxLength, type.pattern].every((limit) => (limit ?? 0) === 0)
  );
}

function isWithinString(inner: StringType, outer: StringType): boolean {
  const isMatching = outer.pattern === undefined || outer.pattern === inner.pattern;
  return isMatching && isWithin(inner.minLength, outer.minLength, inner.maxLength, outer.maxLength);
}

function hasLimits(type: NumberType): boolean {
  return type.integer || Object.keys(type).length > 2;
}

function isWithinNumber(inner: NumberType, outer: NumberType): boolean {
  const isSameStep = outer.multipleOf === undefined || outer.multipleOf === inner.multipleOf;
  const exclusive =
    outer.exclusiveMinimum === inner.exclusiveMinimum &&
    outer.exclusiveMaximum === inner.exclusiveMaximum;
  const isIntegerCompatible = inner.integer || !outer.integer;
  const { minimum, maximum } = outer;
  return (
    isSameStep &&
    isIntegerCompatible &&
    exclusive &&
    isWithin(inner.minimum, minimum ?? -Infinity, inner.maximum, maximum, -Infinity)
  );
}

/** Returns whether the inner limits are within the outer limits. */
function isWithin(
  innerMin: number | undefined,
  outerMin: number | undefined,
  innerMax: number | undefined,
  outerMax: number | undefined,
  least = 0,
): boolean {
  return (
    (innerMin ?? least) >= (outerMin ?? least) && (innerMax ?? Infinity) <= (outerMax ?? Infinity)
  );
}
