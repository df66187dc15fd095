import type { EnumDef, EnumValueDef } from "../protocol/model/types.js";
import type { Claims } from "./claims.js";
import { changed, deprecation, type Change } from "./types.js";

type ValuePair = readonly [EnumValueDef, EnumValueDef];

/** Compares the values of an enum in TypeScript and JSON. Values match by key, or by number if they have one. */
export function compareEnums(from: EnumDef, to: EnumDef, claims: Claims): Change[] {
  const pairs = matchValues(from, to, claims);
  const changes = from.values.flatMap((value): Change[] => {
    const found = pairs.find(([before]) => before === value)?.[1];
    const name = `${from.name}.${value.key}`;
    if (found !== undefined) return compareValue(name, value, found);
    const breaks = { source: "the key is removed", json: "the value is no longer valid" };
    return [{ subject: "value", action: "removed", name, from: quoted(value.name), breaks }];
  });
  const added = to.values.filter((value) => !pairs.some(([, now]) => now === value));
  return [
    ...changes,
    ...added.map(({ key, name }): Change => {
      return { subject: "value", action: "added", name: `${from.name}.${key}`, to: quoted(name), breaks: {} };
    }),
  ];
}

function matchValues(from: EnumDef, to: EnumDef, claims: Claims): ValuePair[] {
  const pairs: ValuePair[] = [];
  const pairUp = (isSame: (before: EnumValueDef, now: EnumValueDef) => boolean): void => {
    for (const value of from.values.filter((one) => !pairs.some(([before]) => before === one))) {
      const free = to.values.filter((one) => !pairs.some(([, now]) => now === one));
      const found = free.find((now) => isSame(value, now));
      if (found !== undefined) pairs.push([value, found]);
    }
  };
  pairUp(({ key }, now) => claims.targets("keys", `${to.name}.${key}`).includes(`${to.name}.${now.key}`));
  pairUp((before, now) => before.key === now.key);
  pairUp((before, now) => before.number !== undefined && before.number === now.number);
  return pairs;
}

function compareValue(name: string, from: EnumValueDef, to: EnumValueDef): Change[] {
  const [before = [], now = []] = [from.aliases, to.aliases];
  const removed = before.filter((alias) => !now.includes(alias) && alias !== to.name);
  const added = now.filter((alias) => !before.includes(alias) && alias !== from.name);
  const about = { subject: "value", name } as const;
  const spelling = { ...about, aspect: "other spelling" } as const;
  const renamed: Change = { ...about, action: "renamed", to: to.key, breaks: { source: "the key is removed" } };
  return [
    ...(from.key === to.key ? [] : [renamed]),
    ...changed(about, quoted(from.name), quoted(to.name), { json: "the old value is no longer sent" }),
    ...removed.flatMap((alias) => changed(spelling, quoted(alias), undefined, { json: "it is no longer accepted" })),
    ...added.flatMap((alias) => changed(spelling, undefined, quoted(alias), {})),
    ...deprecation(about, from, to),
  ];
}

function quoted(value: string): string {
  return JSON.stringify(value);
}
