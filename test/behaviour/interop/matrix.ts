import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { departures as ofTheSdk, type Departure, type Habit, type Party, type Reason } from "./departures.js";
import { plain } from "./json.js";
import { bindings, type Binding, type Caller, type Connect, type Host, type StartHost } from "./peers.js";
import type { Play } from "./scenario.js";
import { scenarios } from "./scenarios.js";
import { withoutStatusMessages } from "./scenes.js";

/** A reason, and whether all else goes on in spite of it. */
type Said = Pick<Reason, "does" | "says"> & { readonly isHabit: boolean };

declare module "vitest" {
  interface TaskMeta {
    /** A scenario that makes sense, and how a side has departed in it. */
    played?: { readonly scenario: string; readonly departures: readonly Said[] };
  }
}

/** A client and a server that are tried with one another. */
export interface Pair {
  readonly name: string;
  /** The side that is not ours; none where both are, which shows that the scenarios say what is right. */
  readonly party?: Party;
  /** How that side is known to depart; as the SDK for JavaScript does by default. */
  readonly departures?: readonly Departure[];
  readonly habits?: readonly Habit[];
  readonly connect: Connect;
  readonly start: StartHost;
}

/** Plays all scenarios between a client and a server, over every transport. */
export function tryPair(pair: Pair): void {
  describe(pair.name, () => {
    for (const binding of bindings) describe(binding, () => tryBinding(pair, binding));
  });
}

function tryBinding(pair: Pair, binding: Binding): void {
  let host: Host;
  let caller: Caller;
  const isMeant = ({ by, over }: Reason): boolean =>
    pair.party !== undefined && by.includes(pair.party) && over.includes(binding);
  const known = (pair.departures ?? ofTheSdk).filter(isMeant);
  const habits = (pair.habits ?? []).filter(isMeant);
  const met = new Set<string>();
  beforeAll(async () => {
    // The SDK reports on the console what goes wrong, and most of that is on purpose here.
    for (const level of ["error", "warn", "info"] as const) vi.spyOn(console, level).mockReturnValue(undefined);
    host = await pair.start();
    caller = await pair.connect(host.url, binding);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    caller.close();
    await host.close();
  });
  it.for(scenarios)("$name", async (scenario, { task }) => {
    const play = { caller, host, binding };
    if (scenario.where?.(play) === false) return;
    const seen: Said[] = [];
    task.meta.played = { scenario: scenario.name, departures: seen };
    const note = (name: string, { does, says }: Reason, isHabit: boolean): void => {
      met.add(name);
      seen.push({ does, says, isHabit });
    };
    const form = (value: unknown): unknown => plain(host.lateHistory === true ? withoutStatusMessages(value) : value);
    const see: Play["see"] = (what, got, expected) => {
      const departure = known.find(({ in: names, at }) => names.includes(scenario.name) && at.includes(what));
      if (departure === undefined) {
        for (const habit of compareUsual(what, form(got), form(expected), habits)) note(habit.does, habit, true);
      } else if (compare(what, form(got), form(expected), departure))
        note(`${scenario.name}: ${what}`, departure, false);
    };
    const trouble = await scenario.play({ ...play, see }).then(() => undefined, String);
    see("what goes wrong", trouble, undefined);
  });
  it("departs in every way that is pinned, and in no other", () => {
    const namesOf = ({ in: names, at }: Departure): string[] =>
      names.flatMap((name) => at.map((what) => `${name}: ${what}`));
    const pinned = known.filter(({ isRace }) => isRace !== true).flatMap(namesOf);
    for (const name of known.filter(({ isRace }) => isRace === true).flatMap(namesOf)) met.delete(name);
    expect([...met].sort()).toEqual([...new Set([...pinned, ...habits.map(({ does }) => does)])].sort());
  });
}

/** Compares what one side has got with what it should be but for habits, and returns those that make a difference. */
function compareUsual(what: string, got: unknown, expected: unknown, habits: readonly Habit[]): readonly Habit[] {
  if (isDeepStrictEqual(got, expected)) return [];
  const form = (value: unknown, some: readonly Habit[]): unknown =>
    some.reduce((rest, { without }) => plain(without(rest)), value);
  expect.soft(form(got, habits), what).toEqual(form(expected, habits));
  return habits.filter((habit) => {
    const others = habits.filter((one) => one !== habit);
    return !isDeepStrictEqual(form(got, others), form(expected, others));
  });
}

/** Compares what one side has got with what it is known to get, and returns whether that is not what it should be. */
function compare(what: string, got: unknown, expected: unknown, { does, instead }: Departure): boolean {
  if (instead === undefined) return !isDeepStrictEqual(got, expected);
  const pin = `${what}, which is pinned: ${does} Remove the pin if the SDK has been mended.`;
  expect.soft(got, pin).not.toEqual(expected);
  expect.soft(got, pin).toEqual(instead(expected));
  return true;
}
