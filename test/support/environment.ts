import { realEnvironment, type Environment } from "../../examples/shared/environment.js";

/**
 * A clock that moves one second at every look, ids that count, and pauses that are real unless they
 * are replaced.
 */
export function fixedEnvironment(pause: Environment["pause"] = realEnvironment.pause): Environment {
  let [seconds, ids] = [0, 0];
  return {
    now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, (seconds += 1), 250)),
    newId: () => `id-${(ids += 1)}`,
    pause,
  };
}
