import type { Diagnostics } from "../diagnostics.js";
import type { LoadedManifest } from "../input/manifest.js";
import { legacyKinds, type LegacyDef, type Protocol } from "./types.js";

/** The names of a protocol as they are now. */
type Names = Pick<Protocol, "types" | "operations" | "binding">;

/**
 * Gives the names of earlier versions that a manifest knows. One that leads to nothing, or that something has now, is
 * added to the diagnostics: an alias must not stand for nothing, nor in front of what is current.
 */
export function legacyOf(
  { types, operations, binding }: Names,
  loaded: LoadedManifest | undefined,
  diagnostics: Diagnostics,
): LegacyDef[] {
  const properties = types.flatMap((type) =>
    type.kind === "message" ? type.fields.map(({ name }) => `${type.name}.${name}`) : [],
  );
  const keys = types.flatMap((type) =>
    type.kind === "enum" ? type.values.map(({ key }) => `${type.name}.${key}`) : [],
  );
  const current: Readonly<Record<LegacyDef["kind"], ReadonlySet<string>>> = {
    types: new Set(types.map(({ name }) => name)),
    properties: new Set(properties),
    keys: new Set(keys),
    methods: new Set(operations.flatMap(({ jsonRpc }) => jsonRpc ?? [])),
    errors: new Set((binding?.errors ?? []).map(({ name }) => name)),
  };
  return legacyKinds.flatMap((kind) =>
    Object.entries(loaded?.manifest.legacy?.[kind] ?? {}).flatMap(([old, entry]): LegacyDef[] => {
      const place = loaded?.placeOf("legacy", kind, old);
      const remedy = `Correct it under legacy.${kind}, or remove it`;
      if (current[kind].has(entry.now) && !current[kind].has(old)) return [{ kind, old, ...entry }];
      if (loaded?.borrowed === true) return [];
      const problem = current[kind].has(old)
        ? `"${old}" is given as a name of an earlier version, and is one of this version`
        : `"${old}" is said to be called "${entry.now}" now, which this version does not have`;
      diagnostics.add(place, problem, remedy);
      return [];
    }),
  );
}

/** Tells whether a version may remove an old name. Versions compare by their numbers. */
export function isExpired({ until }: LegacyDef, version: string): boolean {
  const [now, then] = [version, until].map((text) => text.split(/[.-]/).map(Number));
  for (const [index, part = 0] of (then ?? []).entries()) {
    const own = now?.[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}
