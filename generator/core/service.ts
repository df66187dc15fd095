import type { ImportNeed, ServicePlan } from "../merge/types.js";
import type { Protocol } from "../protocol/model/types.js";
import type { Renderer } from "../render/render.js";
import { planAgent, planAgentService, type AgentMethodPlan } from "../targets/agent/agent.js";
import type { ValueRef } from "../emit/symbols.js";
import type { Assets, GenerateOptions } from "./contract.js";
import { renderFile } from "./files.js";
import { endingOf } from "./specifiers.js";

/** The parts that a skeleton requires in addition to its protocol. */
interface SkeletonParts {
  readonly assets: Assets;
  readonly hasKit: boolean;
  /** The adapters for other versions. */
  readonly served: readonly ValueRef[];
}

/** Returns the agent skeleton, if it is requested and the protocol has all required parts. */
export function skeletonOf(
  protocol: Protocol,
  renderer: Renderer,
  { agentImport, importExtension }: GenerateOptions,
  { assets, hasKit, served }: SkeletonParts,
): string | undefined {
  const plan = agentImport === undefined ? undefined : planAgent(protocol, { hasKit, served });
  if (agentImport === undefined || plan === undefined) return undefined;
  const specifierOf = (module: string): string =>
    `${agentImport}/${module}${endingOf(importExtension)}`;
  return renderFile(renderer, plan, { header: "", specifierOf }, assets.overrides).text;
}

/**
 * Returns the methods of the service in the form that the merge requires. `exported` contains the
 * modules that `index.ts` exports.
 */
export function serviceOf(
  protocol: Protocol,
  renderer: Renderer,
  exported: ReadonlySet<string>,
): ServicePlan | undefined {
  const service = planAgentService(protocol);
  return (
    service && {
      ...service,
      methods: service.methods.map((method) => methodOf(method, renderer, exported)),
    }
  );
}

function methodOf(
  { template, view, names, ...method }: AgentMethodPlan,
  renderer: Renderer,
  exported: ReadonlySet<string>,
) {
  const needs = names.names.map(({ symbol: { module, name }, isValue }): ImportNeed => {
    return { name, modules: exported.has(module) ? [module, "index"] : [module], isValue };
  });
  return { ...method, needs, text: names.split(renderer.render(template, view)) };
}
