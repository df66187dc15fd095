import type { Protocol, TasksDef } from "../../protocol/model/types.js";
import { Imports } from "../../emit/imports.js";
import { errorRef, kit } from "../../emit/output-modules.js";
import type { FilePlan } from "../../emit/plan.js";

/** Returns why the modules of the kit do not fit a protocol; `undefined` where they do. */
export function misfitOf({ binding, types }: Protocol): string | undefined {
  if (binding?.tasks === undefined) return "the task kit is written against the models of later versions";
  const names = new Set(types.map(({ name }) => name));
  const missing = binding.tasks.types.filter((name) => !names.has(name));
  if (missing.length === 0) return undefined;
  return `the specification has no ${missing.join(", ")}, which the task kit works with`;
}

/** Returns the plan of the file that says what the modules of the kit have to know of a version. */
export function factsFile(tasks: TasksDef | undefined): FilePlan {
  const imports = new Imports("kit/facts.ts", ["facts"]);
  const type = imports.type(kit.KitFacts);
  const mismatch = tasks?.mismatch;
  return imports.plan("tasks/facts", {
    type,
    mismatch: mismatch === undefined ? "undefined" : imports.value(errorRef(mismatch)),
  });
}
