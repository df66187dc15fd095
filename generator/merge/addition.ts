import type { Implementation } from "./implementations.js";
import type { ServiceMethod } from "./types.js";

/** Methods that a merge adds, or could add, to an implementation. */
export interface Addition {
  readonly implementation: Implementation;
  readonly methods: readonly ServiceMethod[];
  /** Reason why the methods cannot be added. */
  readonly obstacle?: string;
}
