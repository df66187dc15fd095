import { isPlatform } from "./imports.js";
import type { FilePlan, Statement } from "./plan.js";
import { runtimeFolder } from "./runtime-modules.js";

/** Marks a module that {@link relocated} does not move: its path is relative to the output folder. */
const root = "/";

/** Returns the path of a module that stays in place if the file that refers to it is moved. */
export function fixed(module: string): string {
  return root + module;
}

/** Moves a planned file to a folder, together with its references to modules of the output. */
export function relocated(plan: FilePlan, folder: string): FilePlan {
  const moved = (module: string): string => {
    if (module.startsWith(root)) return module.slice(root.length);
    return isPlatform(module) || module.startsWith(runtimeFolder) ? module : `${folder}/${module}`;
  };
  const statement = (one: Statement): Statement => ({ ...one, module: moved(one.module) });
  const { specifiers = {} } = plan;
  return {
    ...plan,
    path: `${folder}/${plan.path}`,
    imports: plan.imports.map(statement),
    exports: plan.exports.map(statement),
    specifiers: Object.fromEntries(
      Object.entries(specifiers).map(([key, module]) => [key, moved(module)]),
    ),
  };
}
