import type { Reply } from "./reply.js";
import type { Level } from "./rule.js";

/** State of a check: `skip` if it does not apply, `error` if the check itself failed. */
export type State = "pass" | "fail" | "skip" | "error";

/** Result of a rule or a test on one interface. */
export interface Result {
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  /** Section of the specification; empty if it is unknown. */
  readonly section: string;
  /** Name of the interface, such as `JSONRPC 1.0`; `card` for rules of the card. */
  readonly lane: string;
  /** Suite of the test; empty for rules of the probe. */
  readonly suite: string;
  readonly state: State;
  /** Reason why the check failed or was skipped. */
  readonly reason: string;
  /** Step of the test that failed. */
  readonly step?: string | undefined;
  /** Requests that the check has used, with their responses. */
  readonly replies: readonly Reply[];
  readonly durationMs: number;
  /** Reason in the file with expected failures; `undefined` if the failure is not expected. */
  readonly expected?: string | undefined;
}

/** Maximum number of requests to keep with a failure. */
export const maxReplies = 3;

/** A suite of tests in a file, for the report. */
export interface SuiteFacts {
  readonly id: string;
  readonly name: string;
}

/** Results of a probe. */
export interface Report {
  readonly url: string;
  /** Name of the agent in its card. */
  readonly agent: string;
  readonly agentVersion: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly lanes: readonly string[];
  readonly suites: readonly SuiteFacts[];
  readonly results: readonly Result[];
  /** Remarks about interfaces that were not called, and about limits. */
  readonly notes: readonly string[];
}

/** Returns whether a result is a failure, expected or not. */
export function isFailure({ state }: Pick<Result, "state">): boolean {
  return state === "fail" || state === "error";
}

/** Runs a check, and adds its duration to its result. */
export async function measure(
  facts: Omit<Result, "state" | "reason" | "replies" | "durationMs">,
  check: () => Promise<
    Pick<Result, "state" | "reason" | "replies"> & { readonly step?: string | undefined }
  >,
): Promise<Result> {
  const started = performance.now();
  const outcome = await check();
  return { ...facts, ...outcome, durationMs: Math.round(performance.now() - started) };
}
