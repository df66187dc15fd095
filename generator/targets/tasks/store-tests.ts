import { emptyPlan, type Target } from "../../emit/plan.js";
import { tasks } from "./tasks.js";

/** The contract of task stores as a suite of tests, for those who write a store. */
export const storeTests: Target = {
  name: "store-tests",
  summary: "tests for task stores of your own (kit/testing/)",
  optIn: true,
  needs: ["tasks"],
  plan: async (protocol, targets) => {
    const { kit = [] } = await tasks.plan(protocol, targets);
    // Where there is no kit, the target `tasks` says why.
    return kit.length === 0 ? emptyPlan : { ...emptyPlan, kit: ["kit/testing/store-contract"] };
  },
};
