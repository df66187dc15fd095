import { filesOf, namesOf, planTargets, type FilePlan, type Target } from "../emit/plan.js";
import type { SpecSource } from "../input/source.js";
import type { LegacyDef, Omission, Protocol } from "../protocol/model/types.js";
import { indexFile } from "../targets/index-file.js";
import type { ServiceOutput } from "../targets/services/implementation.js";
import { hasServices } from "../targets/services/services.js";
import type { Assets, GenerateOptions, PackageOutput } from "./contract.js";
import { extensionOutputs } from "./extensions.js";
import { headersOf } from "./headers.js";
import { withLibrary } from "./library.js";
import { readProtocol } from "./read.js";
import { versionOutputs, type VersionOutput } from "./versions.js";

/** The content of an output, before modules are collected and files are rendered. */
export interface OutputPlan {
  readonly title: string;
  /** The protocol, with the names of earlier versions that the options select. */
  readonly protocol: Protocol;
  /** The packages of a run with several outputs. */
  readonly packages?: readonly PackageOutput[];
  /** The outputs with services that are not agents. */
  readonly services: readonly ServiceOutput[];
  /** The names of the selected targets. */
  readonly chosen: ReadonlySet<string>;
  /** All files except the modules of the runtime and the kit. Each path occurs once. */
  readonly files: readonly PlannedFile[];
  /** The modules that `index.ts` exports. */
  readonly exports: readonly string[];
  /** The modules of the kit that the output contains even if no file imports them. */
  readonly kit: readonly string[];
  /** The adapters for other versions. */
  readonly versions: readonly VersionOutput[];
  readonly omissions: readonly Omission[];
  /** Names of earlier versions that the options exclude. */
  readonly dropped: readonly LegacyDef[];
}

/** A planned file, with its first lines. */
export interface PlannedFile {
  readonly plan: FilePlan;
  readonly header: string;
}

/**
 * Plans an output: reads the specification, and decides on every file and its imports. The later
 * steps decide nothing about the content, and do not read the specification.
 *
 * @throws InputError if the specification, another version or an extension is invalid
 */
export async function planOutput(
  source: SpecSource,
  targets: readonly Target[],
  options: GenerateOptions,
  librarySource: Assets["librarySource"],
): Promise<OutputPlan> {
  const allNames = readProtocol(source);
  const protocol = options.aliases === "all" ? allNames : { ...allNames, legacy: [] };
  const chosen = namesOf(targets);
  const planned = await planTargets(targets, protocol);
  const versions = await versionOutputs(source.versions ?? [], { own: allNames, chosen });
  const files = [...filesOf(planned), ...versions.flatMap((version) => version.files)];
  const extensions = await extensionOutputs(source.extensions ?? [], modulesOf(files));
  const index = indexFile(protocol, planned.exports, importedBy(files));
  const ownFiles =
    options.runtimeImport === undefined
      ? files
      : withLibrary(files, planned.kit, { source, protocol: allNames }, librarySource);
  return {
    title: source.title,
    protocol,
    services: hasServices(protocol) ? [{ folder: "", protocol, exports: planned.exports }] : [],
    chosen,
    files: [
      ...headed({ source, sourceFiles: ownFiles }, options),
      ...(index === undefined
        ? []
        : [{ plan: index, header: headersOf(source, options.generator).index }]),
      ...[...versions, ...extensions].flatMap((output) => headed(output, options)),
    ],
    exports: planned.exports,
    kit: planned.kit,
    versions,
    omissions: [
      ...omissionsOf(protocol, planned.omissions, chosen),
      ...extensions.flatMap(({ omissions }) => omissions),
    ],
    dropped: chosen.has("legacy") ? missingFrom(protocol.legacy, allNames.legacy) : [],
  };
}

/** Returns the modules that files import or export. */
export function importedBy(files: readonly FilePlan[]): Set<string> {
  const statements = files.flatMap(({ imports, exports }) => [...imports, ...exports]);
  return new Set(statements.map(({ module }) => module));
}

function modulesOf(files: readonly FilePlan[]): Set<string> {
  return new Set(files.map(({ path }) => path.replace(/\.ts$/, "")));
}

/** Returns files with the header that names their specification. */
export function headed(
  { source, sourceFiles }: Pick<VersionOutput, "source" | "sourceFiles">,
  { generator }: GenerateOptions,
): PlannedFile[] {
  const { file: header } = headersOf(source, generator);
  return sourceFiles.map((plan) => ({ plan, header }));
}

function missingFrom(kept: readonly LegacyDef[], all: readonly LegacyDef[]): LegacyDef[] {
  return all.filter((name) => !kept.includes(name));
}

/**
 * Returns the omissions of the selected targets. If a whole target is missing, its other omissions
 * are not listed.
 */
export function omissionsOf(
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
