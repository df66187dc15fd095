import { notify } from "../base/async.js";
import type { Forgiveness, Forgiver, Issue } from "../schema/schema.js";

/**
 * Callback that receives the accepted deviations of a peer in a call of the operation `name`. If
 * the callback throws, the error is written to `console.error`.
 */
export type OnDeviation = (deviations: readonly Issue[], name: string) => unknown;

/** Options for deviations of a peer from the specification. */
export interface DeviationOptions {
  /**
   * Whether to refuse known deviations of peers, such as times without a zone. Default: false.
   * Values of a later version are accepted in any case.
   */
  readonly strict?: boolean | undefined;
  /**
   * Called with the deviations that are accepted in a call, and with the unknown values in a
   * response, such as additions of a later version, which stay in the response. If this callback
   * throws, the call does not fail, and the error is written to `console.error`.
   */
  readonly onDeviation?: OnDeviation | undefined;
}

/** Returns how checks in a call of the operation `name` handle deviations. */
export function forgivenessFor(
  options: DeviationOptions,
  name: string,
  forgiver: Forgiver,
): Forgiveness {
  return {
    forgiver: options.strict ? undefined : forgiver,
    onDeviation: (deviations) => {
      reportDeviations(options, name, deviations);
    },
  };
}

/** Reports the accepted deviations in a call of the operation `name`. Never throws. */
export function reportDeviations(
  { onDeviation }: DeviationOptions,
  name: string,
  deviations: readonly Issue[],
): void {
  notify(() => onDeviation?.(deviations, name));
}

/** Returns whether a deviation is accepted in a call of the operation `name`. If so, reports it. */
export function isForgiven(
  options: DeviationOptions | undefined,
  name: string,
  deviation: Issue,
): boolean {
  if (options === undefined || options.strict) return false;
  reportDeviations(options, name, [deviation]);
  return true;
}
