import type { EnumDef, EnumValueDef } from "../protocol/model/types.js";
import { Pairing } from "../protocol/versions/pairing.js";
import type { Renames } from "../protocol/versions/manifest-renames.js";
import { changed, deprecation, type Change } from "./types.js";

/**
 * Compares the values of an enum in TypeScript and JSON. Values match by key, or by number if they
 * have numbers.
 */
export function compareEnums(from: EnumDef, to: EnumDef, renames: Renames): Change[] {
  const keyOf = ({ key }: EnumValueDef): string => `${to.name}.${key}`;
  const matches = new Pairing(from.values, to.values)
    .by((one, other) => renames.targets("keys", keyOf(one)).includes(keyOf(other)))
    .by((one, other) => one.key === other.key)
    .by((one, other) => one.number !== undefined && one.number === other.number);
  const changes = matches.pairs.flatMap((pair) =>
    compareValue(`${from.name}.${pair.from.key}`, pair.from, pair.to),
  );
  const removed = matches.removed.map(({ key, name }): Change => {
    const breaks = { source: "the key is removed", json: "the value is no longer valid" };
    return {
      subject: "value",
      action: "removed",
      name: `${from.name}.${key}`,
      from: quoted(name),
      breaks,
    };
  });
  const added = matches.added.map(({ key, name }): Change => {
    return {
      subject: "value",
      action: "added",
      name: `${from.name}.${key}`,
      to: quoted(name),
      breaks: {},
    };
  });
  return [...changes, ...removed, ...added];
}

function compareValue(name: string, from: EnumValueDef, to: EnumValueDef): Change[] {
  const [before = [], now = []] = [from.aliases, to.aliases];
  const removed = before.filter((alias) => !now.includes(alias) && alias !== to.name);
  const added = now.filter((alias) => !before.includes(alias) && alias !== from.name);
  const about = { subject: "value", name } as const;
  const spelling = { ...about, aspect: "other spelling" } as const;
  const renamed: Change = {
    ...about,
    action: "renamed",
    to: to.key,
    breaks: { source: "the key is removed" },
  };
  return [
    ...(from.key === to.key ? [] : [renamed]),
    ...changed(about, quoted(from.name), quoted(to.name), {
      json: "the old value is no longer sent",
    }),
    ...removed.flatMap((alias) =>
      changed(spelling, quoted(alias), undefined, { json: "it is no longer accepted" }),
    ),
    ...added.flatMap((alias) => changed(spelling, undefined, quoted(alias), {})),
    ...deprecation(about, from, to),
  ];
}

function quoted(value: string): string {
  return JSON.stringify(value);
}
