import type { Effort } from "../clock.js";
import type { Result } from "../result.js";
import { compareAll } from "../servers/compare.js";
import { comparisons } from "../servers/comparisons.js";

/**
 * Measures servers on Node: responses per second of CPU time that the server uses, which is the
 * throughput of one core. Wall-clock time would include the client and other load on the machine,
 * with a larger share for the faster server. Each server is a separate process, which is idle
 * during the turns of other servers.
 */
export function measure(effort: Effort): AsyncGenerator<Result> {
  return compareAll(comparisons, effort);
}
