import type { Protocol } from "../../protocol/model/types.js";
import { Imports } from "../../emit/imports.js";
import { errorRef, kit } from "../../emit/output-modules.js";
import { emptyPlan, type FilePlan, type Target, type TargetPlan } from "../../emit/plan.js";
import { withoutCard, withoutManifest } from "../errors/errors.js";

/** The task kit: modules that are copied, and what they have to know of the version. */
export const tasks: Target = {
  name: "tasks",
  summary: "task services: turns, stores, push notifications (kit/)",
  needs: ["server"],
  plan: (protocol) => {
    const { binding } = protocol;
    if (binding === undefined) return withoutManifest("tasks", "what tasks are", protocol);
    const lacking = withoutCard("tasks", protocol) ?? withoutTypes(protocol);
    if (lacking !== undefined) return lacking;
    return { ...emptyPlan, files: [factsFile(binding.tasks?.mismatch)], kit: ["kit/index"] };
  },
};

/** The plan for a version whose tasks the kit does not know: nothing but the reason. */
function withoutTypes({ binding, types }: Protocol): TargetPlan | undefined {
  const omitted = (reason: string): TargetPlan => {
    return { ...emptyPlan, omissions: [{ target: "tasks", subject: "everything", reason }] };
  };
  if (binding?.tasks === undefined)
    return omitted("the task kit is written against the models of later versions; implement `A2AService` instead");
  const names = new Set(types.map(({ name }) => name));
  const missing = binding.tasks.types.filter((name) => !names.has(name));
  if (missing.length === 0) return undefined;
  return omitted(`the specification has no ${missing.join(", ")}, which the task kit works with`);
}

function factsFile(mismatch: string | undefined): FilePlan {
  const imports = new Imports("kit/facts.ts", ["facts"]);
  const type = imports.type(kit.KitFacts);
  return imports.plan("tasks/facts", {
    type,
    mismatch: mismatch === undefined ? "undefined" : imports.value(errorRef(mismatch)),
  });
}
