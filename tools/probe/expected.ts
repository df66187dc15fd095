import { InputError } from "../../support/diagnostics.js";
import { isFailure, type Result } from "./result.js";

/** An entry of a list of expected failures. */
export interface Expectation {
  readonly id: string;
  /** Binding or interface that the entry applies to; empty for all interfaces. */
  readonly lane: string;
  readonly reason: string;
  /** Whether the check may also pass, be skipped, or not run. */
  readonly isOptional: boolean;
  /** List that contains the entry, as the user has named it. */
  readonly file: string;
  readonly line: number;
}

/**
 * Reads a list of expected failures. A line is `ID: REASON`, or `ID BINDING, …: REASON` for some
 * bindings such as `HTTP+JSON`. A line that starts with `?` is a failure that does not always
 * occur. Lines that start with `#` are comments.
 *
 * @throws {InputError} if a line has any other form
 */
export function readExpectations(text: string, file: string): Expectation[] {
  return text.split(/\r?\n/).flatMap((content, at) => {
    if (/^\s*(?:#|$)/.test(content)) return [];
    const line = at + 1;
    // One expression for the whole line would take a time that is not linear.
    const colon = content.indexOf(":");
    const reason = content.slice(colon + 1).trim();
    const entry = colon < 0 ? "" : content.slice(0, colon).trim();
    const [, mark, id, names] = /^(\?)?\s*([\w-]+)(?:\s(.+))?$/.exec(entry) ?? [];
    const lanes = names?.split(",").map((lane) => lane.trim());
    // An empty name would stand for all interfaces.
    if (id !== undefined && reason !== "" && lanes?.includes("") !== true) {
      const isOptional = mark !== undefined;
      return (lanes ?? [""]).map((lane) => ({ id, lane, reason, isOptional, file, line }));
    }
    throw new InputError({
      location: { file, line },
      message: "the line is not an expected failure",
      hint: "Write ID: REASON, or ID BINDING: REASON",
    });
  });
}

/** An entry whose check did not fail. */
export interface UnmetExpectation extends Omit<Expectation, "isOptional"> {
  /** State of the check, such as `was skipped`. */
  readonly actual: string;
}

/** Returns the text of an entry whose check did not fail. */
export function unmetText({ id, lane, file, line, actual }: UnmetExpectation): string {
  const name = [id, lane].filter(Boolean).join(" ");
  return `The expected failure ${name} (${file}, line ${line}) ${actual}`;
}

/** Results after a comparison with the expected failures. */
export interface Compared {
  readonly results: readonly Result[];
  /** Entries whose check did not fail, although it must. Each of them is a failure of the run. */
  readonly unmet: readonly UnmetExpectation[];
}

/** Marks expected failures, and finds entries whose check passed, was skipped or does not exist. */
export function compareWith(
  expectations: readonly Expectation[],
  found: readonly Result[],
): Compared {
  const covers = ({ id, lane }: Expectation, result: Result): boolean =>
    id === result.id && (lane === "" || result.lane === lane || result.lane.startsWith(`${lane} `));
  const results = found.map((result) => {
    const entry = isFailure(result)
      ? expectations.find((expectation) => covers(expectation, result))
      : undefined;
    return entry === undefined ? result : { ...result, expected: entry.reason };
  });
  const unmet = expectations.flatMap((entry) => {
    if (entry.isOptional) return [];
    const covered = found.filter((result) => covers(entry, result));
    const passed = covered.filter(({ state }) => state === "pass").map(({ lane }) => lane);
    if (passed.length > 0) return [{ ...entry, actual: `passes on ${passed.join(", ")}` }];
    if (covered.some(isFailure)) return [];
    const actual = covered.length === 0 ? "is unknown, or did not run" : "was skipped";
    return [{ ...entry, actual }];
  });
  return { results, unmet };
}
