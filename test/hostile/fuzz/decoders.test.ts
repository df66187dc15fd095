import { decoders } from "./decoders.js";
import { fuzz } from "./fuzz.js";

fuzz(decoders, { cases: 8_000 });
