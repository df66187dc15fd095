import fc from "fast-check";
import { seed } from "./seed.js";

fc.configureGlobal({ seed });

/** Properties, which take their random values from the seed of the run. */
export default fc;
