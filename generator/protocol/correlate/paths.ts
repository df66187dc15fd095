import type { WireFieldDef } from "../model/types.js";

/** Returns the paths in the braces of a resource name. */
export function pathsIn(pattern: string): string[][] {
  return [...pattern.matchAll(/\{([^{}]+)\}/g)].map(([, path = ""]) => path.split("."));
}

/** Returns the paths of all values that the fields represent. */
export function pathsOf(fields: readonly WireFieldDef[]): (readonly string[])[] {
  return fields.flatMap(({ mapping }) => {
    if (mapping.kind === "resource") return mapping.patterns.flatMap(pathsIn);
    return mapping.kind === "path" ? [mapping.path] : [];
  });
}
