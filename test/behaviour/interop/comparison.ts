import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import {
  departures as ofTheSdk,
  type Departure,
  type Habit,
  type Instead,
  type Reason,
} from "./departures.js";
import { plain } from "./json.js";
import type { Pair } from "./matrix.js";
import type { Binding, Host } from "./peers.js";
import { withoutStatusMessages } from "./scenes.js";

/** A reason, and whether the rest of the scenario continues. */
export type Said = Pick<Reason, "does" | "says"> & { readonly isHabit: boolean };

/** A deviation and the scenario that shows it. */
type Pin = Omit<Departure, "at"> & { readonly instead?: Instead | undefined };

/**
 * Compares what the sides of a pair get over a transport with what they should, and with how one is
 * known to depart.
 */
export class Comparison {
  readonly #pins: ReadonlyMap<string, Pin>;
  readonly #habits: readonly Habit[];
  readonly #met = new Set<string>();
  readonly #left = new Set<string>();

  constructor({ party, departures = ofTheSdk, habits = [] }: Pair, binding: Binding) {
    const isMeant = ({ by, over }: Reason) =>
      party !== undefined && by.includes(party) && over.includes(binding);
    this.#pins = new Map(departures.filter(isMeant).flatMap(pinsOf));
    this.#habits = habits.filter(isMeant);
  }

  /** Compares one thing that is seen in a scenario, and returns how it departs. */
  see(
    scenario: string,
    host: Host,
    what: string,
    got: unknown,
    expected: unknown,
  ): readonly Said[] {
    const form = (value: unknown) =>
      plain(host.lateHistory === true ? withoutStatusMessages(value) : value);
    const known = this.#pins.get(nameOf(scenario, what));
    if (known === undefined) {
      const habits = compareUsual(what, form(got), form(expected), this.#habits);
      for (const { does } of habits) this.#met.add(does);
      return habits.map(({ does, says }) => ({ does, says, isHabit: true }));
    }
    // The outcome of a race is accepted for either winner.
    if (!compare(what, form(got), form(expected), known) && known.isRace !== true) return [];
    this.#met.add(nameOf(scenario, what));
    return [{ does: known.does, says: known.says, isHabit: false }];
  }

  /** Removes an expectation from a scenario. */
  leave(scenario: string, what: string): void {
    this.#left.add(nameOf(scenario, what));
  }

  /**
   * Expects that all recorded deviations were seen, except for deviations that depend on timing.
   */
  end(): void {
    const shown = [...this.#pins].filter(
      ([name, { isRace }]) => isRace !== true && !this.#left.has(name),
    );
    const known = shown.map(([name]) => name);
    const met = [...this.#met].filter((name) => this.#pins.get(name)?.isRace !== true);
    expect(met.sort()).toEqual([...known, ...this.#habits.map(({ does }) => does)].sort());
  }
}

function nameOf(scenario: string, what: string) {
  return `${scenario}: ${what}`;
}

function pinsOf({ at, ...departure }: Departure): [string, Pin][] {
  return Object.entries(at).flatMap(([scenario, shown]): [string, Pin][] => {
    const isList = (names: typeof shown): names is readonly string[] => Array.isArray(names);
    const pins = isList(shown)
      ? shown.map((what) => [what, undefined] as const)
      : Object.entries(shown);
    return pins.map(([what, instead]) => [nameOf(scenario, what), { ...departure, instead }]);
  });
}

/**
 * Compares the result of one side with the expected result, ignoring known habits, and returns the
 * deviations that matter.
 */
function compareUsual(
  what: string,
  got: unknown,
  expected: unknown,
  habits: readonly Habit[],
): readonly Habit[] {
  if (isDeepStrictEqual(got, expected)) return [];
  const form = (value: unknown, some: readonly Habit[]) =>
    some.reduce((rest, { without }) => plain(without(rest)), value);
  expect.soft(form(got, habits), what).toEqual(form(expected, habits));
  return habits.filter((habit) => {
    const others = habits.filter((one) => one !== habit);
    return !isDeepStrictEqual(form(got, others), form(expected, others));
  });
}

/**
 * Compares what one side has got with what it is known to get, and returns whether that is not what
 * it should be.
 */
function compare(what: string, got: unknown, expected: unknown, { does, instead }: Pin) {
  if (instead === undefined) return !isDeepStrictEqual(got, expected);
  const pin = `${what}, which is pinned: ${does} Remove the pin if the SDK has been mended.`;
  expect.soft(got, pin).not.toEqual(expected);
  expect.soft(got, pin).toEqual(instead(expected));
  return true;
}
