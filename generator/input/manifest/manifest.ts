import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import { errorRoles } from "../../protocol/model/types.js";
import type { SpecSource } from "../source.js";
import { manifestSchema } from "./schema.js";
import { YamlFile } from "./yaml-file.js";
import { violationsOf, type Violation } from "../../../support/json-schema.js";
import { isRecord } from "../../../support/values.js";
import type { LoadedManifest, Manifest, ManifestError } from "../../protocol/model/manifest.js";

/**
 * Reads and merges the manifests of a specification. Later manifests override earlier manifests.
 *
 * @throws InputError if a manifest is invalid
 */
export function readManifests(
  { manifests: sources, borrowed }: Pick<SpecSource, "manifests" | "borrowed">,
  diagnostics: Diagnostics,
): LoadedManifest {
  const files = sources.map((source) => YamlFile.of(source));
  let manifest: Manifest = {};
  for (const file of files) {
    const value = file.value(diagnostics);
    diagnostics.throwIfAny();
    // A manifest may override only a part of the manifest that it extends, so only the merged
    // manifest must be complete.
    const violations = violationsOf(manifestSchema(), value).filter(
      ({ kind }) => kind !== "missing",
    );
    for (const violation of violations) file.report(violation, diagnostics);
    if (violations.length === 0 && isManifest(value)) manifest = merge(manifest, value);
  }
  diagnostics.throwIfAny();
  const locationOf = (...keys: readonly string[]): Location | undefined =>
    files.toReversed().flatMap((file) => file.locationOf(keys) ?? [])[0];
  const nearest = (...keys: readonly string[]): Location =>
    locationOf(...keys) ??
    (keys.length > 0
      ? nearest(...keys.slice(0, -1))
      : { file: sources.at(-1)?.file ?? "manifest" });
  reportMissing(violationsOf(manifestSchema(), manifest), nearest, diagnostics);
  diagnostics.throwIfAny();
  if (borrowed) manifest = merge(manifest, manifest.elsewhere ?? {});
  checkReferences(manifest, nearest, diagnostics);
  const owns = (...keys: readonly string[]): boolean =>
    !borrowed && nearest(...keys).file === nearest().file;
  return { manifest, locationOf, nearest, borrowed, owns };
}

/** Reports required keys that are missing from the merged manifest. */
function reportMissing(
  violations: readonly Violation[],
  nearest: LoadedManifest["nearest"],
  diagnostics: Diagnostics,
): void {
  for (const { path } of violations)
    diagnostics.add(
      nearest(...path.slice(0, -1)),
      `the manifest requires "${path.join(".")}"`,
      "Add it",
    );
}

/** Reports errors that cannot be told apart, and names without a definition. */
function checkReferences(
  manifest: Manifest,
  nearest: LoadedManifest["nearest"],
  diagnostics: Diagnostics,
): void {
  const { errors = {}, errorDomain, errorFormat = "status" } = manifest;
  const refuseShared = (
    what: string,
    valueOf: (error: ManifestError) => string | number | undefined,
    hint: string,
  ): void => {
    const names = new Map<string | number, string>();
    for (const [name, error] of Object.entries(errors)) {
      const value = valueOf(error);
      if (value === undefined) continue;
      const earlier = names.get(value);
      names.set(value, earlier ?? name);
      if (earlier === undefined) continue;
      const message = `${name} has the same ${what} ${value} as ${earlier}`;
      diagnostics.add(nearest("errors", name), message, hint);
    }
  };
  refuseShared("code", ({ jsonRpc }) => jsonRpc, "Use a different code for each error");
  // Without a domain, responses do not contain the reason of an error.
  const isKnownByStatus = errorDomain === undefined && errorFormat === "status";
  if (isKnownByStatus)
    refuseShared(
      "gRPC status",
      ({ grpc }) => grpc,
      'Set "errorDomain", so that responses contain the reason of an error, or use a different ' +
        "status",
    );
  const requireError = (name: string | undefined, ...keys: string[]): void => {
    if (name === undefined || Object.hasOwn(errors, name)) return;
    diagnostics.add(
      nearest(...keys),
      `"${name}" is not an error of this manifest`,
      'Add it under "errors", or correct the name',
    );
  };
  for (const role of errorRoles) requireError(manifest.errorRoles?.[role], "errorRoles", role);
  for (const [name, { error }] of Object.entries(manifest.capabilities ?? {}))
    requireError(error, "capabilities", name, "error");
  const requireCapability = (name: string, ...keys: string[]): void => {
    if (Object.hasOwn(manifest.capabilities ?? {}, name)) return;
    const hint = 'Add it under "capabilities", or correct the name';
    diagnostics.add(nearest(...keys), `"${name}" is not a capability of this manifest`, hint);
  };
  for (const [name, operation] of Object.entries(manifest.operations ?? {})) {
    const { missing, errors: thrown = {}, lookup = {}, requires, fieldRequires = {} } = operation;
    requireError(missing, "operations", name, "missing");
    for (const error of Object.keys(thrown))
      requireError(error, "operations", name, "errors", error);
    for (const [path, error] of Object.entries(lookup))
      requireError(error, "operations", name, "lookup", path);
    if (requires !== undefined) requireCapability(requires, "operations", name, "requires");
    for (const [path, capability] of Object.entries(fieldRequires))
      requireCapability(capability, "operations", name, "fieldRequires", path);
  }
}

/**
 * Merges objects key by key. Any other value of `over` replaces the value of `base`. The result has
 * no prototype, so that no key refers to an inherited member.
 */
function merge<T>(base: T, over: T): T {
  if (!isRecord(over)) return over;
  const merged = Object.create(null) as T & Record<string, unknown>;
  for (const part of isRecord(base) ? [base, over] : [over])
    for (const [key, value] of Object.entries(part))
      Reflect.set(merged, key, merge(merged[key], value));
  return merged;
}

/** Returns whether a value that matches the schema, except for missing keys, is a manifest. */
function isManifest(value: unknown): value is Manifest {
  return isRecord(value);
}
