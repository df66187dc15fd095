import type { Omission, Protocol } from "../protocol/model/types.js";
import type { FilePlan } from "./file-plan.js";
import type { PartedPlan, PartLinks } from "./parts.js";

export type { FilePlan, Statement } from "./file-plan.js";

/** The contribution of a target to the output. */
export interface TargetPlan {
  readonly files: readonly FilePlan[];
  /** Further files, whose layout depends on the other outputs of a run. */
  readonly parted?: readonly PartedPlan[];
  /** The files that `index.ts` exports, as module paths without extension. */
  readonly exports: readonly string[];
  /**
   * The modules of the kit that are copied together with their imports, as paths without extension.
   */
  readonly kit?: readonly string[];
  readonly omissions: readonly Omission[];
}

/** The contribution of a target if the target does not apply to the protocol. */
export const emptyPlan: TargetPlan = { files: [], exports: [], omissions: [] };

/** A part of the output that a user can select. */
export interface Target {
  readonly name: string;
  readonly summary: string;
  /** Set if the target is only planned when a user selects it. */
  readonly optIn?: true;
  /** Targets whose files this target imports. */
  readonly needs: readonly string[];
  readonly plan: (
    protocol: Protocol,
    targets: ReadonlySet<string>,
  ) => Promise<TargetPlan> | TargetPlan;
}

/** Returns the contributions of targets as one plan, in the order of the targets. */
export async function planTargets(
  targets: readonly Target[],
  protocol: Protocol,
): Promise<Required<TargetPlan>> {
  const chosen = namesOf(targets);
  const plans: TargetPlan[] = [];
  for (const target of targets) plans.push(await target.plan(protocol, chosen));
  return {
    files: plans.flatMap(({ files }) => files),
    parted: plans.flatMap(({ parted = [] }) => parted),
    exports: plans.flatMap(({ exports }) => exports),
    kit: plans.flatMap(({ kit = [] }) => kit),
    omissions: plans.flatMap(({ omissions }) => omissions),
  };
}

/**
 * Returns all files of a plan. `linksOf` returns the connections of a file of parts to the other
 * outputs of a run.
 */
export function filesOf(
  { files, parted }: Required<Pick<TargetPlan, "files" | "parted">>,
  linksOf: (file: PartedPlan) => PartLinks | undefined = () => undefined,
): FilePlan[] {
  return [...files, ...parted.flatMap((file) => file.files(linksOf(file)))];
}

/** Returns the names of targets. */
export function namesOf(targets: readonly Target[]): Set<string> {
  return new Set(targets.map(({ name }) => name));
}
