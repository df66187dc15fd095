import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { Comparison, type Said } from "./comparison.js";
import type { Departure, Habit, Party } from "./departures.js";
import {
  bindings,
  type Binding,
  type Caller,
  type Connect,
  type Host,
  type StartHost,
} from "./peers.js";
import type { Play } from "./scenario.js";
import { scenarios } from "./scenarios.js";

declare module "vitest" {
  interface TaskMeta {
    /** A scenario that makes sense, and how a side has departed in it. */
    played?: { readonly scenario: string; readonly departures: readonly Said[] };
  }
}

/** A client and a server that are tried with one another. */
export interface Pair {
  readonly name: string;
  /** The foreign side. Absent if both sides are ours, which verifies the scenarios. */
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

function tryBinding(pair: Pair, binding: Binding) {
  let host: Host;
  let caller: Caller;
  const comparison = new Comparison(pair, binding);
  beforeAll(async () => {
    // The SDK reports errors on the console, and most errors are intentional here.
    for (const level of ["error", "warn", "info"] as const)
      vi.spyOn(console, level).mockReturnValue(undefined);
    host = await pair.start();
    caller = await pair.connect(host.url, binding);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    caller.close();
    await host.close();
  });
  it.for(scenarios)("$name", async (scenario, { task }) => {
    const sides = { caller, host, binding };
    if (scenario.where?.(sides) === false) return;
    const departures: Said[] = [];
    task.meta.played = { scenario: scenario.name, departures };
    const see: Play["see"] = (...seen) =>
      departures.push(...comparison.see(scenario.name, host, ...seen));
    const leave: Play["leave"] = (what) => comparison.leave(scenario.name, what);
    const trouble = await scenario.play({ ...sides, see, leave }).then(() => undefined, String);
    see("what goes wrong", trouble, undefined);
  });
  it("the SDK has exactly the recorded deviations", () => comparison.end());
}
