import { wordsOf } from "../../../support/names.js";
import type { FieldDef, ValueType } from "../model/types.js";
import type { Shapes } from "./shape.js";

/** The alternative of a union that a member of a oneof represents. */
export interface FoundMember {
  readonly type: ValueType;
  /** The value of the discriminator in the alternative. */
  readonly constant: string;
  /** The path of the member in the alternative; empty for the whole alternative. */
  readonly path: readonly string[];
  /** The type at that path. */
  readonly inner: ValueType;
}

interface Question {
  readonly shapes: Shapes;
  /** The discriminator of the union. */
  readonly key: string;
  /** The name of the alternative in the manifest, if any. */
  readonly hint: string | undefined;
}

/**
 * Finds the alternative that corresponds to a oneof member. The manifest can name it; otherwise it
 * is matched by the name of the member's message, or by a constant equal to the member's name. If
 * several alternatives match, returns the names of all of them.
 */
export function findMember(
  field: FieldDef,
  alternatives: readonly ValueType[],
  { shapes, key, hint }: Question,
): FoundMember | string[] | undefined {
  const constantOf = (type: ValueType): string | undefined => {
    const property = shapes.properties(type)?.get(key);
    return property && shapes.constant(property.type);
  };
  const called = (type: ValueType): string => shapes.message(type)?.fullName ?? "";
  const message = field.type.kind === "message" ? field.type.name : undefined;
  const tests: ((type: ValueType) => boolean)[] =
    hint === undefined
      ? [
          (type) => message !== undefined && haveSameWords(called(type), message),
          (type) => haveSameWords(constantOf(type) ?? "", field.name),
        ]
      : [(type) => called(type) === hint];
  const found = tests.map((test) => alternatives.filter(test)).filter(({ length }) => length > 0);
  const fitting = found.find(({ length }) => length === 1) ?? found[0] ?? [];
  if (fitting.length > 1) return fitting.map(called);
  const [type] = fitting;
  if (type === undefined) return undefined;
  const constant = constantOf(type);
  if (constant === undefined) return undefined;
  if (message !== undefined) return { type, constant, path: [], inner: type };
  const property = shapes.properties(type)?.get(field.name);
  return property && { type, constant, path: [field.name], inner: property.type };
}

/** Returns whether two names consist of the same words, in any case and with any separator. */
function haveSameWords(a: string, b: string): boolean {
  return wordsOf(a).join("") === wordsOf(b).join("");
}
