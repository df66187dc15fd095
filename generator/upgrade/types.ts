import type { GenerateResult } from "../project/project.js";
import type { SilentChange } from "./silent.js";
import type { Comparison } from "../diff/report.js";

/** Options of an upgrade. */
export interface UpgradeRequest {
  readonly cwd: string;
  /**
   * Path of the specification of the current output, if the file that the configuration names has
   * changed since. By default, the version of the output or the file in the configuration.
   */
  readonly from?: string | undefined;
  /**
   * Version to move to, or the path of a proto or JSON Schema. With `from`, the specification in the
   * configuration by default.
   */
  readonly to?: string | undefined;
  /** Schema and manifest of the new version, with the same meaning as for `generate`. */
  readonly schema?: string | undefined;
  readonly manifest?: string | undefined;
  /** Whether the output continues to support the current version, with an adapter. */
  readonly keep?: boolean | undefined;
  /** Whether to write the changes. Otherwise, the changes are only computed. */
  readonly write: boolean;
  /** Whether to overwrite edited generated files and uncommitted changes. */
  readonly force: boolean;
  /** Path of the configuration. By default, the configuration is searched for. */
  readonly config?: string | undefined;
  /** Path of the `tsconfig.json`. By default, the file is searched for. */
  readonly tsconfig?: string | undefined;
}

/**
 * Position in a user's file. Lines and columns count from 1. The path is relative to the working
 * directory.
 */
export interface At {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Old name in a file of the user, and its replacement. */
export interface Renamed extends At {
  readonly from: string;
  readonly to: string;
}

/** Remaining manual work at one position. */
export interface Remaining extends At {
  /**
   * Kind of work:
   *
   * - `error`: a compile error.
   * - `name`: code that compiles but may be wrong: an old name in a string, such as a JSON-RPC
   *   method, or a name that now has a different meaning.
   */
  readonly kind: "error" | "name";
  /** Error code of the compiler: 2339 for `TS2339`. */
  readonly code?: number;
  /** Message of the compiler, or the problem with the name. */
  readonly message: string;
  /** Related changes to the specification, and replacements. */
  readonly notes: readonly string[];
  /** Whether the compile error already existed before the upgrade. */
  readonly wasBefore: boolean;
}

/** Replacement of text. Positions refer to the text before the replacement. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edit that renames an identifier, a property or a string. */
export interface Renaming extends Edit {
  readonly from: string;
  readonly to: string;
}

/**
 * Code that compiles but may be wrong: a string that looks like an old name, or a name that now
 * belongs to a different type.
 */
export interface Notice {
  readonly start: number;
  readonly message: string;
}

/** Result of an upgrade, written or not. */
export interface UpgradeReport {
  /** Titles of the specifications. */
  readonly from: string;
  readonly to: string;
  readonly comparison: Comparison;
  readonly generated: GenerateResult;
  readonly renamed: readonly Renamed[];
  readonly remaining: readonly Remaining[];
  /** Changes that affect peers but that no compiler reports. */
  readonly silent: readonly SilentChange[];
  /**
   * Methods of new operations that the project's service may implement, if the configuration names
   * no agent.
   */
  readonly newMethods: readonly string[];
  /** Remaining steps to serve callers of the earlier version, if its adapter is kept. */
  readonly adapter?: string;
  /** Whether every file is already up to date. */
  readonly isCurrent: boolean;
  /** Whether the project was changed. */
  readonly written: boolean;
}
