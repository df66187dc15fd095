import type { GenerateResult } from "../project/project.js";
import type { SilentChange } from "./silent.js";
import type { Comparison } from "../diff/report.js";

/** The options of an upgrade. */
export interface UpgradeRequest {
  readonly cwd: string;
  /** The version to move to, or the path of a proto or JSON Schema. */
  readonly to: string;
  /** The schema and manifest of the new version, as for `generate`. */
  readonly schema?: string | undefined;
  readonly manifest?: string | undefined;
  /** Whether the output goes on to speak the present version, by an adapter. */
  readonly keep?: boolean | undefined;
  /** Whether to write; otherwise everything is computed and nothing is written. */
  readonly write: boolean;
  /** Whether to write over generated files that were edited, and over changes that are not committed. */
  readonly force: boolean;
  /** The path of the configuration; by default it is searched for. */
  readonly config?: string | undefined;
  /** The path of the `tsconfig.json`; by default it is searched for. */
  readonly tsconfig?: string | undefined;
}

/** A position in a file of the user. Lines and columns count from 1; the file is relative to the working folder. */
export interface At {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An old name in a file of the user, and the new one. */
export interface Renamed extends At {
  readonly from: string;
  readonly to: string;
}

/** Something that is left to do by hand. */
export interface Remaining extends At {
  /**
   * - `error`: a compile error.
   * - `name`: it compiles and may be wrong: an old name in a string, such as a method of JSON-RPC, or a name that another
   *   thing has now.
   */
  readonly kind: "error" | "name";
  /** The code of the compiler: 2339 for `TS2339`. */
  readonly code?: number;
  /** The message of the compiler, or what is wrong with the name. */
  readonly message: string;
  /** The change of the specification behind it, and what to use instead. */
  readonly notes: readonly string[];
  /** Whether the compile error was there before the upgrade. */
  readonly wasBefore: boolean;
}

/** A replacement, by positions in the text before it. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** An edit that renames something. */
export interface Renaming extends Edit {
  readonly from: string;
  readonly to: string;
}

/** Code that compiles and may be wrong: a string that looks like an old name, or a name that another type has now. */
export interface Notice {
  readonly start: number;
  readonly message: string;
}

/** The result of an upgrade, written or not. */
export interface UpgradeReport {
  /** The titles of the specifications. */
  readonly from: string;
  readonly to: string;
  readonly comparison: Comparison;
  readonly generated: GenerateResult;
  readonly renamed: readonly Renamed[];
  readonly remaining: readonly Remaining[];
  /** What changes for peers, and is noticed by no compiler. */
  readonly silent: readonly SilentChange[];
  /** The methods of new operations that the service of the project may offer, if the configuration names no agent. */
  readonly newMethods: readonly string[];
  /** What is left to do so that callers of the earlier version are served, where its adapter stays. */
  readonly adapter?: string;
  /** The files that an earlier upgrade had changed when it was interrupted, and that were restored first. */
  readonly restored: readonly string[];
  /** Whether there is nothing to write, because every file is up to date. */
  readonly isCurrent: boolean;
  /** Whether the project was changed. */
  readonly written: boolean;
}
