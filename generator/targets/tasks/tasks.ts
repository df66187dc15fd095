import type { Protocol } from "../../protocol/model/types.js";
import { emptyPlan, type Target, type TargetPlan } from "../../emit/plan.js";
import { withoutCard, withoutManifest } from "../errors/errors.js";
import { kitFile, kitModelsFile, kitTestingFile, misfitOf } from "./kit.js";

/** The task kit: modules that are copied or in a library, bound to the types and facts of the version. */
export const tasks: Target = {
  name: "tasks",
  summary: "task services: turns, stores, push notifications (kit/)",
  needs: ["server"],
  plan: (protocol, targets) => {
    const { binding } = protocol;
    if (binding === undefined) return withoutManifest("tasks", "what tasks are", protocol);
    const lacking = withoutCard("tasks", protocol) ?? withoutTypes(protocol);
    if (lacking !== undefined) return lacking;
    // The client's half of the kit comes with the client, and so do the types that both halves bind.
    const files = [kitFile(binding.tasks ?? {}), kitTestingFile(), ...(targets.has("client") ? [] : [kitModelsFile()])];
    return { ...emptyPlan, files, kit: ["kit/node"] };
  },
};

/** The plan for a version whose tasks the kit does not know: nothing but the reason. */
function withoutTypes(protocol: Protocol): TargetPlan | undefined {
  const misfit = misfitOf(protocol);
  if (misfit === undefined) return undefined;
  const reason = protocol.binding?.tasks === undefined ? `${misfit}; implement \`A2AService\` instead` : misfit;
  return { ...emptyPlan, omissions: [{ target: "tasks", subject: "everything", reason }] };
}
