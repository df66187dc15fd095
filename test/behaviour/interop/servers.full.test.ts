import { tryPair } from "./matrix.js";
import { connectOurOld, connectOurs } from "./ours.js";
import { startOldSdk } from "./sdk-0.3.js";
import { startSdk, startSdkForBoth } from "./sdk-1.0.js";

tryPair({ name: "the SDK's server of 1.0", party: "server of 1.0", connect: connectOurs, start: startSdk });
tryPair({ name: "the SDK's server of 0.3", party: "server of 0.3", connect: connectOurOld, start: startOldSdk });
tryPair({
  name: "the SDK's server of 1.0 that speaks 0.3",
  party: "server of 1.0 that speaks 0.3",
  connect: connectOurOld,
  start: startSdkForBoth,
});
