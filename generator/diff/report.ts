import { brokenBy } from "./compare.js";
import { surfaces, type Change, type Subject, type Surface } from "./types.js";

/** Two specifications, and what differs. */
export interface Comparison {
  /** How the specifications are called. */
  readonly from: string;
  readonly to: string;
  readonly changes: readonly Change[];
}

/** The changes of one thing: an operation, an error, a type. */
export interface Group {
  /** What they have in common; empty for what stands alone. */
  readonly name: string;
  readonly changes: readonly Change[];
}

/** A part of a report. */
export interface Section {
  readonly heading: string;
  readonly groups: readonly Group[];
}

/** The headings of a report, in order. */
const headings: readonly (readonly [string, readonly Subject[]])[] = [
  ["Protocol", ["fact"]],
  ["Operations", ["operation", "method", "route"]],
  ["Errors", ["error"]],
  ["Types", ["type", "field", "oneof", "value", "member"]],
  ["Protobuf", ["message", "number"]],
];

/** The changes under their headings, those of one thing together; headings without any are left out. */
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

/** How reports call a surface. */
export const surfaceNames: Readonly<Record<Surface, string>> = {
  source: "TypeScript",
  json: "JSON",
  protobuf: "protobuf",
};

/** What a change breaks, with the reasons: `TypeScript and JSON: the type is gone`. */
export function reasonsOf(change: Change): string[] {
  const reasons = new Map<string, Surface[]>();
  for (const surface of brokenBy(change)) {
    const reason = change.breaks[surface] ?? "";
    reasons.set(reason, [...(reasons.get(reason) ?? []), surface]);
  }
  return [...reasons].map(([reason, of]) => `${listOf(of.map((surface) => surfaceNames[surface]))}: ${reason}`);
}

function listOf(names: readonly string[]): string {
  return names.length < 3 ? names.join(" and ") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** A change in one line, without what it breaks: `renamed Security → SecurityRequirement`. */
export function lineOf(change: Change): string {
  const { subject, name, aspect } = change;
  const isPart = ["route", "method", "member"].includes(subject);
  const what = subject === "message" ? `message ${name}` : name;
  return lineWith(change, [isPart ? `${subject} of ${name}` : what, aspect]);
}

/** A change in one line below the name of what it is about: `renamed security → securityRequirements`. */
export function lineInside(change: Change, owner: string): string {
  if (owner === "") return lineOf(change);
  const { kind, name } = partOf(change, owner);
  return lineWith(change, [kind, name, change.aspect]);
}

/** What a change is about, as seen from the thing that it belongs to: a part of it by name, or what kind of part it is. */
export function partOf({ subject, name }: Change, owner: string): { readonly kind: string; readonly name: string } {
  const isPart = ["route", "method", "member"].includes(subject);
  const part = name === owner ? "" : owner === "" ? name : name.slice(owner.length + 1);
  return { kind: isPart ? (part === "" ? subject : `${subject} of`) : "", name: part };
}

function lineWith({ action, from, to }: Change, what: readonly (string | undefined)[]): string {
  const start = [action, ...what].filter((part) => part !== undefined && part !== "").join(" ");
  if (action === "renamed" || action === "moved") return `${start} → ${to ?? ""}`;
  if (from !== undefined && to !== undefined) return `${start}: ${from} → ${to}`;
  const detail = from ?? to;
  return detail === undefined ? start : `${start}: ${detail}`;
}

/** How many changes there are, and how many of them break each surface. */
export function summaryOf({ changes }: Comparison): string {
  if (changes.length === 0) return "no differences";
  const counts = surfaces.map((surface) => `${countOf(changes, surface)} breaking for ${surfaceNames[surface]}`);
  return `${changes.length} ${changes.length === 1 ? "change" : "changes"}: ${counts.join(", ")}`;
}

/** How many changes there are, and how many of them break something, by surface. */
export interface Counts extends Readonly<Record<Surface, number>> {
  readonly changes: number;
  readonly breaking: number;
}

/** Counts changes: all, those that break anything, and those that break each surface. */
export function countsOf(changes: readonly Change[]): Counts {
  const breaking = changes.filter((change) => brokenBy(change).length > 0).length;
  const [source, json, protobuf] = surfaces.map((surface) => countOf(changes, surface));
  return { changes: changes.length, breaking, source: source ?? 0, json: json ?? 0, protobuf: protobuf ?? 0 };
}

/** How many changes break a surface. */
export function countOf(changes: readonly Change[], surface: Surface): number {
  return changes.filter(({ breaks }) => breaks[surface] !== undefined).length;
}
