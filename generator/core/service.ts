import type { FilePlan } from "../emit/plan.js";
import type { ImportNeed, ServicePlan } from "../merge/types.js";
import type { Protocol } from "../protocol/model/types.js";
import type { Renderer } from "../render/render.js";
import { planAgent, planAgentService, type AgentMethodPlan } from "../targets/agent/agent.js";
import {
  planImplementations,
  planProgram,
  type ServiceOutput,
} from "../targets/services/implementation.js";
import type { Assets, GenerateOptions, ServiceFile } from "./contract.js";
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
      methods: service.methods.map((method) =>
        methodOf(method, renderer, { folder: "", exported }),
      ),
    }
  );
}

/** The user's files of an output with services: the program that serves them, and their classes. */
export interface ServiceFiles {
  /** The program; absent if it is not requested, or the output has no service to implement. */
  readonly program: string | undefined;
  readonly implementations: readonly ServiceFile[];
}

/**
 * Returns the program that serves the services of all outputs, and the files that implement them.
 * `modules` contains the paths of all files of the output. Returns no files unless they are
 * requested.
 */
export function serviceFilesOf(
  outputs: readonly ServiceOutput[],
  modules: ReadonlySet<string>,
  renderer: Renderer,
  { overrides }: Pick<Assets, "overrides">,
  { agentImport, importExtension }: GenerateOptions,
): ServiceFiles {
  const plans = agentImport === undefined ? [] : planImplementations(outputs);
  if (agentImport === undefined || plans.length === 0)
    return { program: undefined, implementations: [] };
  const ending = endingOf(importExtension);
  const textOf = (file: FilePlan, isProgram: boolean): string => {
    const up = isProgram ? "" : "../".repeat(file.path.split("/").length - 1);
    const out = up === "" ? agentImport : up + agentImport.replace(/^\.\//, "");
    // Only the program imports files next to itself.
    const specifierOf = (module: string): string =>
      (module.startsWith("./") ? module : `${out}/${module}`) + ending;
    return renderFile(renderer, file, { header: "", specifierOf }, overrides).text;
  };
  const program = planProgram(plans, modules.has("server/http2.ts"));
  const implementations = plans.map(({ file, fullName, service, output }, index): ServiceFile => {
    const place = { folder: output.folder, exported: new Set(output.exports) };
    return {
      path: file.path,
      text: textOf(file, false),
      fullName,
      service: {
        ...service,
        methods: service.methods.map((method) => methodOf(method, renderer, place)),
      },
      served: program.served[index] ?? "",
    };
  });
  return { program: textOf(program.file, true), implementations };
}

/** The folder of an output below the output folder, and the modules that its `index.ts` exports. */
interface Place {
  readonly folder: string;
  readonly exported: ReadonlySet<string>;
}

function methodOf(
  { template, view, names, ...method }: AgentMethodPlan,
  renderer: Renderer,
  { folder, exported }: Place,
) {
  const inFolder = (module: string): string => (folder === "" ? module : `${folder}/${module}`);
  const needs = names.names.map(({ symbol: { module, name }, isValue }): ImportNeed => {
    const modules = exported.has(module) ? [module, "index"] : [module];
    return { name, modules: modules.map(inFolder), isValue };
  });
  return { ...method, needs, text: names.split(renderer.render(template, view)) };
}
