import { departures } from "./departures.js";
import { tryPair } from "./matrix.js";
import { connectOurOld, connectOurs, connectOursForOld } from "./ours.js";
import { startOldSdk } from "./sdk-0.3.js";
import { startSdk, startSdkForBoth } from "./sdk-1.0.js";

tryPair({
  name: "the SDK's server of 1.0",
  party: "server of 1.0",
  connect: connectOurs,
  start: startSdk,
});
tryPair({
  name: "the SDK's server of 0.3",
  party: "server of 0.3",
  connect: connectOurOld,
  start: startOldSdk,
});
tryPair({
  name: "the SDK's server of 1.0 that speaks 0.3",
  party: "server of 1.0 that speaks 0.3",
  connect: connectOurOld,
  start: startSdkForBoth,
});
tryPair({
  name: "the SDK's server of 0.3, from 1.0",
  party: "server of 0.3",
  connect: connectOursForOld,
  start: startOldSdk,
});
tryPair({
  name: "the SDK's server of 1.0 that speaks 0.3, from 1.0",
  party: "server of 1.0 that speaks 0.3",
  connect: connectOursForOld,
  start: startSdkForBoth,
  // Users of 1.0 do not see which event is final.
  departures: departures.filter(({ at }) => !("a stream starts a task that asks for input" in at)),
});
