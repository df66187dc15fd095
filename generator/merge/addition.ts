import type { Implementation } from "./implementations.js";
import type { ServiceMethod } from "./types.js";

/** The methods that an implementation gets, or could get. */
export interface Addition {
  readonly implementation: Implementation;
  readonly methods: readonly ServiceMethod[];
  /** Why it does not get them. */
  readonly obstacle?: string;
}
