import type { Level } from "../rule.js";

/** A document of test suites in the ACTS format. */
export interface ActsDocument {
  /** Path of the file. */
  readonly file: string;
  readonly actsVersion: string;
  /** Version of A2A that the tests check, such as `1.0`. */
  readonly specVersion: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly suites: readonly Suite[];
}

/** A group of tests. */
export interface Suite {
  readonly id: string;
  readonly name: string;
  readonly tags?: readonly string[];
  readonly tests: readonly Test[];
}

/** Conditions for a test. */
export interface Preconditions {
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly skills?: readonly { readonly id: string }[];
  readonly transport?: readonly string[];
  readonly extensions?: readonly string[];
}

/** A scenario of one or more steps. */
export interface Test {
  readonly id: string;
  readonly name: string;
  readonly level: Level;
  readonly spec_ref?: string;
  readonly tags?: readonly string[];
  readonly transport?: readonly string[];
  readonly preconditions?: Preconditions;
  readonly steps: readonly Step[];
  readonly assertions?: readonly NamedAssertion[];
}

/** A map of assertions, a value, or an operator. */
export type Assertion = unknown;

/** An assertion about the elements of a list. */
export interface ElementAssertion {
  readonly path: string;
  readonly match: Assertion;
}

/** An assertion about the result of an earlier step. */
export interface NamedAssertion {
  readonly source: string;
  readonly path?: string;
  readonly match?: Assertion;
  readonly any?: ElementAssertion;
  readonly all?: ElementAssertion;
  readonly none?: ElementAssertion;
}

/** An HTTP request in its exact form. */
export interface RawStep {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly body_raw?: string;
}

/** Expected events of a stream. */
export interface ExpectStream {
  readonly min_count?: number;
  readonly max_count?: number;
  readonly timeout_ms?: number;
  readonly ordering?: string;
  readonly events?: readonly Readonly<Record<string, unknown>>[];
  readonly final_event?: Assertion;
  readonly each_event?: Assertion;
}

/** Repetition of a step until a condition is true. */
export interface Repeat {
  readonly until: string;
  readonly max_attempts?: number;
  readonly delay_ms?: number;
  readonly backoff?: string;
}

/** One action of a test, with its expectations. */
export interface Step {
  readonly id: string;
  readonly operation?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly raw?: RawStep;
  readonly client_response?: { readonly operation: string; readonly wire_payload: unknown };
  readonly expect_parsed?: Assertion;
  readonly assertion?: NamedAssertion;
  readonly assertions?: readonly NamedAssertion[];
  readonly expect?: Readonly<Record<string, unknown>>;
  readonly expect_error?: Readonly<Record<string, unknown>>;
  readonly expect_stream?: ExpectStream;
  readonly capture?: Readonly<Record<string, string>>;
  readonly repeat?: Repeat;
  readonly delay_ms?: number;
}
