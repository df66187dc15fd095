import { InputError } from "../../support/diagnostics.js";
import type { Protocol } from "../../generator/protocol/model/types.js";
import { mapVersions } from "../../generator/protocol/versions/map-versions.js";

/**
 * Looks for hints of a version's manifest that no earlier version needs. Throws an `InputError`
 * that names each with its location, as well as for versions that cannot be mapped.
 */
export function checkHints(later: Protocol, earlier: readonly Protocol[]): void {
  const { lost = [], fill = {}, wrapped = {}, locations = {} } = later.versions ?? {};
  const used = new Set(earlier.flatMap((one) => mapVersions(one, later).hints));
  const given = [
    ...lost.map((name) => `lost.${name}`),
    ...Object.keys(fill).map((name) => `fill.${name}`),
    ...Object.keys(wrapped).map((name) => `wrapped.${name}`),
  ];
  const unused = given.filter((name) => !used.has(name));
  if (unused.length === 0) return;
  const diagnostics = unused.map((name) => ({
    location: locations[name] ?? { file: "manifest" },
    message: `no earlier version needs versions.${name}`,
    hint: "Remove it, or correct the name",
  }));
  throw new InputError(...diagnostics);
}
