import type { ValueType } from "../protocol/model/types.js";
import { accepts, choicesOf, type Side } from "./accepts.js";
import { describeType } from "./describe.js";
import { jsonForm, sourceForm } from "./forms.js";
import { changed, type About, type Breaks, type Change } from "./types.js";

/**
 * Compares two types of values. If unions, enums and literals have choices in common, they are
 * compared choice by choice. All other types are compared as a whole. A new choice breaks nothing,
 * like a new value of an enum.
 */
export function compareValues(about: About, from: Side, to: Side): Change[] {
  const isSame = jsonForm(from.type, from.rename) === jsonForm(to.type, to.rename);
  if (isSame && sourceForm(from.type, from.rename) === sourceForm(to.type, to.rename)) return [];
  const [before, now] = [formsOf(from), formsOf(to)];
  const kept = [...before.keys()].filter((form) => now.has(form));
  if (kept.length === before.size && kept.length === now.size) return [];
  if (kept.length === 0 || Math.max(before.size, now.size) < 2)
    return compareForms(about, from, to);
  const removed = [...before].filter(([form]) => !now.has(form));
  const added = [...now].filter(([form]) => !before.has(form));
  const reason = "it is no longer one of the choices";
  const member = { ...about, subject: "member" } as const;
  return [
    ...removed.map(([, type]): Change => {
      const breaks: Breaks = accepts(to, { ...from, type }) ? {} : { source: reason, json: reason };
      return { ...member, action: "removed", from: describeType(type), breaks };
    }),
    ...added.map(([, type]): Change => ({
      ...member,
      action: "added",
      to: describeType(type),
      breaks: {},
    })),
  ];
}

function compareForms(about: About, from: Side, to: Side): Change[] {
  const isSource = sourceForm(from.type, from.rename) !== sourceForm(to.type, to.rename);
  const source = (reason: string): Breaks => (isSource ? { source: reason } : {});
  const rate = (): Breaks => {
    if (accepts(to, from)) return source("code that reads it has to allow for other values");
    const reason = accepts(from, to)
      ? "some values are no longer valid"
      : "values of one type are not valid as the other";
    return { ...source(reason), json: reason };
  };
  return changed(about, describeType(from.type), describeType(to.type), rate());
}

/** Returns the forms that a value can have in JSON, each with its type. */
function formsOf(side: Side, depth = 8): Map<string, ValueType> {
  const choices = depth === 0 ? undefined : choicesOf(side);
  if (choices === undefined) return new Map([[jsonForm(side.type, side.rename), side.type]]);
  return new Map(choices.flatMap((type) => [...formsOf({ ...side, type }, depth - 1)]));
}
