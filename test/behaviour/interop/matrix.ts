import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { departures, type Departure, type Party } from "./departures.js";
import { plain } from "./json.js";
import { bindings, type Binding, type Caller, type Connect, type Host, type StartHost } from "./peers.js";
import type { Scenario } from "./scenario.js";
import { scenarios } from "./scenarios.js";

/** A client and a server that are tried with one another. */
export interface Pair {
  readonly name: string;
  /** The side that is not ours; none where both are, which shows that the scenarios say what is right. */
  readonly party?: Party;
  readonly connect: Connect;
  readonly start: StartHost;
}

/** Plays all scenarios between a client and a server, over every transport. */
export function tryPair(pair: Pair): void {
  describe(pair.name, () => {
    for (const binding of bindings) describe(binding, () => tryBinding(pair, binding));
  });
}

function tryBinding({ party, connect, start }: Pair, binding: Binding): void {
  let host: Host;
  let caller: Caller;
  const known = departures.filter(
    ({ by, over }) => party !== undefined && by.includes(party) && over.includes(binding),
  );
  const met = new Set<string>();
  beforeAll(async () => {
    // The SDK reports on the console what goes wrong, and most of that is on purpose here.
    for (const level of ["error", "warn", "info"] as const) vi.spyOn(console, level).mockReturnValue(undefined);
    host = await start();
    caller = await connect(host.url, binding);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    caller.close();
    await host.close();
  });
  it.each(scenarios)("$name", async (scenario) => {
    const play = { caller, host, binding };
    if (scenario.where?.(play) === false) return;
    await scenario.play({ ...play, see: (what, got, expected) => compare(what, got, expected, scenario, known, met) });
  });
  it("departs in every way that is pinned, and in no other", () => {
    const pinned = known.flatMap(({ in: names, at }) => names.flatMap((name) => at.map((what) => `${name}: ${what}`)));
    expect([...met].sort()).toEqual([...new Set(pinned)].sort());
  });
}

/** Compares what one side has got with what it should be, or with what it is where the SDK is known to depart. */
function compare(
  what: string,
  got: unknown,
  expected: unknown,
  { name }: Scenario,
  known: readonly Departure[],
  met: Set<string>,
): void {
  const departure = known.find(({ in: names, at }) => names.includes(name) && at.includes(what));
  if (departure === undefined) {
    expect.soft(plain(got), what).toEqual(plain(expected));
    return;
  }
  met.add(`${name}: ${what}`);
  const pin = `${what}, which is pinned: ${departure.does} Remove the pin if the SDK has been mended.`;
  expect.soft(plain(got), pin).not.toEqual(plain(expected));
  expect.soft(plain(got), pin).toEqual(departure.instead(plain(expected)));
}
