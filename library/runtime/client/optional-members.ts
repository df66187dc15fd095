import type { Issue } from "../schema/schema.js";

// This module imports no values, because bundlers would move them out of the file that every client
// loads.

/** Limits that bound the time for a hostile card. */
const maxIssues = 20;
const maxLength = 1_000_000;

/**
 * Returns a card without the optional members that contain its issues, such as a provider without a
 * name. Returns `undefined` if an issue is in a required member, or in one of the members `needed`,
 * which calls depend on. `issuesOf` returns the issues of a value in the form that a peer must
 * send.
 */
export function withoutOptional(
  card: object,
  issues: readonly Issue[],
  needed: readonly (string | undefined)[],
  issuesOf: (value: unknown) => readonly Issue[],
): object | undefined {
  if (issues.length > maxIssues || lengthOf(card) > maxLength) return undefined;
  if (issues.some(({ path }) => needed.includes(String(path[0])))) return undefined;
  const copy = structuredClone(card);
  return issues.every((issue) => isRemoved(copy, issue, issuesOf)) ? copy : undefined;
}

/** Returns the length of a value as JSON; `Infinity` if the value is too deep. */
function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Infinity;
  }
}

/**
 * Removes the smallest optional member that contains an issue. Returns whether the issue is gone.
 */
function isRemoved(
  card: object,
  { path, pointer }: Issue,
  issuesOf: (value: unknown) => readonly Issue[],
): boolean {
  const hasIssueIn = (outer: string): boolean =>
    issuesOf(card).some((issue) => `${issue.pointer}/`.startsWith(`${outer}/`));
  // Removing the member of an earlier issue may have removed this issue too.
  if (!hasIssueIn(pointer)) return true;
  const segments = pointer.split("/");
  const holders: unknown[] = [card];
  for (const key of path) holders.push(membersOf(holders.at(-1))[key]);
  for (let at = path.length - 1; at >= 0; at--) {
    const holder = holders.at(at);
    const key = path.at(at) ?? "";
    if (typeof holder !== "object" || holder === null || Array.isArray(holder)) continue;
    if (!Object.hasOwn(holder, key)) continue;
    const value: unknown = Reflect.get(holder, key);
    Reflect.deleteProperty(holder, key);
    // If the member was required, its absence is an issue with the same pointer.
    const pointerToMember = segments.slice(0, at + 2).join("/");
    if (!hasIssueIn(pointerToMember)) return true;
    Reflect.set(holder, key, value);
  }
  return false;
}

function membersOf(value: unknown): Readonly<Record<string | number, unknown>> {
  return (value ?? {}) as Record<string | number, unknown>;
}
