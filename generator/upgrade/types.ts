import type { GenerateResult } from "../project/project.js";
import type { Comparison } from "../diff/report.js";

/** A place in a file of the user; lines and columns count from 1, the file is relative to the folder of the call. */
export interface At {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An old name in a file of the user, and the one that takes its place. */
export interface Renamed extends At {
  readonly from: string;
  readonly to: string;
}

/** Something that is left to do by hand. */
export interface Remaining extends At {
  /**
   * - `error`: the compiler will refuse it.
   * - `name`: it compiles, and may be wrong: an old name in a text, such as a method of JSON-RPC, or a name that stands for
   *   something else now.
   */
  readonly kind: "error" | "name";
  /** The code of the compiler: 2339 for `TS2339`. */
  readonly code?: number;
  /** What the compiler says, or what the name is. */
  readonly message: string;
  /** What the specifications say about it: the change behind it, and how to move on. */
  readonly notes: readonly string[];
  /** Set where the compiler refused it before the upgrade, too. */
  readonly wasBefore: boolean;
}

/** A replacement in a text, by positions in the text before. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** An edit that gives a thing its present name. */
export interface Renaming extends Edit {
  readonly from: string;
  readonly to: string;
}

/** What an upgrade does, or would do. */
export interface UpgradeReport {
  /** How the specifications are called. */
  readonly from: string;
  readonly to: string;
  readonly comparison: Comparison;
  readonly generated: GenerateResult;
  readonly renamed: readonly Renamed[];
  readonly remaining: readonly Remaining[];
  /** Whether the changes of an earlier upgrade, which was interrupted, had to be undone first. */
  readonly wasInterrupted: boolean;
  /** Whether there is nothing to write: output, configuration and files of the user are as they would be. */
  readonly isCurrent: boolean;
  /** Whether the project was changed. */
  readonly written: boolean;
}
