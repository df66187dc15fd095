import { packageFolder } from "../../support/package-folder.js";
import { digestOf, type SourceDigest } from "./digest.js";
import { bundledFolder, SpecRegistry } from "./registry.js";

const known = new Map<string, SourceDigest | undefined>();

/**
 * Returns the digest of a bundled specification by its name or version; `undefined` for any other
 * value. A build contains a table instead, with the digests by the usual names, so that a run
 * without changes does not read the files.
 */
export function bundledDigest(spec: string): SourceDigest | undefined {
  if (!known.has(spec)) {
    const registry = new SpecRegistry(bundledFolder, packageFolder);
    const id = registry.idOf(spec);
    known.set(spec, id === undefined ? undefined : digestOf(registry.find(id)));
  }
  return known.get(spec);
}

/**
 * Returns the digests for the table of a build, by the names of the bundled specifications, their
 * versions, and the first numbers of these.
 */
export function bundledDigests(): ReadonlyMap<string, SourceDigest> {
  const specs = new SpecRegistry(bundledFolder, packageFolder).list();
  const names = specs.flatMap(({ id, version }) => {
    const parts = version.split(".");
    return [id, ...parts.map((_, index) => parts.slice(0, index + 1).join("."))];
  });
  return new Map(
    [...new Set(names)].flatMap((name) => {
      const digest = bundledDigest(name);
      return digest === undefined ? [] : [[name, digest] as const];
    }),
  );
}
