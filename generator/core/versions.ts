import type { SpecSource } from "../input/source.js";
import type { Protocol } from "../protocol/model/types.js";
import type { FilePlan } from "../emit/plan.js";
import type { ValueRef } from "../emit/symbols.js";
import { runtimeFolder } from "../emit/runtime-modules.js";
import { adaptedTargets, planAdapter } from "../targets/versions/adapter.js";
import { Diagnostics } from "../support/diagnostics.js";
import type { AdaptedVersion, Generated, GenerateOptions, OutputFile } from "./contract.js";
import { readProtocol } from "./read.js";

/** What an output has besides to speak another version. */
export interface VersionOutput extends AdaptedVersion {
  /** The tables and types of the other version, as they are written. */
  readonly files: readonly OutputFile[];
  /** The adapter itself. */
  readonly plans: readonly FilePlan[];
  /** The runtime modules that the other version needs. */
  readonly runtime: readonly OutputFile[];
  /** The adapter that `createAgent` takes, if there is a server. */
  readonly served: ValueRef | undefined;
}

/** What the adapters of an output go by. */
export interface VersionRun {
  readonly own: Protocol;
  readonly chosen: ReadonlySet<string>;
  readonly options: GenerateOptions;
  /** Generates the output of a version by itself. */
  readonly generate: (source: SpecSource, options: GenerateOptions) => Promise<Generated>;
}

/**
 * Returns what an output has to speak other versions. Throws an `InputError` for versions that cannot be adapted, for
 * two of the same number on the wire, and for targets without models.
 */
export async function versionOutputs(sources: readonly SpecSource[], run: VersionRun): Promise<VersionOutput[]> {
  const read = sources.map((source) => ({ source, protocol: readProtocol(source) }));
  checkVersions(read, run);
  const outputs: VersionOutput[] = [];
  for (const { source, protocol } of read) outputs.push(await versionOutput(source, protocol, run));
  return outputs;
}

interface ReadVersion {
  readonly source: SpecSource;
  readonly protocol: Protocol;
}

function checkVersions(read: readonly ReadVersion[], { own, chosen }: VersionRun): void {
  const diagnostics = new Diagnostics();
  const taken = new Map<string, string>();
  if (own.binding === undefined && read.length > 0)
    diagnostics.add(undefined, "a specification without a manifest has no versions", "Leave out the versions");
  else if (own.binding !== undefined) taken.set(own.binding.wireVersion, own.title);
  for (const { source, protocol } of read) {
    const { binding } = protocol;
    if (binding === undefined) {
      diagnostics.add(undefined, `${source.title} has no manifest, and so no adapter`, "Name a bundled version");
      continue;
    }
    const other = taken.get(binding.wireVersion);
    const isOwn = binding.wireVersion === own.binding?.wireVersion;
    const message = isOwn
      ? `the versions have ${binding.wireVersion}, which the output speaks without an adapter`
      : `the versions have both ${source.title} and ${other ?? ""}, which are ${binding.wireVersion} on the wire`;
    const hint = isOwn ? `Leave ${binding.wireVersion} out of the versions` : "Leave one of them out";
    if (other !== undefined) diagnostics.add(undefined, message, hint);
    taken.set(binding.wireVersion, source.title);
  }
  if (read.length > 0 && !chosen.has("models"))
    diagnostics.add(undefined, "versions are converted by their models", "Add models, client or server to the targets");
  diagnostics.throwIfAny();
}

async function versionOutput(
  source: SpecSource,
  protocol: Protocol,
  { own, chosen, options, generate }: VersionRun,
): Promise<VersionOutput> {
  const { files: plans, losses, folder, served } = planAdapter(own, protocol, chosen);
  const generated = await generate(source, {
    targets: adaptedTargets(chosen),
    importExtension: options.importExtension,
    aliases: "none",
    dropExpired: false,
    generator: options.generator,
    runtimeImport: runtimeBelow(folder, options.runtimeImport),
  });
  const isOwn = (path: string): boolean => plans.some((plan) => plan.path === `${folder}/${path}`);
  const files = generated.files
    .filter(({ path }) => !isOwn(path))
    .map(({ path, text }) => ({ path: `${folder}/${path}`, text }));
  return { title: source.title, folder, files, plans, losses, served, runtime: generated.runtime };
}

/** Returns how `index.ts` of a folder below the output refers to the runtime modules. */
function runtimeBelow(folder: string, runtimeImport = `./${runtimeFolder.slice(0, -1)}`): string {
  if (!runtimeImport.startsWith(".")) return runtimeImport;
  const up = "../".repeat(folder.split("/").length);
  return up + (runtimeImport.startsWith("./") ? runtimeImport.slice("./".length) : runtimeImport);
}
