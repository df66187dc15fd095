import type { Protocol } from "../../protocol/model/types.js";
import { emptyPlan, type Target, type TargetPlan } from "../../emit/plan.js";
import { withoutCard, withoutManifest } from "../errors/errors.js";
import { factsFile, misfitOf } from "./kit.js";

/** The task kit: modules that are copied, and what they have to know of the version. */
export const tasks: Target = {
  name: "tasks",
  summary: "task services: turns, stores, push notifications (kit/)",
  needs: ["server"],
  plan: (protocol, targets) => {
    const { binding } = protocol;
    if (binding === undefined) return withoutManifest("tasks", "what tasks are", protocol);
    const lacking = withoutCard("tasks", protocol) ?? withoutTypes(protocol);
    if (lacking !== undefined) return lacking;
    // The client's half of the kit comes with the client, and so does what both halves have to know.
    return {
      ...emptyPlan,
      files: targets.has("client") ? [] : [factsFile(binding.tasks)],
      kit: ["kit/index", "kit/node", "kit/testing"],
    };
  },
};

/** The plan for a version whose tasks the kit does not know: nothing but the reason. */
function withoutTypes(protocol: Protocol): TargetPlan | undefined {
  const misfit = misfitOf(protocol);
  if (misfit === undefined) return undefined;
  const reason = protocol.binding?.tasks === undefined ? `${misfit}; implement \`A2AService\` instead` : misfit;
  return { ...emptyPlan, omissions: [{ target: "tasks", subject: "everything", reason }] };
}
