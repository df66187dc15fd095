import type { Location } from "../../support/diagnostics.js";
import type { SpecSource } from "../input/source.js";
import { chooseTargets } from "../targets/registry.js";
import { assemble } from "./assemble.js";
import type { Assets, GenerateOptions, Generated } from "./contract.js";
import { collectModules } from "./modules.js";
import { planPackages } from "./packages.js";
import { planOutput } from "./plan-output.js";
import { renderOutput } from "./render-output.js";

/**
 * Generates the output for a specification. Only processes strings, and does not read or write
 * files. `locationOfTarget` returns the location where the user selected a target.
 *
 * @throws InputError if a specification, a template or an option is invalid
 */
export async function generate(
  source: SpecSource,
  assets: Assets,
  options: GenerateOptions,
  locationOfTarget?: (name: string) => Location | undefined,
): Promise<Generated> {
  const targets = chooseTargets(options.targets, locationOfTarget);
  const planned = source.packages === undefined ? planOutput : planPackages;
  const plan = await planned(source, targets, options, assets.librarySource);
  const modules = collectModules(plan, assets, options);
  const rendered = await renderOutput(plan, assets, options);
  return assemble(plan, modules, rendered, options);
}
