import { tryPair } from "../matrix.js";
import { connectOurOld, connectOurs, startOurOld, startOurs } from "../ours.js";
import { departures, habits } from "./departures.js";
import { clientOf, serverOf, type Sdk } from "./sides.js";

/** The SDKs that `npm run interop` has installed. */
const sdks = JSON.parse(process.env["INTEROP_SDKS"] ?? "[]") as readonly Sdk[];

const known = { departures, habits };

for (const sdk of sdks) {
  const [connect, start] = sdk.version === "1.0" ? [connectOurs, startOurs] : [connectOurOld, startOurOld];
  tryPair({ name: `client of ${sdk.name}`, party: `client of ${sdk.name}`, ...known, connect: clientOf(sdk), start });
  tryPair({ name: `server of ${sdk.name}`, party: `server of ${sdk.name}`, ...known, connect, start: serverOf(sdk) });
}
