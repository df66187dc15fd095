import type { Diagnostics } from "../../../support/diagnostics.js";
import { numberAt, unquote, type Scan, type Token } from "./scan.js";

/** The names and numbers that a message or enum reserves. */
interface Reserved {
  readonly names: Set<string>;
  /** The ranges of numbers. {@link inOrder} sorts them by their start. */
  ranges: Range[];
}

type Range = readonly [from: number, to: number];

/** Reports fields and enum values with reserved names or numbers. */
export function checkReserved({ declarations, statements }: Scan, diagnostics: Diagnostics): void {
  const reserved = new Map<string, Reserved>();
  for (const { tokens, scope } of statements) {
    if (tokens[0]?.text !== "reserved" || scope === undefined) continue;
    const own = reserved.get(scope.path) ?? { names: new Set(), ranges: [] };
    reserved.set(scope.path, own);
    readReserved(tokens.slice(1), own);
  }
  for (const own of reserved.values()) own.ranges = inOrder(own.ranges);
  for (const { kind, name, number = 0, path, location } of declarations) {
    if (kind !== "field" && kind !== "value") continue;
    const own = reserved.get(path.slice(0, path.lastIndexOf(".")));
    if (own === undefined) continue;
    const hint = "Use another one: reserved names and numbers belonged to removed elements";
    if (own.names.has(name))
      diagnostics.add(location, `${kind} "${name}" has a name that is reserved`, hint);
    if (isAmong(number, own.ranges))
      diagnostics.add(
        location,
        `${kind} "${name}" has the number ${number}, which is reserved`,
        hint,
      );
  }
}

/** Reads the names, numbers and ranges of a `reserved` statement. */
function readReserved(tokens: readonly Token[], { names, ranges }: Reserved): void {
  for (const [at, { text }] of tokens.entries()) {
    if (/^["']/.test(text)) names.add(unquote(text));
    const starts = at === 0 || tokens[at - 1]?.text === ",";
    const from = numberAt(tokens, at);
    if (!starts || Number.isNaN(from)) continue;
    const next = text === "-" ? at + 2 : at + 1;
    const isMax = tokens[next + 1]?.text === "max";
    const to =
      tokens[next]?.text !== "to"
        ? from
        : isMax
          ? Number.POSITIVE_INFINITY
          : numberAt(tokens, next + 1);
    if (!Number.isNaN(to)) ranges.push([from, to]);
  }
}

/** Returns ranges sorted by their start. Overlapping ranges are merged. */
function inOrder(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1])
      merged[merged.length - 1] = [last[0], Math.max(last[1], to)];
    else merged.push([from, to]);
  }
  return merged;
}

/** Returns whether one of the sorted ranges contains a number. */
function isAmong(number: number, ranges: readonly Range[]): boolean {
  let [start, end] = [0, ranges.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    const [from, to] = ranges[middle] ?? [0, 0];
    if (number >= from && number <= to) return true;
    if (number < from) end = middle;
    else start = middle + 1;
  }
  return false;
}
