import type { WireFieldDef } from "../model/types.js";

/** Returns the paths in the braces of a resource name. */
export function pathsIn(pattern: string): string[][] {
  return [...pattern.matchAll(/\{([^{}]+)\}/g)].map(([, path = ""]) => path.split("."));
}

/** Returns all paths that the fields carry. */
export function pathsOf(fields: readonly WireFieldDef[]): (readonly string[])[] {
  return fields.flatMap(({ place }) => {
    if (place.kind === "resource") return place.patterns.flatMap(pathsIn);
    return place.kind === "path" ? [place.path] : [];
  });
}
