import type { Diagnostics } from "../../support/diagnostics.js";
import { numberAt, unquote, type Scan, type Token } from "./scan.js";

interface Reserved {
  readonly names: readonly string[];
  readonly ranges: readonly (readonly [number, number])[];
}

/** Reports fields and enum values whose name or number their message or enum reserves. */
export function checkReserved({ declarations, statements }: Scan, diagnostics: Diagnostics): void {
  const reserved = new Map<string, Reserved[]>();
  for (const { tokens, scope } of statements) {
    if (tokens[0]?.text !== "reserved" || scope === undefined) continue;
    reserved.set(scope.path, [...(reserved.get(scope.path) ?? []), readReserved(tokens.slice(1))]);
  }
  if (reserved.size === 0) return;
  for (const { kind, name, number = 0, path, location } of declarations) {
    if (kind !== "field" && kind !== "value") continue;
    const lists = reserved.get(path.slice(0, path.lastIndexOf("."))) ?? [];
    const hint = "Use another one; what is reserved belonged to something that was removed";
    if (lists.some(({ names }) => names.includes(name)))
      diagnostics.add(location, `${kind} "${name}" has a name that is reserved`, hint);
    if (lists.some(({ ranges }) => ranges.some(([from, to]) => number >= from && number <= to)))
      diagnostics.add(location, `${kind} "${name}" has the number ${number}, which is reserved`, hint);
  }
}

/** Reads the names, numbers and ranges of a `reserved` statement. */
function readReserved(tokens: readonly Token[]): Reserved {
  const names = tokens.filter(({ text }) => /^["']/.test(text)).map(({ text }) => unquote(text));
  const ranges = tokens.flatMap((token, at): (readonly [number, number])[] => {
    const starts = at === 0 || tokens[at - 1]?.text === ",";
    const from = numberAt(tokens, at);
    if (!starts || Number.isNaN(from)) return [];
    const next = token.text === "-" ? at + 2 : at + 1;
    if (tokens[next]?.text !== "to") return [[from, from]];
    return [[from, tokens[next + 1]?.text === "max" ? Number.POSITIVE_INFINITY : numberAt(tokens, next + 1)]];
  });
  return { names, ranges };
}
