import { InputError } from "../support/diagnostics.js";
import type { SpecSource } from "../input/source.js";
import { isExpired } from "../protocol/build/legacy.js";
import type { LegacyDef, LossDef, Omission, Protocol } from "../protocol/model/types.js";
import { headersOf } from "./headers.js";
import { withExtension, withRuntime } from "./import-paths.js";
import { runtimeFiles } from "./runtime-files.js";
import { readProtocol } from "./read.js";
import { Renderer, TemplateError } from "../render/render.js";
import { indexFile } from "../targets/index-file.js";
import type { ImportNeed, ServicePlan } from "../merge/types.js";
import { planAgent, planAgentService, type AgentMethodPlan } from "../targets/agent/agent.js";
import { chooseTargets } from "../targets/registry.js";
import type { FilePlan, TargetPlan } from "../emit/plan.js";
import type { Assets, GenerateOptions, OutputFile, Generated } from "./contract.js";

/**
 * Generates the output for a specification: texts in, texts out, nothing read or written. Throws an `InputError` for a
 * specification or an option that is wrong.
 */
export async function generate(source: SpecSource, assets: Assets, options: GenerateOptions): Promise<Generated> {
  const selection = chooseTargets(options.targets);
  if ("problem" in selection) throw new InputError({ problem: selection.problem, remedy: selection.remedy });
  const whole = readProtocol(source, assets.manifestSchema);
  const protocol = withAliases(whole, options);
  const names = new Set(selection.chosen.map(({ name }) => name));
  const renderer = new Renderer(assets.templates);
  const headers = headersOf(source, options.generator);
  const write = (file: FilePlan, header = headers.file): OutputFile =>
    renderFile(renderer, file, header, { ...options, ...assets });
  const plans: TargetOutput[] = [];
  // One target after the other, so that the views of one are gone before the next one makes its own.
  for (const target of selection.chosen) plans.push(outputOf(await target.plan(protocol, names), write));
  const index = indexFile(plans);
  const files = [...plans.flatMap((plan) => plan.files), ...(index === undefined ? [] : [write(index, headers.index)])];
  const runtime = runtimeFiles(
    [...plans.flatMap((plan) => plan.runtime), ...(index?.runtime ?? [])],
    assets.runtime,
    options,
  );
  const isShared = options.runtimeImport !== undefined;
  const copies = runtime.map(({ path, text }) => ({ path: `runtime/${path}`, text }));
  const skeleton =
    options.agentImport !== undefined && names.has("server") ? planAgent(protocol, options.agentImport) : undefined;
  return {
    title: source.title,
    files: [...files, ...(isShared ? [] : copies)].sort((a, b) => (a.path < b.path ? -1 : 1)),
    runtime: isShared ? runtime : [],
    service: names.has("server")
      ? serviceOf(protocol, renderer, new Set(plans.flatMap((plan) => plan.exports)))
      : undefined,
    agent: skeleton && renderFile(renderer, skeleton, "", { ...options, ...assets }).text,
    omissions: omissionsOf(
      protocol,
      plans.flatMap(({ omissions }) => omissions),
      names,
    ),
    losses: lossesOf(protocol, names),
    dropped: names.has("legacy") ? whole.legacy.filter((name) => !protocol.legacy.includes(name)) : [],
    counts: {
      messages: protocol.types.filter(({ kind }) => kind === "message").length,
      enums: protocol.types.filter(({ kind }) => kind === "enum").length,
      operations: protocol.operations.length,
      errors: protocol.binding?.errors.length ?? 0,
    },
  };
}

/** What a target contributes, with its files as they are written. */
interface TargetOutput extends Omit<TargetPlan, "files"> {
  readonly files: readonly OutputFile[];
  readonly runtime: readonly string[];
}

function outputOf({ files, ...rest }: TargetPlan, write: (file: FilePlan) => OutputFile): TargetOutput {
  return { ...rest, files: files.map((file) => write(file)), runtime: files.flatMap(({ runtime }) => runtime) };
}

/** Keeps the names of earlier versions that are asked for. */
function withAliases(protocol: Protocol, { aliases, dropExpired }: GenerateOptions): Protocol {
  const version = protocol.binding?.version ?? "0";
  const isKept = (name: LegacyDef): boolean => aliases === "all" && !(dropExpired && isExpired(name, version));
  return { ...protocol, legacy: protocol.legacy.filter(isKept) };
}

/** What was left out of the chosen targets; a target that is missing as a whole needs no further lines. */
function omissionsOf(protocol: Protocol, planned: readonly Omission[], chosen: ReadonlySet<string>): Omission[] {
  const whole = new Set(planned.filter(({ subject }) => subject === "everything").map(({ target }) => target));
  const fromProtocol = protocol.omissions.filter(({ target }) => chosen.has(target) && !whole.has(target));
  return [...planned, ...fromProtocol];
}

/** What the chosen bindings do not carry, in the order of the names. */
function lossesOf({ losses }: Protocol, chosen: ReadonlySet<string>): LossDef[] {
  // What only the proto has is lost for the bindings that go by the proto.
  const isProtoUsed = chosen.has("rest") || chosen.has("grpc");
  const known = (isProtoUsed ? losses : []).map((loss) => {
    return { ...loss, bindings: loss.bindings.filter((binding) => chosen.has(binding)) };
  });
  const key = ({ type, field }: LossDef): string => `${type}.${field}`;
  return known.filter(({ bindings }) => bindings.length > 0).sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The methods of the service, as merging takes them; `exported` are the modules that `index.ts` exports. */
function serviceOf(protocol: Protocol, renderer: Renderer, exported: ReadonlySet<string>): ServicePlan | undefined {
  const service = planAgentService(protocol);
  return service && { ...service, methods: service.methods.map((method) => methodOf(method, renderer, exported)) };
}

function methodOf({ template, view, ...method }: AgentMethodPlan, renderer: Renderer, exported: ReadonlySet<string>) {
  const needs: ImportNeed[] = [];
  const note = (module: string, name: string, isValue: boolean): string => {
    needs.push({ name, modules: exported.has(module) ? [module, "index"] : [module], isValue });
    return name;
  };
  view({ value: (module, name) => note(module, name, true), type: (module, name) => note(module, name, false) });
  const write = (local: (name: string) => string): string =>
    renderer.render(template, view({ value: (_, name) => local(name), type: (_, name) => local(name) }));
  return { ...method, needs, write };
}

function renderFile(
  renderer: Renderer,
  file: FilePlan,
  header: string,
  options: GenerateOptions & Pick<Assets, "overrides">,
): OutputFile {
  try {
    const text = renderer.render(file.template, { ...file.view, header });
    return { path: file.path, text: withExtension(withRuntime(text, file.path, options), options) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { template, line, column, message } = error;
    const place = {
      file: options.overrides?.get(template) ?? `templates/${template}.hbs`,
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    };
    throw new InputError({
      place,
      problem: `the template cannot be rendered: ${message}`,
      remedy: "Correct the template",
    });
  }
}
