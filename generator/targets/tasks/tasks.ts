import type { Protocol } from "../../protocol/model/types.js";
import { emptyPlan, type Target, type TargetPlan } from "../../emit/plan.js";
import { agentBinding, withoutAgents } from "../errors/errors.js";
import { hasServices } from "../services/services.js";
import { kitFile, kitTestingFile, reasonWithoutKit } from "./kit.js";

/**
 * Target of the task kit. Its modules are copied or imported, and the output passes the types and
 * facts of the version to them.
 */
export const tasks: Target = {
  name: "tasks",
  summary: "task services: turns, stores, push notifications (kit/)",
  needs: ["server"],
  plan: (protocol) => {
    // Tasks are a concept of agents, so a report about other services does not mention them.
    if (hasServices(protocol)) return emptyPlan;
    const binding = agentBinding(protocol);
    if (binding === undefined) return withoutAgents("tasks", "the task types", protocol);
    const omission = withoutTypes(protocol);
    if (omission !== undefined) return omission;
    const files = [kitFile(binding.tasks ?? {}), kitTestingFile(binding)];
    return { ...emptyPlan, files, kit: ["kit/node"] };
  },
};

/**
 * Returns the plan for a version whose tasks the kit does not support. The plan only contains the
 * reason.
 */
function withoutTypes(protocol: Protocol): TargetPlan | undefined {
  const unsupportedReason = reasonWithoutKit(protocol);
  if (unsupportedReason === undefined) return undefined;
  const reason =
    protocol.binding?.tasks === undefined
      ? `${unsupportedReason}; implement \`A2AService\` instead`
      : unsupportedReason;
  return { ...emptyPlan, omissions: [{ target: "tasks", subject: "everything", reason }] };
}
