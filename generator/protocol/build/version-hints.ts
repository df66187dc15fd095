import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import type { LoadedManifest } from "../model/manifest.js";
import type { Protocol, VersionHints } from "../model/types.js";

/**
 * Returns the hints of a manifest about the values of earlier versions, with the location of each
 * hint. Invalid hints, such as hints about unknown elements, are skipped, and reported unless the
 * manifest has inherited them.
 */
export function versionHintsOf(
  { types }: Pick<Protocol, "types">,
  loaded: LoadedManifest,
  diagnostics: Diagnostics,
): VersionHints {
  const { last, lost = [], fill = {}, wrapped = {} } = loaded.manifest.versions ?? {};
  const properties = new Set(
    types.flatMap((type) =>
      type.kind === "message" ? type.fields.map(({ name }) => `${type.name}.${name}`) : [],
    ),
  );
  const names = new Set(types.map(({ name }) => name));
  const locations: Record<string, Location> = { "": loaded.nearest("versions") };
  const check = (keys: readonly string[], isRight: boolean, message: string): boolean => {
    const at = loaded.nearest("versions", ...keys);
    locations[keys.join(".")] = at;
    if (isRight) return true;
    if (loaded.owns("versions", ...keys))
      diagnostics.add(at, message, `Correct it under versions.${keys[0] ?? ""}`);
    return false;
  };
  const has = (kind: string, name: string): boolean =>
    check(
      [kind, name],
      properties.has(name),
      `"${name}" is listed under versions.${kind}, but this version does not have it`,
    );
  const isLost = (name: string): boolean => {
    const [owner = ""] = name.split(".");
    const isThere = properties.has(name);
    const message = isThere ? "this version has it" : `the type ${owner} does not exist`;
    return check(
      ["lost", name],
      !isThere && names.has(owner),
      `"${name}" is listed as lost, but ${message}`,
    );
  };
  const hasLast =
    last !== undefined &&
    check(["last"], properties.has(last), `This version does not have "${last}"`);
  return {
    ...(hasLast && { last }),
    lost: lost.filter(isLost),
    fill: Object.fromEntries(Object.entries(fill).filter(([name]) => has("fill", name))),
    wrapped: Object.fromEntries(Object.entries(wrapped).filter(([name]) => has("wrapped", name))),
    locations,
  };
}
