import type { Scenario } from "./scenario.js";
import { messageScenarios } from "./scenarios-messages.js";
import { otherScenarios } from "./scenarios-others.js";
import { taskScenarios } from "./scenarios-tasks.js";

/** All that is tried between a client and a server, in this order. */
export const scenarios: readonly Scenario[] = [
  ...messageScenarios,
  ...taskScenarios,
  ...otherScenarios,
];
