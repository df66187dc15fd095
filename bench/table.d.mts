import type { Omission, Result } from "./result.js";

/** The measurements against the official SDK that the README shows, by name, and how the README describes them. */
export const comparison: ReadonlyMap<string, string>;

/** Formats results, and omissions of results. */
export const tableOf: {
  readonly line: (result: Result | Omission) => string;
};
