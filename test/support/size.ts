import { numberOf } from "./seed.js";

/** Whether this is the run that leaves nothing out: `npm run test:all`. */
export const isFull: boolean = process.env["TEST_SIZE"] === "full";

/** Factor for the numbers of all cases, so that longer runs can try more cases than CI does. */
const factor = numberOf("TEST_TIMES") ?? 1;

/**
 * Returns how often a test tries something: `full` times in a run that leaves nothing out, and
 * otherwise `quick` times. `TEST_TIMES` multiplies both.
 */
export function sized(quick: number, full: number): number {
  return factor * (isFull ? full : quick);
}

/** The versions that people use now. */
const used: readonly string[] = ["0.3.0", "1.0"];

/**
 * Returns whether a test tries a version: any of them in a run that leaves nothing out, and
 * otherwise one in use.
 */
export function isTried(version: string): boolean {
  return isFull || used.includes(version);
}
