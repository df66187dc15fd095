import { lineOf } from "../diff/report.js";
import type { Change } from "../diff/types.js";
import type { Protocol } from "../protocol/model/types.js";

/** A change that peers notice, and no compiler. */
export interface SilentChange {
  readonly message: string;
  /** What it means for peers. */
  readonly notes: readonly string[];
}

/**
 * Returns the facts of the protocol that changed and that no compiler checks: headers, media types, paths, versions.
 * Where the output has an adapter of the version before, requests that name none are not refused.
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

/** Returns what happens to requests that name no version, if it is another version that they mean. */
function versionCheck({ binding: before }: Protocol, { binding: after }: Protocol): SilentChange[] {
  if (before === undefined || after?.errorRoles.versionNotSupported === undefined) return [];
  const isRefused = (binding: typeof before): boolean =>
    binding.errorRoles.versionNotSupported !== undefined && binding.assumedVersion !== binding.wireVersion;
  if (!isRefused(after) || isRefused(before)) return [];
  const { headers, assumedVersion, wireVersion, errorRoles } = after;
  const message = `callers that send no ${headers.version} are refused with ${errorRoles.versionNotSupported ?? ""}`;
  const note = `A request without it means ${assumedVersion}; generated clients send ${wireVersion}, and others have to`;
  return [{ message, notes: [note] }];
}
