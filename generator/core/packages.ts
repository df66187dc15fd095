import { InputError } from "../../support/diagnostics.js";
import { linkOutputs } from "../emit/part-links.js";
import { filesOf, namesOf, planTargets, type FilePlan, type Target } from "../emit/plan.js";
import { relocated } from "../emit/relocate.js";
import type { PackageSource, SpecSource } from "../input/source.js";
import { isElsewhere } from "../protocol/model/elsewhere.js";
import type { Omission, Protocol } from "../protocol/model/types.js";
import { isOfAgents } from "../targets/errors/errors.js";
import { indexFile } from "../targets/index-file.js";
import { asReexport, sharedFiles, type PackageFiles } from "../targets/services/packages.js";
import { hasServices } from "../targets/services/services.js";
import type { Assets, GenerateOptions } from "./contract.js";
import { headersOf } from "./headers.js";
import { withLibrary } from "./library.js";
import {
  headed,
  importedBy,
  omissionsOf,
  type OutputPlan,
  type PlannedFile,
} from "./plan-output.js";
import { readProtocol } from "./read.js";

/** A package of a run, with the contributions of the targets to its output. */
interface PlannedPackage extends ReadPackage {
  readonly folder: string;
  readonly planned: Awaited<ReturnType<typeof planTargets>>;
}

/**
 * Plans a run with several packages. Each package has an output in its own folder, with the files
 * of a run for this package alone. Types of other packages, and the errors, are declared once.
 *
 * @throws InputError if a package is invalid, or if its manifest describes agents
 */
export async function planPackages(
  source: SpecSource,
  targets: readonly Target[],
  options: GenerateOptions,
  librarySource: Assets["librarySource"],
): Promise<OutputPlan> {
  const { packages = [] } = source;
  const read = withOwners(packages.map((each) => ({ source: each, protocol: readProtocol(each) })));
  const outputs: PlannedPackage[] = [];
  for (const each of read.filter(isDeclaring)) {
    const { folder } = each.source;
    outputs.push({ ...each, folder, planned: await planTargets(targets, each.protocol) });
  }
  const linksOf = linkOutputs(
    outputs.map(({ folder, protocol, planned: { parted } }) => ({ folder, protocol, parted })),
  );
  const chosen = namesOf(targets);
  const filed = outputs.map((output) => ({ ...output, files: filesOf(output.planned, linksOf) }));
  const shared = commonFiles(filed, options, librarySource);
  return {
    title: source.title,
    protocol: combined(source.title, outputs),
    packages: outputs.map(({ source: { title }, folder }) => ({ name: title, folder })),
    services: outputs.flatMap(({ folder, protocol, planned: { exports } }) =>
      hasServices(protocol) ? [{ folder, protocol, exports }] : [],
    ),
    chosen,
    files: [
      ...headed({ source, sourceFiles: shared }, options),
      ...filed.flatMap((output) => packageFiles(output, options)),
    ],
    exports: [],
    kit: [],
    versions: [],
    omissions: [
      ...packageOmissions(outputs, chosen),
      ...read
        .filter((each) => !isDeclaring(each))
        .map(({ source: { title } }) => emptyPackage(title)),
    ],
    dropped: [],
  };
}

interface ReadPackage {
  readonly source: PackageSource;
  readonly protocol: Protocol;
}

/**
 * Returns the packages with only the types in `elsewhere` that another output declares. The output
 * of a package has no types of files that are not proto3, unless another file of the package imports
 * these files.
 */
function withOwners(packages: readonly ReadPackage[]): ReadPackage[] {
  const declared = new Map(
    packages.map(({ source: { folder }, protocol }) => [
      folder,
      new Set(ownTypes(protocol).map(({ fullName }) => fullName)),
    ]),
  );
  return packages.map(({ source, protocol }) => {
    const { binding, elsewhere = new Map<string, string>() } = protocol;
    if (isOfAgents(binding))
      throw new InputError({
        location: { file: source.manifests.at(-1)?.file ?? source.title },
        message: "the manifest describes agents, which require an output without other packages",
        hint: "Generate the proto of the agents alone with --spec and --out",
      });
    const owned = [...elsewhere].filter(
      ([fullName, folder]) => declared.get(folder)?.has(fullName) === true,
    );
    return { source, protocol: { ...protocol, elsewhere: new Map(owned) } };
  });
}

function ownTypes(protocol: Protocol): readonly Protocol["types"][number][] {
  return protocol.types.filter((type) => !isElsewhere(protocol, type));
}

/** Returns whether a package declares a type or an rpc. */
function isDeclaring({ protocol }: ReadPackage): boolean {
  return ownTypes(protocol).length > 0 || protocol.operations.length > 0;
}

function emptyPackage(name: string): Omission {
  const reason = "it declares no message, enum or rpc";
  return { target: "models", subject: `the package ${name}`, reason };
}

/** Returns the files of all outputs together, with the errors that a library shares. */
function commonFiles(
  packages: readonly (PackageFiles & ReadPackage)[],
  { runtimeImport }: GenerateOptions,
  librarySource: Assets["librarySource"],
): FilePlan[] {
  const files = sharedFiles(packages);
  const first = packages.find(({ protocol }) => protocol.binding !== undefined);
  return runtimeImport === undefined || first === undefined
    ? files
    : withLibrary(files, [], first, librarySource);
}

/** Returns the files of a package, at their paths in the run. */
function packageFiles(
  { source, folder, protocol, planned: { exports }, files }: PlannedPackage & PackageFiles,
  options: GenerateOptions,
): PlannedFile[] {
  const own = files.map((file) => relocated(asReexport(file), folder));
  const index = indexFile(protocol, exports, importedBy(files));
  const { index: header } = headersOf(source, options.generator);
  return [
    ...headed({ source, sourceFiles: own }, options),
    ...(index === undefined ? [] : [{ plan: relocated(index, folder), header }]),
  ];
}

/**
 * Returns the omissions of packages. A target that is missing from several packages for the same
 * reason is listed once. In a run with services, packages without services do not report that they
 * have no clients.
 */
function packageOmissions(
  packages: readonly PlannedPackage[],
  chosen: ReadonlySet<string>,
): Omission[] {
  const hasServices = packages.some(({ protocol }) => protocol.binding !== undefined);
  const found = new Map<string, Omission>();
  for (const { source, protocol, planned } of packages)
    for (const omission of omissionsOf(protocol, planned.omissions, chosen)) {
      const { target, subject, reason } = omission;
      const isWhole = subject === "everything";
      if (isWhole && hasServices && protocol.binding === undefined) continue;
      const key = JSON.stringify([target, reason, isWhole || [source.title, subject]]);
      const isNamed = isWhole || subject.startsWith(`${source.title}.`);
      const listed = isNamed ? omission : { ...omission, subject: `${subject} of ${source.title}` };
      if (!found.has(key)) found.set(key, listed);
    }
  return [...found.values()];
}

/** Returns the protocol of all packages, as far as reports require it. */
function combined(title: string, outputs: readonly PlannedPackage[]): Protocol {
  const protocols = outputs.map(({ protocol }) => protocol);
  const binding = protocols.find((protocol) => protocol.binding !== undefined)?.binding;
  return {
    title,
    sources: ["proto"],
    types: protocols.flatMap((protocol) => [...ownTypes(protocol)]),
    subjects: new Map(),
    losses: [],
    operations: protocols.flatMap(({ operations }) => operations),
    services: protocols.flatMap(({ services = [] }) => services),
    omissions: [],
    legacy: [],
    removed: [],
    ...(binding && { binding }),
  };
}
