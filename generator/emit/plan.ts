import type { Omission, Protocol } from "../protocol/model/types.js";

/** A file of the output: a template, and the values that the template prints. */
export interface FilePlan {
  /** The path, relative to the output folder. */
  readonly path: string;
  /** The name of the template: its path below `templates/`, without `.hbs`. */
  readonly template: string;
  /**
   * The values that the template prints, except for the import and export statements. The template
   * contains no logic of its own.
   */
  readonly view: object;
  readonly imports: readonly Statement[];
  readonly exports: readonly Statement[];
  /**
   * Modules that the template reexports under other names, by the key of each specifier in the
   * template.
   */
  readonly specifiers?: Readonly<Record<string, string>>;
}

/** An import or export statement, without the specifier of the module. */
export interface Statement {
  /** The path of the module, relative to the output folder and without extension. */
  readonly module: string;
  /** The beginning of the statement: `import type`, or `export *`. */
  readonly clause: string;
  /** The names in braces; absent if the statement has no braces. */
  readonly items?: readonly string[];
}

/** The contribution of a target to the output. */
export interface TargetPlan {
  readonly files: readonly FilePlan[];
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
    exports: plans.flatMap(({ exports }) => exports),
    kit: plans.flatMap(({ kit = [] }) => kit),
    omissions: plans.flatMap(({ omissions }) => omissions),
  };
}

/** Returns the names of targets. */
export function namesOf(targets: readonly Target[]): Set<string> {
  return new Set(targets.map(({ name }) => name));
}
