import { tryPair } from "./matrix.js";
import { connectOurOld, connectOurs, startOurOld, startOurs } from "./ours.js";

// Without the SDK: the scenarios say what is right.
tryPair({ name: "our client of 1.0 and our server", connect: connectOurs, start: startOurs });
tryPair({ name: "our client of 0.3 and our server", connect: connectOurOld, start: startOurOld });
