import type { FilePlan } from "../emit/plan.js";
import { Renderer } from "../render/render.js";
import type { ServicePlan } from "../merge/types.js";
import type { Assets, GenerateOptions, OutputFile } from "./contract.js";
import { renderFile } from "./files.js";
import { uncheckedHeader } from "./headers.js";
import { isInLibrary, subpathOf } from "./library.js";
import type { OutputPlan } from "./plan-output.js";
import { serviceFilesOf, serviceOf, skeletonOf, type ServiceFiles } from "./service.js";
import { specifierFrom } from "./specifiers.js";

/** The rendered files of an output, and its agent. */
export interface RenderedOutput {
  readonly files: readonly OutputFile[];
  readonly agent: string | undefined;
  readonly service: ServicePlan | undefined;
  readonly implementations: ServiceFiles["implementations"];
}

/**
 * Renders the planned files, and the agent if the output has a server. A text only depends on the
 * plan of its file, its template and the options.
 *
 * @throws InputError if a template is invalid, with its location
 */
export async function renderOutput(
  plan: OutputPlan,
  assets: Assets,
  options: GenerateOptions,
): Promise<RenderedOutput> {
  const renderer = await Renderer.load(assets.templates);
  const files = plan.files.map(({ plan: file, header }) => {
    const specifierOf = specifiersIn(file.path, assets, options);
    const head = isChecked(file, assets) ? header : uncheckedHeader(header);
    return renderFile(renderer, file, { header: head, specifierOf }, assets.overrides);
  });
  const hasServer = plan.chosen.has("server");
  const services = serviceFilesOf(
    hasServer ? plan.services : [],
    new Set(files.map(({ path }) => path)),
    renderer,
    assets,
    options,
  );
  return {
    files,
    agent: hasServer
      ? (services.program ?? skeletonOf(plan, renderer, assets, options))
      : undefined,
    implementations: services.implementations,
    service: hasServer ? serviceOf(plan.protocol, renderer, new Set(plan.exports)) : undefined,
  };
}

/** The templates of files that contain no code, only types or exports of other files. */
const withoutCode: ReadonlySet<string> = new Set(["models/models", "facade", "index"]);

/**
 * Returns whether compilers of users check the code of a file. Checking generated code takes a
 * quarter of the time of a type-check, and finds nothing. They check files that export other modules, so
 * that they report a missing library, and the code of the user's own templates.
 */
function isChecked({ path, template }: FilePlan, { overrides }: Assets): boolean {
  return !path.endsWith(".ts") || withoutCode.has(template) || overrides?.has(template) === true;
}

/** Returns a function that returns the specifiers of modules in a file of the output. */
function specifiersIn(
  file: string,
  { kit }: Assets,
  options: GenerateOptions,
): (module: string) => string {
  const { runtimeImport: library } = options;
  return (module) => {
    // A file with the path of the module replaces it, and reexports the module of the library.
    const isReplaced = file === `${module}.ts`;
    return library !== undefined && (isReplaced || isInLibrary(module, kit))
      ? subpathOf(library, module)
      : specifierFrom(file, module, options);
  };
}
