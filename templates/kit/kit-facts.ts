import type { A2AError, A2AErrorOptions } from "../errors.js";

/** What versions of the protocol differ in, as far as the kit has to know. */
export interface KitFacts {
  /**
   * The error for a task of another generation than the caller expects. Where there is one, tasks and their events say
   * their generations; `undefined` where the version knows none.
   */
  readonly mismatch: (new (message?: string, options?: A2AErrorOptions) => A2AError) | undefined;
}
