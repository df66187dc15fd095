import type { Omission, Result } from "./result.js";

/** The measurements of SDKs that the README shows, with the titles of their columns. */
export const columns: ReadonlyMap<string, string>;

/** Returns the table of all measurements of SDKs, and a list of what was not measured. */
export function sdkTableOf(results: readonly (Result | Omission)[]): string;

/** Returns the table of the README: a row for each SDK, with our fastest runtime. */
export function sdkSummaryOf(results: readonly (Result | Omission)[]): string;
