/** The paths in the braces of a resource name. */
export function pathsIn(pattern: string): string[][] {
  return [...pattern.matchAll(/\{([^{}]+)\}/g)].map(([, path = ""]) => path.split("."));
}
