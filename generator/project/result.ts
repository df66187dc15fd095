import type { Generated } from "../core/contract.js";
import type { SpecMatch } from "../input/source.js";
import type { Drift } from "../output/drift.js";
import type { PackageNeeds } from "../output/package.js";
import type { Changes } from "../output/write.js";
import type { AgentReport, PreparedMerge } from "./agent.js";

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
  /** Path of the skeleton, if this run created it. */
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
  /** Requirements of the output that the project does not meet. */
  readonly needs: PackageNeeds;
  /** Files and folders that are inputs of the output, for watching. */
  readonly sources: readonly string[];
}

/** Prepared run that has not changed the project yet. */
export interface Prepared {
  /** Result of the run, if it is applied. */
  readonly result: GenerateResult;
  /** The user's implementation of the service: its absolute path and its new text. */
  readonly user?: Pick<PreparedMerge, "text" | "insertions"> & { readonly path: string };
  /**
   * Changes the project: writes the output, and the user's file unless the caller provided its
   * text.
   */
  readonly write: () => GenerateResult;
}
