import { tryPair } from "./matrix.js";
import {
  connectOurOld,
  connectOurs,
  connectOursForOld,
  startOurOld,
  startOurs,
  startOursForBoth,
} from "./ours.js";

// Without the SDK: the scenarios say what is right.
tryPair({ name: "our client of 1.0 and our server", connect: connectOurs, start: startOurs });
tryPair({ name: "our client of 0.3 and our server", connect: connectOurOld, start: startOurOld });
tryPair({
  name: "our client of 1.0 and our server of both",
  connect: connectOurs,
  start: startOursForBoth,
});
tryPair({
  name: "our client of 0.3 and our server of both",
  connect: connectOurOld,
  start: startOursForBoth,
});
tryPair({
  name: "our client of 1.0 that speaks 0.3, and our server",
  connect: connectOursForOld,
  start: startOurOld,
});
tryPair({
  name: "our client of 1.0 that speaks 0.3, and our server of both",
  connect: connectOursForOld,
  start: startOursForBoth,
});
