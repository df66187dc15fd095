import type { Generated } from "../core/contract.js";
import type { SpecMatch } from "../input/source.js";
import type { Drift } from "../output/drift.js";
import type { PackageNeeds } from "../output/package.js";
import type { Changes } from "../output/write.js";
import type { AgentReport, PreparedMerge } from "./agent.js";

/** State of a file that implements a service, after a run. */
export interface ImplementationReport {
  /** Path relative to the working directory. */
  readonly file: string;
  /** Full name of the service; absent if the specification no longer has it. */
  readonly service?: string;
  /**
   * `created` by this run, `deleted` by the user, or `unused` if the specification no longer has the
   * service.
   */
  readonly state: "created" | "present" | "deleted" | "unused";
  /** The program that does not serve the service yet, and the expression to add to it. */
  readonly unserved?: { readonly program: string; readonly expression: string };
  /** Result of merging new methods into the file. */
  readonly merge?: AgentReport;
}

/** Result of a run. */
export interface GenerateResult {
  readonly title: string;
  /**
   * Bundled version that is most similar to the specification, if it was given by path and without
   * a manifest.
   */
  readonly match?: SpecMatch;
  /** Output folder, relative to the working directory. */
  readonly out: string;
  readonly changes: Changes;
  /** Targets of the previous run that are no longer chosen. */
  readonly droppedTargets?: readonly string[];
  /**
   * TypeScript files that were in the folder before the first run. Later runs with `--check` report
   * them.
   */
  readonly others?: readonly string[];
  /** Files that are not up to date. Only set for a comparison. */
  readonly drift?: readonly Drift[];
  /** Files that only a formatter has changed. Set only for a comparison. */
  readonly formatted?: readonly string[];
  /** Generated output; absent if it was already up to date. */
  readonly generated?: Generated;
  /** Path of the skeleton, if this run creates it. */
  readonly agent?: string;
  /** Path of the skeleton, if an earlier run created it, and the user has deleted it. */
  readonly deletedAgent?: string;
  /**
   * Path of the skeleton, if it was requested but the output has no service that it could
   * implement.
   */
  readonly ignoredAgent?: string;
  /**
   * Result of merging new methods into an existing skeleton; absent if no methods had to be merged.
   */
  readonly merge?: AgentReport;
  /** Files that implement services, if the services are not agents. */
  readonly implementations?: readonly ImplementationReport[];
  /** Path of the program that serves services, if this run adds or removes services in it. */
  readonly updatedAgent?: string;
  /** Requirements of the output that the project does not meet. */
  readonly needs: PackageNeeds;
  /** Files and folders that are inputs of the output, for watching. */
  readonly sources: readonly string[];
}

/** Prepared run that has not changed the project yet. */
export interface Prepared {
  /** Result of the run, if it is applied. */
  readonly result: GenerateResult;
  /** The user's files that change: their absolute paths and their new texts. */
  readonly users?: readonly Pick<PreparedMerge, "path" | "text" | "insertions">[];
  /** New files of the user, by their absolute paths. */
  readonly created?: ReadonlyMap<string, string>;
  /**
   * Changes the project: writes the output, and the user's files unless the caller provided their
   * texts.
   */
  readonly write: () => GenerateResult;
}
