import { it } from "vitest";
import { numberOf, seed } from "../support/seed.js";
import { sized } from "../support/size.js";
import { run, type Attack } from "../support/campaign.js";

/**
 * Returns how many cases an oracle tries for each type: an eighth of `full` in a run that leaves
 * nothing out, and otherwise a 25th. `ORACLE_CASES` sets another number for all oracles.
 */
export function casesOf(full: number): number {
  return numberOf("ORACLE_CASES") ?? sized(Math.ceil(full / 25), Math.ceil(full / 8));
}

/**
 * Declares a test for each type, or only for the type in `ORACLE_TYPE`. `title` contains `%s` in
 * place of the name.
 */
export function eachType(
  names: readonly string[],
  title: string,
  body: (name: string) => void | Promise<void>,
): void {
  const only = process.env["ORACLE_TYPE"];
  const chosen = only === undefined ? names : names.filter((name) => name === only);
  // The type that is asked for belongs to another subject.
  if (chosen.length === 0) it.skip(title.replace("%s", only ?? "nothing"));
  else it.each(chosen)(title, { timeout: 120_000 + casesOf(1_000) * 30 }, body);
}

/** A property that is tested with many values. */
export interface Trial<T> extends Pick<Attack<T>, "generate" | "smaller" | "print"> {
  /** Subject of the test, for seeds and messages. */
  readonly name: string;
  readonly cases: number;
  /** Returns the issue of a case, or `undefined` if it passes. An exception is a failure. */
  readonly complaint: (value: T) => string | undefined;
}

/**
 * Tests many cases. Throws at the first failure, reduced to a minimum, with the seed to repeat it.
 */
export async function tryAll<T>({ name, cases, complaint, ...trial }: Trial<T>): Promise<void> {
  const attempt = (value: T) => {
    const problem = complaint(value);
    if (problem !== undefined) throw new Error(problem);
    return "right";
  };
  await run({ name, open: () => ({ ...trial, attempt, limitMs: Infinity }) }, { seed, cases });
}
