import type { Shapes } from "../correlate/shape.js";
import type { ValueType } from "../model/types.js";
import type { Path } from "./types.js";

/** Returns the name of a property in reports. */
export function propertyPath([owner = ""]: readonly string[], path: Path): string {
  return [owner, ...path].join(".");
}

/** Returns the names of a type, and of its alternatives. */
export function namesOf(shapes: Shapes, type: ValueType): string[] {
  const messages = shapes
    .alternatives(type)
    .flatMap((alternative) => shapes.message(alternative) ?? []);
  const own = "name" in type ? [type.name] : [];
  return [...new Set([...own, ...messages.flatMap(({ name, fullName }) => [name, fullName])])];
}

/** Returns whether two paths consist of the same keys. */
export function isSame(path: Path, other: Path): boolean {
  return path.length === other.length && path.every((key, index) => other[index] === key);
}
