import type { Omission, Protocol } from "../protocol/model/types.js";

/** A file of the output: a template and all that it places. */
export interface FilePlan {
  /** The path below the output folder. */
  readonly path: string;
  /** The name of the template, below `templates/` and without `.hbs`. */
  readonly template: string;
  /** What the template places besides the statements. Every decision has been taken. */
  readonly view: object;
  readonly imports: readonly Statement[];
  readonly exports: readonly Statement[];
  /** Modules that the template exports from under other names, by the key that it has for each specifier. */
  readonly specifiers?: Readonly<Record<string, string>>;
}

/** An import or export statement, up to how the file refers to the module. */
export interface Statement {
  /** The path of the module below the output folder, without extension. */
  readonly module: string;
  /** The words of the statement: `import type`, or `export *`. */
  readonly clause: string;
  /** The names in braces; absent where the statement has none. */
  readonly items?: readonly string[];
}

/** What a target contributes to the output. */
export interface TargetPlan {
  readonly files: readonly FilePlan[];
  /** The files that `index.ts` exports, as module paths without extension. */
  readonly exports: readonly string[];
  /** The modules of the kit that are copied, with what they import, as paths without extension. */
  readonly kit?: readonly string[];
  readonly omissions: readonly Omission[];
}

/** What a target contributes that cannot do anything with this protocol. */
export const emptyPlan: TargetPlan = { files: [], exports: [], omissions: [] };

/** A kind of output that a user can ask for. */
export interface Target {
  readonly name: string;
  readonly summary: string;
  /** Set where the target is only planned if a user names it. */
  readonly optIn?: true;
  /** Targets whose files this one imports. */
  readonly needs: readonly string[];
  readonly plan: (protocol: Protocol, targets: ReadonlySet<string>) => Promise<TargetPlan> | TargetPlan;
}
