import { brokenSurfaces } from "./compare.js";
import { surfaces, type Change, type Subject, type Surface } from "./types.js";

/** Two specifications, and their differences. */
export interface Comparison {
  /** Titles of the specifications. */
  readonly from: string;
  readonly to: string;
  readonly changes: readonly Change[];
}

/** Changes of one operation, error or type. */
export interface Group {
  /** Name of the changed operation, error or type; empty for facts, which have no owner. */
  readonly name: string;
  readonly changes: readonly Change[];
}

/** Part of a report below one heading. */
export interface Section {
  readonly heading: string;
  readonly groups: readonly Group[];
}

/** Headings of a report, in order. */
const headings: readonly (readonly [string, readonly Subject[]])[] = [
  ["Protocol", ["fact"]],
  ["Operations", ["service", "operation", "method", "route"]],
  ["Errors", ["error"]],
  ["Types", ["type", "field", "oneof", "value", "member"]],
  ["Protobuf", ["message", "number"]],
];

/** Sorts changes by heading and owner. Headings without changes are omitted. */
export function sectionsOf(changes: readonly Change[]): Section[] {
  const sections = headings.map(([heading, subjects]): Section => {
    const groups = new Map<string, Change[]>();
    for (const change of changes.filter(({ subject }) => subjects.includes(subject))) {
      const owner = ownerOf(change);
      groups.set(owner, [...(groups.get(owner) ?? []), change]);
    }
    return { heading, groups: [...groups].map(([name, all]) => ({ name, changes: all })) };
  });
  return sections.filter(({ groups }) => groups.length > 0);
}

function ownerOf({ subject, name }: Change): string {
  return subject === "fact" ? "" : (name.split(".")[0] ?? name);
}

/** Names of the surfaces in reports. */
export const surfaceNames: Readonly<Record<Surface, string>> = {
  source: "TypeScript",
  json: "JSON",
  protobuf: "protobuf",
};

/**
 * Returns the surfaces that a change breaks, with reasons:
 * `TypeScript and JSON: the type is removed`.
 */
export function reasonsOf(change: Change): string[] {
  const reasons = new Map<string, Surface[]>();
  for (const surface of brokenSurfaces(change)) {
    const reason = change.breaks[surface] ?? "";
    reasons.set(reason, [...(reasons.get(reason) ?? []), surface]);
  }
  return [...reasons].map(
    ([reason, of]) => `${listOf(of.map((surface) => surfaceNames[surface]))}: ${reason}`,
  );
}

function listOf(names: readonly string[]): string {
  return names.length < 3
    ? names.join(" and ")
    : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Formats a change as one line, without the reasons: `renamed Security → SecurityRequirement`. */
export function lineOf(change: Change): string {
  const { subject, name, aspect } = change;
  const isPart = ["route", "method", "member"].includes(subject);
  const what = ["message", "service"].includes(subject) ? `${subject} ${name}` : name;
  return lineWith(change, [isPart ? `${subject} of ${name}` : what, aspect]);
}

/**
 * Formats a change as one line, for use below the name of its owner:
 * `renamed security → securityRequirements`.
 */
export function lineInside(change: Change, owner: string): string {
  if (owner === "") return lineOf(change);
  const { subject, name, aspect } = change;
  const part = name === owner ? "" : name.slice(owner.length + 1);
  // The name of a route, method or member does not show its kind.
  const kind = ["route", "method", "member", "service"].includes(subject)
    ? part === ""
      ? subject
      : `${subject} of`
    : "";
  return lineWith(change, [kind, part, aspect]);
}

function lineWith({ action, from, to }: Change, what: readonly (string | undefined)[]): string {
  const start = [action, ...what].filter((part) => part !== undefined && part !== "").join(" ");
  if (action === "renamed" || action === "moved") return `${start} → ${to ?? ""}`;
  if (from !== undefined && to !== undefined) return `${start}: ${from} → ${to}`;
  const detail = from ?? to;
  return detail === undefined ? start : `${start}: ${detail}`;
}

/** Formats the number of changes as one line: in total, and by broken surface. */
export function summaryOf({ changes }: Comparison): string {
  if (changes.length === 0) return "no differences";
  const counts = surfaces.map(
    (surface) => `${countOf(changes, surface)} breaking for ${surfaceNames[surface]}`,
  );
  return `${changes.length} ${changes.length === 1 ? "change" : "changes"}: ${counts.join(", ")}`;
}

/** Numbers of changes: in total, breaking, and by broken surface. */
export interface Counts extends Readonly<Record<Surface, number>> {
  readonly changes: number;
  readonly breaking: number;
}

/** Counts changes: in total, breaking, and by broken surface. */
export function countsOf(changes: readonly Change[]): Counts {
  const breaking = changes.filter((change) => brokenSurfaces(change).length > 0).length;
  const [source, json, protobuf] = surfaces.map((surface) => countOf(changes, surface));
  return {
    changes: changes.length,
    breaking,
    source: source ?? 0,
    json: json ?? 0,
    protobuf: protobuf ?? 0,
  };
}

/** Returns the number of changes that break a surface. */
export function countOf(changes: readonly Change[], surface: Surface): number {
  return changes.filter(({ breaks }) => breaks[surface] !== undefined).length;
}
