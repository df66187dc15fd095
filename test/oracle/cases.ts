import { it } from "vitest";
import { numberOf, seed } from "../support/seed.js";
import { sized } from "../support/size.js";
import { Random, seedOf } from "../support/random/random.js";
import { shrink } from "../support/random/shrink.js";

/**
 * Returns how many cases an oracle tries for each type: `full` ones in a run that leaves nothing out, and otherwise a
 * twentieth of them. `ORACLE_CASES` sets another number for all oracles.
 */
export function casesOf(full: number): number {
  return numberOf("ORACLE_CASES") ?? sized(Math.ceil(full / 20), full);
}

/**
 * Declares a test for each of some types, or for that which `ORACLE_TYPE` names. `title` has `%s` where the name goes.
 */
export function eachType(names: readonly string[], title: string, body: (name: string) => void): void {
  const only = process.env["ORACLE_TYPE"];
  const chosen = only === undefined ? names : names.filter((name) => name === only);
  // The type that is asked for belongs to another subject.
  if (chosen.length === 0) it.skip(title.replace("%s", only ?? "nothing"));
  else it.each(chosen)(title, { timeout: 120_000 + casesOf(2_000) * 30 }, body);
}

/** What is tried many times. */
export interface Trial<T> {
  /** What is tested, for seeds and messages. */
  readonly name: string;
  readonly cases: number;
  readonly generate: (random: Random, index: number) => T;
  /** Says what is wrong with a case; nothing where all is well. What it throws is wrong, too. */
  readonly complaint: (value: T) => string | undefined;
  /** Smaller values that might show the same; by default as for JSON. */
  readonly smaller?: (value: T) => Iterable<T>;
  readonly print?: (value: T) => string;
}

/** Tries many cases. Throws at the first one that is wrong, made as small as it gets, with the seed to repeat it. */
export function tryAll<T>(trial: Trial<T>): void {
  for (let index = 0; index < trial.cases; index += 1) {
    const value = trial.generate(new Random(seedOf(seed, trial.name, index)), index);
    if (complaintOf(trial, value) !== undefined) throw failureOf(trial, value, index);
  }
}

function failureOf<T>(trial: Trial<T>, value: T, index: number): Error {
  const kind = kindOf(complaintOf(trial, value));
  const smaller = trial.smaller ?? (shrink as (value: T) => Iterable<T>);
  let smallest = value;
  let left = 5_000;
  for (let found = true; found;) {
    found = false;
    for (const candidate of smaller(smallest)) {
      left -= 1;
      if (left < 0) break;
      if (kindOf(complaintOf(trial, candidate)) !== kind) continue;
      smallest = candidate;
      found = true;
      break;
    }
  }
  const print = trial.print ?? ((shown: T): string => JSON.stringify(shown));
  const complaint = complaintOf(trial, smallest) ?? "it failed once only";
  return new Error(
    `${trial.name}: ${complaint}\nfor ${print(smallest)}\nin case ${index} of seed ${seed}; repeat it with TEST_SEED=${seed}`,
  );
}

/** What tells one complaint from another: how it starts. */
function kindOf(complaint: string | undefined): string | undefined {
  return complaint?.slice(0, 16);
}

function complaintOf<T>({ complaint }: Trial<T>, value: T): string | undefined {
  try {
    return complaint(value);
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
