import type { ts } from "ts-morph";
import type { Edit } from "./types.js";

/** Returns the edits that remove properties of an object literal, with their commas. */
export function removedProperties(
  literal: ts.ObjectLiteralExpression,
  removed: ReadonlySet<ts.ObjectLiteralElementLike>,
  file: ts.SourceFile,
): Edit[] {
  const all = [...literal.properties];
  return all.flatMap((property, index): Edit[] => {
    if (!removed.has(property)) return [];
    const next = all[index + 1];
    const start = property.getStart(file);
    if (next !== undefined) {
      const between = file.text.slice(property.end, next.getStart(file));
      // Keep a comment before the next property.
      const end = /\S/.test(between.replace(",", ""))
        ? property.end + between.indexOf(",") + 1
        : next.getStart(file);
      return [{ start, end, text: "" }];
    }
    const kept = all.findLastIndex((other) => !removed.has(other));
    // If the previous property is also removed, start this edit at the end of the previous edit.
    const from = kept === -1 ? start : kept === index - 1 ? (all[kept]?.end ?? start) : start;
    const comma = /^\s*,/.exec(file.text.slice(property.end))?.[0].length ?? 0;
    return [{ start: from, end: property.end + (from === start ? comma : 0), text: "" }];
  });
}

/** Returns the edit that adds a property after the remaining properties of an object literal. */
export function addedProperty(
  literal: ts.ObjectLiteralExpression,
  text: string,
  file: ts.SourceFile,
  removed: ReadonlySet<ts.ObjectLiteralElementLike>,
): Edit {
  const last = literal.properties.findLast((property) => !removed.has(property));
  const start = last?.end ?? literal.getStart(file) + 1;
  if (last === undefined) return { start, end: start, text: ` ${text} ` };
  const [indent] = /\n[ \t]*$/.exec(
    last.getFullText(file).slice(0, -last.getText(file).length),
  ) ?? [" "];
  return { start, end: start, text: `,${indent}${text}` };
}

/**
 * Returns the name of a property of an object; `undefined` for computed names and spread objects.
 */
export function nameOf(
  property: ts.ObjectLiteralElementLike,
  compiler: typeof ts,
): string | undefined {
  const { name } = property;
  return name !== undefined && (compiler.isIdentifier(name) || compiler.isStringLiteralLike(name))
    ? name.text
    : undefined;
}

/**
 * Returns the value of a property: the expression after the colon, or the name of a shorthand
 * property.
 */
export function valueOf(
  property: ts.ObjectLiteralElementLike | undefined,
  compiler: typeof ts,
): ts.Expression | undefined {
  if (property === undefined) return undefined;
  if (compiler.isPropertyAssignment(property)) return property.initializer;
  return compiler.isShorthandPropertyAssignment(property) ? property.name : undefined;
}
