import type { Location } from "../../support/diagnostics.js";
import type { SpecSource } from "../input/source.js";
import type { LossDef, Omission, Protocol } from "../protocol/model/types.js";
import { extensionOutputs } from "./extensions.js";
import { headersOf } from "./headers.js";
import { readProtocol } from "./read.js";
import { Renderer } from "../render/render.js";
import { indexFile } from "../targets/index-file.js";
import { errorsFile as errorsFileOf } from "../targets/errors/errors.js";
import { chooseTargets } from "../targets/registry.js";
import { transports } from "../targets/transports/table.js";
import { emptyPlan, type FilePlan, type TargetPlan } from "../emit/plan.js";
import { runtimeFolder } from "../emit/runtime-modules.js";
import { renderFile } from "./files.js";
import { specifierFrom } from "./specifiers.js";
import { kitFiles, runtimeFiles } from "./runtime-files.js";
import { isInLibrary, libraryPlan, sharedErrors, subpathOf } from "./library.js";
import { serviceOf, skeletonOf } from "./service.js";
import { versionOutputs } from "./versions.js";
import type { Assets, GenerateOptions, OutputFile, Generated } from "./contract.js";

/**
 * Generates the output for a specification. Only processes strings, and does not read or write
 * files. `locationOfTarget` returns the location where the user selected a target.
 *
 * @throws InputError if a specification or an option is invalid
 */
export async function generate(
  source: SpecSource,
  assets: Assets,
  options: GenerateOptions,
  locationOfTarget?: (name: string) => Location | undefined,
): Promise<Generated> {
  const targets = chooseTargets(options.targets, locationOfTarget);
  const fullProtocol = readProtocol(source);
  const protocol = withAliases(fullProtocol, options);
  const names = new Set(targets.map(({ name }) => name));
  const renderer = await Renderer.load(assets.templates);
  const headers = headersOf(source, options.generator);
  const library = options.runtimeImport;
  const write = (file: FilePlan, header = headers.file): OutputFile => {
    const specifierOf = (module: string): string =>
      library !== undefined && isInLibrary(module, assets.kit)
        ? subpathOf(library, module)
        : specifierFrom(file.path, module, options);
    return renderFile(renderer, file, { header, specifierOf }, assets.overrides);
  };
  const plans: TargetOutput[] = [];
  // Targets run one after another, so that the views of one target are released before the next
  // target creates its own.
  for (const target of targets) plans.push(outputOf(await target.plan(protocol, names), write));
  const adapted = await versionOutputs(source.versions ?? [], { own: fullProtocol, chosen: names });
  for (const { files } of adapted) plans.push(outputOf({ ...emptyPlan, files }, write));
  const used = new Set(plans.flatMap(({ imports }) => imports));
  const exported = plans.flatMap(({ exports }) => exports);
  const index = indexFile(exported, (module) => used.has(module));
  const adapterFiles = adapted.map(({ versionFiles, source: of }) =>
    outputOf({ ...emptyPlan, files: versionFiles }, (file) =>
      write(file, headersOf(of, options.generator).file),
    ),
  );
  const modules = new Set(
    plans.flatMap(({ files }) => files.map(({ path }) => path.replace(/\.ts$/, ""))),
  );
  const extensions = await extensionOutputs(source.extensions ?? [], modules);
  for (const extension of extensions) {
    const { file: header } = headersOf(extension.source, options.generator);
    adapterFiles.push(
      outputOf({ ...emptyPlan, files: extension.files }, (file) => write(file, header)),
    );
  }
  for (const module of adapterFiles.flatMap(({ imports }) => imports)) used.add(module);
  const requested = plans.flatMap((plan) => plan.kit ?? []);
  const kitModules = kitFiles([...used, ...requested], assets.kit, options);
  for (const module of kitModules.imports) used.add(module);
  const kit = library === undefined ? kitModules.files : [];
  const planned = plans.flatMap((plan) => plan.files);
  const own =
    library === undefined
      ? planned
      : withLibrary(planned, requested, {
          errors: errorsPlan({ source, protocol: fullProtocol }, planned, assets),
          render: (plan) => {
            const specifierOf = (module: string): string => subpathOf(library, module);
            return renderFile(
              renderer,
              plan,
              { header: headers.file, specifierOf },
              assets.overrides,
            );
          },
        });
  const below = adapterFiles.flatMap(({ files }) => files);
  const files = [
    ...own,
    ...below,
    ...kit,
    ...(index === undefined ? [] : [write(index, headers.index)]),
  ];
  const runtime = runtimeFiles([...used], assets.runtime, options);
  const copies = runtime.map(({ path, text }) => ({ path: runtimeFolder + path, text }));
  return {
    title: source.title,
    files: [...files, ...(library === undefined ? copies : [])].sort((a, b) =>
      a.path < b.path ? -1 : 1,
    ),
    library: library === undefined ? [] : [...kitModules.files, ...copies],
    service: names.has("server") ? serviceOf(protocol, renderer, new Set(exported)) : undefined,
    agent: names.has("server")
      ? skeletonOf(protocol, renderer, options, {
          assets,
          hasKit: planned.some(({ path }) => path === kitFile),
          served: adapted.flatMap(({ served }) => served ?? []),
        })
      : undefined,
    omissions: [
      ...omissionsOf(
        protocol,
        plans.flatMap(({ omissions }) => omissions),
        names,
      ),
      ...extensions.flatMap(({ omissions }) => omissions),
    ],
    losses: lossesOf(protocol, names),
    versions: adapted.map(({ source: { title }, folder, losses }) => ({ title, folder, losses })),
    dropped: names.has("legacy")
      ? fullProtocol.legacy.filter((name) => !protocol.legacy.includes(name))
      : [],
    counts: {
      messages: protocol.types.filter(({ kind }) => kind === "message").length,
      enums: protocol.types.filter(({ kind }) => kind === "enum").length,
      operations: protocol.operations.length,
      errors: protocol.binding?.errors.length ?? 0,
    },
  };
}

/** The folder of the kit, the module that users import, and the errors file. */
const kitFolder = "kit/";
const kitFile = "kit/index.ts";
const errorsFile = "errors.ts";

/**
 * The contribution of a target, with the content of its files, and the modules that their imports
 * and exports refer to.
 */
interface TargetOutput extends Omit<TargetPlan, "files"> {
  readonly files: readonly OutputFile[];
  readonly imports: readonly string[];
}

function outputOf(
  { files, ...rest }: TargetPlan,
  write: (file: FilePlan) => OutputFile,
): TargetOutput {
  const statements = files.flatMap(({ imports, exports }) => [...imports, ...exports]);
  return {
    ...rest,
    files: files.map((file) => write(file)),
    imports: statements.map(({ module }) => module),
  };
}

/** Combines two lists of files. If both lists contain a path, the file in `others` is used. */
function withOthers(files: readonly OutputFile[], others: readonly OutputFile[]): OutputFile[] {
  return [...new Map([...files, ...others].map((file) => [file.path, file])).values()];
}

/** Removes the names of earlier versions, unless the options select them. */
function withAliases(protocol: Protocol, { aliases }: GenerateOptions): Protocol {
  return aliases === "all" ? protocol : { ...protocol, legacy: [] };
}

/**
 * Returns the omissions of the selected targets. If a whole target is missing, its other omissions
 * are not listed.
 */
function omissionsOf(
  protocol: Protocol,
  planned: readonly Omission[],
  chosen: ReadonlySet<string>,
): Omission[] {
  const omittedTargets = new Set(
    planned.filter(({ subject }) => subject === "everything").map(({ target }) => target),
  );
  const fromProtocol = protocol.omissions.filter(
    ({ target }) => chosen.has(target) && !omittedTargets.has(target),
  );
  return [...planned, ...fromProtocol];
}

/** Returns the losses of the selected bindings, in the order of their names. */
function lossesOf({ losses }: Protocol, chosen: ReadonlySet<string>): LossDef[] {
  // If no selected binding uses the proto, all bindings support the whole model, and nothing is
  // lost.
  const isProtoUsed = transports.some(
    ({ name, carries }) => carries !== "model" && chosen.has(name),
  );
  const known = (isProtoUsed ? losses : []).map((loss) => {
    return { ...loss, bindings: loss.bindings.filter((binding) => chosen.has(binding)) };
  });
  const key = ({ type, field }: LossDef): string => `${type}.${field}`;
  return known
    .filter(({ bindings }) => bindings.length > 0)
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/**
 * Returns the plan of the errors of an output with a library; `undefined` if the output has no
 * errors, or if the specification of the library is unknown.
 */
function errorsPlan(
  own: { readonly source: SpecSource; readonly protocol: Protocol },
  planned: readonly OutputFile[],
  { librarySource }: Assets,
): FilePlan | undefined {
  const { binding } = own.protocol;
  if (
    binding === undefined ||
    librarySource === undefined ||
    !planned.some(({ path }) => path === errorsFile)
  )
    return undefined;
  const source = librarySource();
  const hasKit = planned.some(({ path }) => path.startsWith(kitFolder));
  return errorsFileOf(
    binding,
    sharedErrors(own, { source, read: () => readProtocol(source) }, hasKit),
  );
}

/** Adds modules that reexport a library's modules in place of copies. */
function withLibrary(
  files: readonly OutputFile[],
  kit: readonly string[],
  {
    render,
    errors,
  }: { readonly render: (plan: FilePlan) => OutputFile; readonly errors: FilePlan | undefined },
): OutputFile[] {
  const plans = [...(errors === undefined ? [] : [errors]), ...[...new Set(kit)].map(libraryPlan)];
  return withOthers(files, plans.map(render));
}
