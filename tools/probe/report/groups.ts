import type { Result } from "../result.js";
import { levels, type Level } from "../rule.js";

/** A rule with its results on one or more interfaces. */
export interface RuleGroup {
  readonly id: string;
  readonly title: string;
  /** The most important level of the rule on these interfaces. */
  readonly level: Level;
  /** Names of the interfaces. */
  readonly lanes: readonly string[];
  /** The first result; reports compare the other results with it. */
  readonly first: Result;
  readonly others: readonly Result[];
}

/**
 * Groups results by their rule: the most important level first, and otherwise in their order.
 */
export function groupsOf(results: readonly Result[]): RuleGroup[] {
  const byRule = new Map<string, [Result, ...Result[]]>();
  for (const result of results) {
    const key = `${result.suite}\n${result.id}`;
    const group = byRule.get(key);
    if (group === undefined) byRule.set(key, [result]);
    else group.push(result);
  }
  const groups = [...byRule.values()].map((group): RuleGroup => {
    // The first result has the most important level, because the report shows its level.
    const [first = group[0], ...others] = group.toSorted((a, b) => rankOf(a) - rankOf(b));
    const { id, title, level } = first;
    return { id, title, level, lanes: [...new Set(group.map(({ lane }) => lane))], first, others };
  });
  return groups.sort((a, b) => rankOf(a) - rankOf(b));
}

/** Groups with a level, for a section of a report. */
export interface LevelGroups {
  readonly level: Level;
  readonly groups: readonly RuleGroup[];
}

/** Splits groups by their level. Levels without groups are left out. */
export function byLevel(groups: readonly RuleGroup[]): LevelGroups[] {
  return levels
    .map((level) => ({ level, groups: groups.filter((group) => group.level === level) }))
    .filter((section) => section.groups.length > 0);
}

/** Returns level, section and step of a result. */
export function factsOf({ level, section, step }: Result): string {
  return [
    level,
    ...(section === "" ? [] : [section]),
    ...(step === undefined ? [] : [`step ${step}`]),
  ].join(", ");
}

/** Returns whether two texts are equal except for random ids and times. */
export function isAlike(one: string | undefined, other: string | undefined): boolean {
  return one === other || gistOf(one ?? "") === gistOf(other ?? "");
}

/** Groups texts such as the reasons of skipped checks. Returns the items of each text. */
export function byText<T>(items: readonly T[], textOf: (item: T) => string): [string, T[]][] {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const text = textOf(item);
    const same = found.get(text);
    if (same === undefined) found.set(text, [item]);
    else same.push(item);
  }
  return [...found];
}

function gistOf(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}-[\da-f-]*/gi, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "TIME")
    .replaceAll(/\s+/g, " ");
}

const rankOf = ({ level }: { readonly level: Level }): number => levels.indexOf(level);
