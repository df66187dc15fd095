import type { ImportNeed, ServicePlan } from "../merge/types.js";
import type { Protocol } from "../protocol/model/types.js";
import type { Renderer } from "../render/render.js";
import { planAgent, planAgentService, type AgentMethodPlan } from "../targets/agent/agent.js";
import type { Assets, GenerateOptions } from "./contract.js";
import { renderFile } from "./files.js";
import type { OutputPlan } from "./plan-output.js";
import { endingOf } from "./specifiers.js";

/** The module of the kit that an agent imports. */
const kitFile = "kit/index.ts";

/** Returns the agent skeleton, if it is requested and the protocol has all required parts. */
export function skeletonOf(
  { protocol, files, versions }: OutputPlan,
  renderer: Renderer,
  { overrides }: Pick<Assets, "overrides">,
  { agentImport, importExtension }: GenerateOptions,
): string | undefined {
  if (agentImport === undefined) return undefined;
  const hasKit = files.some(({ plan }) => plan.path === kitFile);
  const served = versions.flatMap((version) => version.served ?? []);
  const agent = planAgent(protocol, { hasKit, served });
  if (agent === undefined) return undefined;
  const specifierOf = (module: string): string =>
    `${agentImport}/${module}${endingOf(importExtension)}`;
  return renderFile(renderer, agent, { header: "", specifierOf }, overrides).text;
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
