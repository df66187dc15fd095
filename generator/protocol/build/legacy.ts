import type { Diagnostics } from "../../support/diagnostics.js";
import type { LoadedManifest, ManifestLegacy } from "../model/manifest.js";
import { legacyKinds, type LegacyDef, type LegacyKind, type Protocol, type RemovedDef } from "../model/types.js";

/** What validators export for a type, as what comes before and behind its name. */
export const validatorNames = [
  ["is", ""],
  ["assert", ""],
  ["validate", ""],
  ["parse", ""],
  ["", "Schema"],
] as const;

/** What the codec exports for a type, as what comes before and behind its name. */
export const codecNames = [
  ["encode", ""],
  ["decode", ""],
] as const;

/** The names of a protocol as they are now. */
type Names = Pick<Protocol, "types" | "operations" | "binding">;

/**
 * Gives the names of earlier versions that a manifest knows. One that leads to nothing, or that something has now, is
 * added to the diagnostics: an alias must not stand for nothing, nor in front of what is current. Where it comes from a
 * manifest that this one extends, it is left out, since it is right over there.
 */
export function legacyOf(names: Names, loaded: LoadedManifest | undefined, diagnostics: Diagnostics): LegacyDef[] {
  const current = currentNames(names);
  const types = loaded?.manifest.legacy?.types ?? {};
  return legacyKinds.flatMap((kind) =>
    Object.entries(loaded?.manifest.legacy?.[kind] ?? {}).flatMap(([old, entry]): LegacyDef[] => {
      const type = memberKinds.has(kind) ? types[typeOf(old)]?.now : undefined;
      const def: LegacyDef = { kind, old, ...(type !== undefined && { type }), ...entry };
      const problem = problemOf(def, current[kind]) ?? paramsProblem(old, entry, names);
      if (problem === undefined) return [def];
      report(loaded, ["legacy", kind, old], problem, diagnostics);
      return [];
    }),
  );
}

/** Gives the names of earlier versions that have no successor. One that this version has is added to the diagnostics. */
export function removedOf(names: Names, loaded: LoadedManifest | undefined, diagnostics: Diagnostics): RemovedDef[] {
  const current = currentNames(names);
  return legacyKinds.flatMap((kind) =>
    Object.entries(loaded?.manifest.legacy?.removed?.[kind] ?? {}).flatMap(([old, entry]): RemovedDef[] => {
      const found = [...current[kind]].find((name) => matchesName(old, name));
      if (found === undefined) return [{ kind, old, ...entry }];
      const problem = `"${old}" is given as removed, and this version has "${found}"`;
      report(loaded, ["legacy", "removed", kind, old], problem, diagnostics);
      return [];
    }),
  );
}

/** Reports an entry that the manifest has itself, and has not taken over from another one. */
function report(
  loaded: LoadedManifest | undefined,
  keys: readonly string[],
  problem: string,
  diagnostics: Diagnostics,
): void {
  if (loaded?.owns(...keys) === false) return;
  diagnostics.add(loaded?.placeOf(...keys), problem, `Correct it under ${keys.slice(0, -1).join(".")}, or remove it`);
}

/** Tells whether a name fits a pattern, in which `*` stands for any text without a dot. */
export function matchesName(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^.]*")}$`).test(name);
}

function currentNames({ types, operations, binding }: Names): Readonly<Record<LegacyKind, ReadonlySet<string>>> {
  const properties = types.flatMap((type) =>
    type.kind === "message" ? type.fields.map(({ name }) => `${type.name}.${name}`) : [],
  );
  const values = types.flatMap((type) =>
    type.kind === "enum"
      ? type.values.map(({ key, name }) => ({ key: `${type.name}.${key}`, text: `${type.name}.${name}` }))
      : [],
  );
  return {
    types: new Set(types.map(({ name }) => name)),
    properties: new Set(properties),
    keys: new Set(values.map(({ key }) => key)),
    values: new Set(values.map(({ text }) => text)),
    methods: new Set(operations.flatMap(({ jsonRpc }) => jsonRpc ?? [])),
    errors: new Set((binding?.errors ?? []).map(({ name }) => name)),
  };
}

/** The kinds of names that begin with that of a type. */
const memberKinds: ReadonlySet<LegacyKind> = new Set(["properties", "keys", "values"]);

/** What is wrong with a name of an earlier version, if anything. */
function problemOf(entry: LegacyDef, current: ReadonlySet<string>): string | undefined {
  const { kind, old, now, value } = entry;
  if (current.has(old)) return `"${old}" is given as a name of an earlier version, and is one of this version`;
  if (!current.has(now)) return `"${old}" is said to be called "${now}" now, which this version does not have`;
  const isMember = kind === "keys" || kind === "values" || value !== undefined;
  if (isMember && presentType(entry) !== typeOf(now))
    return `"${old}" is said to be called "${now}" now, which is a member of another type`;
  return undefined;
}

/** What is wrong with the params that a method had, if anything. */
function paramsProblem(
  old: string,
  { now, params = {} }: ManifestLegacy,
  { types, operations }: Names,
): string | undefined {
  const request = operations.find(({ jsonRpc }) => jsonRpc === now)?.request;
  const type = request?.kind === "named" ? types.find(({ name }) => name === request.name) : undefined;
  const fields = new Set(type?.kind === "message" ? type.fields.map(({ name }) => name) : []);
  const unknown = Object.values(params).find((name) => !fields.has(name));
  return unknown === undefined
    ? undefined
    : `the params of "${old}" are said to have "${unknown}" now, which "${now}" does not take`;
}

/** What the type that a property, key or value belonged to is called now. */
export function presentType({ old, type = typeOf(old) }: Pick<LegacyDef, "old" | "type">): string {
  return type;
}

function typeOf(member: string): string {
  return member.slice(0, member.indexOf("."));
}

/** Tells whether a version may remove an old name. Versions compare by their numbers. */
export function isExpired({ until }: Pick<LegacyDef, "until">, version: string): boolean {
  return compareVersions(version, until) >= 0;
}

/** Compares versions by their numbers: below zero where the first is the earlier one, above where it is the later one. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map((text) => text.split(/[.-]/).map(Number));
  for (const [index, part = 0] of (second ?? []).entries()) {
    const own = first?.[index] ?? 0;
    if (own !== part) return own > part ? 1 : -1;
  }
  return 0;
}
