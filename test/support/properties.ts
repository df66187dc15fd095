import fc from "fast-check";
import { Random } from "./random/random.js";
import { seed } from "./seed.js";

fc.configureGlobal({ seed });

/** Properties, which take their random values from the seed of the run. */
export default fc;

/** Lets properties try what a function makes of random numbers. */
export function arbitrary<T>(make: (random: Random) => T): fc.Arbitrary<T> {
  return fc.integer().map((of) => make(new Random(of)));
}
