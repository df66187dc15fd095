import { lineOf } from "../diff/report.js";
import type { Change } from "../diff/types.js";
import { inversionNote, type Conversion } from "./conversions.js";
import type { Protocol } from "../protocol/model/types.js";

/** Change that affects peers but that no compiler reports. */
export interface SilentChange {
  readonly message: string;
  /** Consequences for peers. */
  readonly notes: readonly string[];
}

/** Facts about the two versions that {@link silentChanges} needs. */
export interface SilentFacts {
  readonly changes: readonly Change[];
  /** Whether the output has an adapter for the previous version. */
  readonly isAdapted: boolean;
  readonly converted: Iterable<Conversion>;
}

/**
 * Returns the changed facts of the protocol that no compiler checks: headers, media types, paths,
 * versions. If the output has an adapter for the previous version, requests without a version are
 * still accepted, so this change is omitted.
 */
export function silentChanges(
  before: Protocol,
  after: Protocol,
  { changes, isAdapted, converted }: SilentFacts,
): SilentChange[] {
  const facts = changes.filter(
    ({ subject, breaks }) => subject === "fact" && (breaks.json ?? breaks.protobuf),
  );
  const found = facts.map((change): SilentChange => {
    const { breaks, note } = change;
    const reasons = new Set(
      [breaks.json, breaks.protobuf, note].filter((reason) => reason !== undefined),
    );
    return { message: lineOf(change), notes: [...reasons] };
  });
  return isAdapted ? found : [...versionCheck(before, after), ...inversions(converted), ...found];
}

/** Returns the booleans that now have the opposite value, with what an absent value means. */
function inversions(converted: Iterable<Conversion>): SilentChange[] {
  return [...converted].flatMap((conversion) => {
    if (conversion.value !== "opposite") return [];
    const note = inversionNote(conversion);
    const message = `${conversion.was} is now ${conversion.path}, with the opposite value`;
    return [{ message, notes: note === undefined ? [] : [note] }];
  });
}

/**
 * Returns the consequence for requests without a version, if another version now applies to them.
 */
function versionCheck({ binding: before }: Protocol, { binding: after }: Protocol): SilentChange[] {
  if (before === undefined || after?.errorRoles.versionNotSupported === undefined) return [];
  const isRefused = (binding: typeof before): boolean =>
    binding.errorRoles.versionNotSupported !== undefined &&
    binding.assumedVersion !== binding.wireVersion;
  if (!isRefused(after) || isRefused(before)) return [];
  const { headers, assumedVersion, wireVersion, errorRoles } = after;
  const message =
    `requests without ${headers?.version ?? "a version"} fail with ` +
    (errorRoles.versionNotSupported ?? "");
  const note =
    `A request without it has the version ${assumedVersion}. Generated clients send ` +
    `${wireVersion}; other clients must, too`;
  return [{ message, notes: [note] }];
}
