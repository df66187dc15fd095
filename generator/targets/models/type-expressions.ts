import type { NameSource } from "../../emit/imports.js";
import { runtime } from "../../emit/runtime-modules.js";

/** TypeScript type in one of the forms that models use. */
export type TypeExpression =
  /** Keyword of the language, type that the models declare, or literal. */
  | { readonly kind: "word" | "declared" | "literal"; readonly text: string }
  | { readonly kind: "runtime"; readonly name: RuntimeType }
  | { readonly kind: "list"; readonly item: TypeExpression }
  | { readonly kind: "map"; readonly value: TypeExpression; readonly form: "record" | "index" }
  | { readonly kind: "union" | "intersection"; readonly members: readonly TypeExpression[] };

type RuntimeType = "AnyObject" | "JsonNumber" | "JsonObject" | "JsonValue";

/** Returns the type of a keyword. */
export function word(text: string): TypeExpression {
  return { kind: "word", text };
}

/** Returns a type of the runtime. */
export function runtimeType(name: RuntimeType): TypeExpression {
  return { kind: "runtime", name };
}

/** Returns the union of types. Omits duplicates, and types that another type includes. */
export function union(members: readonly TypeExpression[]): TypeExpression {
  const distinct = distinctParts("union", members);
  const keys = new Set(distinct.map(keyOf));
  const remaining = distinct.filter(
    (member) => keyOf(member) !== keyOf(never) && !isIncluded(member, keys),
  );
  const [only = never] = remaining;
  return remaining.length < 2 ? only : { kind: "union", members: remaining };
}

/**
 * Returns the intersection of types. Omits members that accept any JSON, because they do not
 * restrict the intersection.
 */
export function intersection(members: readonly TypeExpression[]): TypeExpression {
  const distinct = distinctParts("intersection", members);
  if (distinct.some((member) => keyOf(member) === keyOf(never))) return never;
  const remaining = distinct.filter((member) => keyOf(member) !== keyOf(anyJson));
  const [only = anyJson] = remaining;
  return remaining.length < 2 ? only : { kind: "intersection", members: remaining };
}

/** Returns the text of a type, with the names that a file uses. */
export function write(type: TypeExpression, names: NameSource): string {
  switch (type.kind) {
    case "word":
    case "literal":
      return type.text;
    case "declared":
      return names.ownType(type.text);
    case "runtime":
      return names.type(runtime[type.name]);
    case "list":
      return `${inBrackets(type.item, names)}[]`;
    case "map": {
      const value = write(type.value, names);
      return type.form === "record" ? `Record<string, ${value}>` : `{ [key: string]: ${value} }`;
    }
    case "union":
      return type.members
        .map((member) =>
          member.kind === "intersection" ? inBrackets(member, names) : write(member, names),
        )
        .join(" | ");
    case "intersection":
      return type.members.map((member) => inBrackets(member, names)).join(" & ");
  }
}

const never = word("never");
const anyJson = runtimeType("JsonValue");

function inBrackets(type: TypeExpression, names: NameSource): string {
  const text = write(type, names);
  return type.kind === "union" || type.kind === "intersection" ? `(${text})` : text;
}

/**
 * Returns the distinct parts of a union or an intersection, with nested parts of the same kind
 * flattened.
 */
function distinctParts(
  kind: "union" | "intersection",
  members: readonly TypeExpression[],
): TypeExpression[] {
  const flat = members.flatMap((member) => (member.kind === kind ? member.members : [member]));
  return [...new Map(flat.map((member) => [keyOf(member), member])).values()];
}

/** Returns a string that is the same for equal types. */
function keyOf(type: TypeExpression): string {
  return JSON.stringify(type);
}

/** Returns whether another member of a union accepts every value of this member. */
function isIncluded(member: TypeExpression, keys: ReadonlySet<string>): boolean {
  if (keys.has(keyOf(anyJson)) && keyOf(member) !== keyOf(anyJson) && isPlainJson(member))
    return true;
  if (member.kind !== "literal") return false;
  const [first = ""] = member.text;
  if (first === '"') return keys.has(keyOf(word("string")));
  return keys.has(
    keyOf(word(member.text === "true" || member.text === "false" ? "boolean" : "number")),
  );
}

/**
 * Returns whether every value of a type is assignable to `JsonValue`: a plain value, an object with
 * any members, or a list of plain values or objects.
 */
function isPlainJson(type: TypeExpression): boolean {
  if (type.kind === "list") return isPlainJson(type.item);
  if (type.kind === "runtime") return type.name === "JsonObject" || type.name === "JsonValue";
  return type.kind === "literal" || (type.kind === "word" && type.text !== "undefined");
}
