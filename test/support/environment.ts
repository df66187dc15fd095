import type { Environment } from "../../examples/shared/environment.js";

/** A clock that moves one second at every look, and ids that count. */
export function fixedEnvironment(): Environment {
  let [seconds, ids] = [0, 0];
  return {
    now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, (seconds += 1), 250)),
    newId: () => `id-${(ids += 1)}`,
  };
}
