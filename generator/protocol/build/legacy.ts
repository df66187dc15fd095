import type { Diagnostics } from "../../../support/diagnostics.js";
import type { LoadedManifest, ManifestLegacy } from "../model/manifest.js";
import {
  legacyKinds,
  type LegacyDef,
  type LegacyKind,
  type Protocol,
  type RemovedDef,
} from "../model/types.js";

/** The current names of a protocol. */
type Names = Pick<Protocol, "types" | "operations" | "binding">;

/**
 * Returns the old names that a manifest lists. Reports an entry if its new name does not exist, or
 * if its old name is in use, because an alias must not hide a current name. An inherited entry is
 * skipped instead of reported, because it is correct for the version of the extended manifest.
 */
export function legacyOf(
  names: Names,
  loaded: LoadedManifest | undefined,
  diagnostics: Diagnostics,
): LegacyDef[] {
  const current = currentNames(names);
  const types = loaded?.manifest.legacy?.types ?? {};
  return legacyKinds.flatMap((kind) =>
    Object.entries(loaded?.manifest.legacy?.[kind] ?? {}).flatMap(([old, entry]): LegacyDef[] => {
      const type = memberKinds.has(kind) ? types[typeOf(old)]?.now : undefined;
      const def: LegacyDef = { kind, old, ...(type !== undefined && { type }), ...entry };
      const message = problemOf(def, current[kind]) ?? paramsProblem(old, entry, names);
      if (message === undefined) return [def];
      report(loaded, ["legacy", kind, old], message, diagnostics);
      return [];
    }),
  );
}

/** Returns the old names without a successor. Reports each name that this version still defines. */
export function removedOf(
  names: Names,
  loaded: LoadedManifest | undefined,
  diagnostics: Diagnostics,
): RemovedDef[] {
  const current = currentNames(names);
  return legacyKinds.flatMap((kind) =>
    Object.entries(loaded?.manifest.legacy?.removed?.[kind] ?? {}).flatMap(
      ([old, entry]): RemovedDef[] => {
        const found = [...current[kind]].find((name) => matchesName(old, name));
        if (found === undefined) return [{ kind, old, ...entry }];
        const message = `"${old}" is listed as removed, but this version has "${found}"`;
        report(loaded, ["legacy", "removed", kind, old], message, diagnostics);
        return [];
      },
    ),
  );
}

/** Reports an entry, unless the manifest has inherited it. */
function report(
  loaded: LoadedManifest | undefined,
  keys: readonly string[],
  message: string,
  diagnostics: Diagnostics,
): void {
  if (loaded?.owns(...keys) === false) return;
  diagnostics.add(
    loaded?.locationOf(...keys),
    message,
    `Correct it under ${keys.slice(0, -1).join(".")}, or remove it`,
  );
}

/** Returns whether a name matches a pattern, in which `*` matches any characters except a dot. */
export function matchesName(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^.]*")}$`).test(name);
}

function currentNames({
  types,
  operations,
  binding,
}: Names): Readonly<Record<LegacyKind, ReadonlySet<string>>> {
  const properties = types.flatMap((type) =>
    type.kind === "message" ? type.fields.map(({ name }) => `${type.name}.${name}`) : [],
  );
  const values = types.flatMap((type) =>
    type.kind === "enum"
      ? type.values.map(({ key, name }) => ({
          key: `${type.name}.${key}`,
          text: `${type.name}.${name}`,
        }))
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

/** The kinds of old names that begin with the name of a type. */
const memberKinds: ReadonlySet<LegacyKind> = new Set(["properties", "keys", "values"]);

/** Returns the reason why an old name is invalid, if any. */
function problemOf(entry: LegacyDef, current: ReadonlySet<string>): string | undefined {
  const { kind, old, now, value } = entry;
  if (current.has(old))
    return `"${old}" is listed as a name of an earlier version, but is a name of this version`;
  if (!current.has(now)) return `"${old}" is renamed to "${now}", which this version does not have`;
  const isMember = kind === "keys" || kind === "values" || value !== undefined;
  if (isMember && presentType(entry) !== typeOf(now))
    return `"${old}" is renamed to "${now}", which is a member of another type`;
  return undefined;
}

/** Returns the reason why the old params of a method are invalid, if any. */
function paramsProblem(
  old: string,
  { now, params = {} }: ManifestLegacy,
  { types, operations }: Names,
): string | undefined {
  const request = operations.find(({ jsonRpc }) => jsonRpc === now)?.request;
  const type =
    request?.kind === "named" ? types.find(({ name }) => name === request.name) : undefined;
  const fields = new Set(type?.kind === "message" ? type.fields.map(({ name }) => name) : []);
  const unknown = Object.values(params).find((name) => !fields.has(name));
  return unknown === undefined
    ? undefined
    : `a parameter of "${old}" is renamed to "${unknown}", which "${now}" does not have`;
}

/** Returns the current name of the type that had an old property, key or value. */
export function presentType({ old, type = typeOf(old) }: Pick<LegacyDef, "old" | "type">): string {
  return type;
}

function typeOf(member: string): string {
  return member.slice(0, member.indexOf("."));
}
