import { tryPair } from "../matrix.js";
import {
  connectOurOld,
  connectOurs,
  connectOursForOld,
  startOurOld,
  startOurs,
  startOursForBoth,
} from "../ours.js";
import { departures } from "./departures.js";
import { habits } from "./habits.js";
import { clientOf, serverOf, type Sdk } from "./sides.js";

/** The SDKs that `npm run interop` has installed. */
const sdks = JSON.parse(process.env["INTEROP_SDKS"] ?? "[]") as readonly Sdk[];

/** Plays an SDK in both roles, with a client and a server of ours. */
function tryBoth(sdk: Sdk, connect: typeof connectOurs, start: typeof startOurs, suffix = "") {
  const known = {
    departures,
    habits: suffix === "" ? habits : habits.filter(({ isOld }) => isOld !== true),
  };
  const [client, server] = [`client of ${sdk.name}`, `server of ${sdk.name}`] as const;
  tryPair({ name: client + suffix, party: client, ...known, connect: clientOf(sdk), start });
  tryPair({ name: server + suffix, party: server, ...known, connect, start: serverOf(sdk) });
}

for (const sdk of sdks) {
  if (sdk.version === "1.0") tryBoth(sdk, connectOurs, startOurs);
  else {
    tryBoth(sdk, connectOurOld, startOurOld);
    // The same by an agent and a client of 1.0 that speak 0.3 as well.
    const form = sdk.isStrict === true ? "selected" : "merged";
    tryBoth(sdk, connectOursForOld, () => startOursForBoth({ form }), ", through a 1.0 adapter");
  }
}
