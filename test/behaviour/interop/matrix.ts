import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { departures as ofTheSdk, type Departure, type Party } from "./departures.js";
import { plain } from "./json.js";
import { bindings, type Binding, type Caller, type Connect, type Host, type StartHost } from "./peers.js";
import type { Play } from "./scenario.js";
import { scenarios } from "./scenarios.js";
import { withoutStatusMessages } from "./scenes.js";

type Reason = Pick<Departure, "does" | "says">;

declare module "vitest" {
  interface TaskMeta {
    /** A scenario that makes sense, and how a side has departed in it. */
    played?: { readonly scenario: string; readonly departures: readonly Reason[] };
  }
}

/** A client and a server that are tried with one another. */
export interface Pair {
  readonly name: string;
  /** The side that is not ours; none where both are, which shows that the scenarios say what is right. */
  readonly party?: Party;
  /** How that side is known to depart; as the SDK for JavaScript does by default. */
  readonly departures?: readonly Departure[];
  readonly connect: Connect;
  readonly start: StartHost;
}

/** Plays all scenarios between a client and a server, over every transport. */
export function tryPair(pair: Pair): void {
  describe(pair.name, () => {
    for (const binding of bindings) describe(binding, () => tryBinding(pair, binding));
  });
}

function tryBinding({ party, departures = ofTheSdk, connect, start }: Pair, binding: Binding): void {
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
  it.for(scenarios)("$name", async (scenario, { task }) => {
    const play = { caller, host, binding };
    if (scenario.where?.(play) === false) return;
    const seen: Reason[] = [];
    task.meta.played = { scenario: scenario.name, departures: seen };
    const form = (value: unknown): unknown => plain(host.lateHistory === true ? withoutStatusMessages(value) : value);
    const see: Play["see"] = (what, got, expected) => {
      const departure = known.find(({ in: names, at }) => names.includes(scenario.name) && at.includes(what));
      if (!compare(what, form(got), form(expected), departure) || departure === undefined) return;
      met.add(`${scenario.name}: ${what}`);
      seen.push({ does: departure.does, says: departure.says });
    };
    await scenario.play({ ...play, see });
  });
  it("departs in every way that is pinned, and in no other", () => {
    const pinned = known.flatMap(({ in: names, at }) => names.flatMap((name) => at.map((what) => `${name}: ${what}`)));
    expect([...met].sort()).toEqual([...new Set(pinned)].sort());
  });
}

/**
 * Compares what one side has got with what it should be, or with what it is where the SDK is known to depart. Returns
 * whether it has departed as it is known to.
 */
function compare(what: string, got: unknown, expected: unknown, departure: Departure | undefined): boolean {
  if (departure === undefined) {
    expect.soft(got, what).toEqual(expected);
    return false;
  }
  const { does, instead } = departure;
  if (instead === undefined) return !isDeepStrictEqual(got, expected);
  const pin = `${what}, which is pinned: ${does} Remove the pin if the SDK has been mended.`;
  expect.soft(got, pin).not.toEqual(expected);
  expect.soft(got, pin).toEqual(instead(expected));
  return true;
}
