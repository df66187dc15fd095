import { tryPair } from "./matrix.js";
import { startOurOld, startOurs, startOursForBoth } from "./ours.js";
import { connectOldSdk } from "./sdk-0.3-client.js";
import { connectSdk, connectSdkForBoth } from "./sdk-1.0-client.js";

tryPair({
  name: "the SDK's client of 1.0",
  party: "client of 1.0",
  connect: connectSdk,
  start: startOurs,
});
tryPair({
  name: "the SDK's client of 0.3",
  party: "client of 0.3",
  connect: connectOldSdk,
  start: startOurOld,
});
tryPair({
  name: "the SDK's client of 1.0 that speaks 0.3",
  party: "client of 1.0 that speaks 0.3",
  connect: connectSdkForBoth,
  start: startOurOld,
});
tryPair({
  name: "the SDK's client of 1.0, of an agent of both",
  party: "client of 1.0",
  connect: connectSdk,
  start: startOursForBoth,
});
tryPair({
  name: "the SDK's client of 0.3, of an agent of both",
  party: "client of 0.3",
  connect: connectOldSdk,
  start: startOursForBoth,
});
tryPair({
  name: "the SDK's client of both, of an agent of both",
  party: "client of 1.0",
  connect: connectSdkForBoth,
  start: startOursForBoth,
});
