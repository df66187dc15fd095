import { lineOf } from "../diff/report.js";
import type { Change } from "../diff/types.js";
import type { Protocol } from "../protocol/model/types.js";

/** Change that affects peers but that no compiler reports. */
export interface SilentChange {
  readonly message: string;
  /** Consequences for peers. */
  readonly notes: readonly string[];
}

/**
 * Returns the changed facts of the protocol that no compiler checks: headers, media types, paths, versions. If the
 * output has an adapter for the previous version, requests without a version are still accepted, so this change is
 * omitted.
 */
export function silentChanges(
  before: Protocol,
  after: Protocol,
  { changes, isAdapted }: { readonly changes: readonly Change[]; readonly isAdapted: boolean },
): SilentChange[] {
  const facts = changes.filter(({ subject, breaks }) => subject === "fact" && (breaks.json ?? breaks.protobuf));
  const found = facts.map((change): SilentChange => {
    const { breaks, note } = change;
    const reasons = new Set([breaks.json, breaks.protobuf, note].filter((reason) => reason !== undefined));
    return { message: lineOf(change), notes: [...reasons] };
  });
  return isAdapted ? found : [...versionCheck(before, after), ...found];
}

/** Returns the consequence for requests without a version, if another version now applies to them. */
function versionCheck({ binding: before }: Protocol, { binding: after }: Protocol): SilentChange[] {
  if (before === undefined || after?.errorRoles.versionNotSupported === undefined) return [];
  const isRefused = (binding: typeof before): boolean =>
    binding.errorRoles.versionNotSupported !== undefined && binding.assumedVersion !== binding.wireVersion;
  if (!isRefused(after) || isRefused(before)) return [];
  const { headers, assumedVersion, wireVersion, errorRoles } = after;
  const message = `requests without ${headers.version} fail with ${errorRoles.versionNotSupported ?? ""}`;
  const note = `A request without it has the version ${assumedVersion}. Generated clients send ${wireVersion}; other clients must, too`;
  return [{ message, notes: [note] }];
}
