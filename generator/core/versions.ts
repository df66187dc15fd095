import type { SpecSource } from "../input/source.js";
import type { Protocol } from "../protocol/model/types.js";
import type { FilePlan } from "../emit/plan.js";
import { relocated } from "../emit/relocate.js";
import { planAdapter, type AdapterPlan } from "../targets/versions/adapter.js";
import { planVersionFiles } from "../targets/versions/version-files.js";
import { Diagnostics } from "../../support/diagnostics.js";
import { readProtocol } from "./read.js";

/** The output of an adapter for another version. */
export interface VersionOutput extends Omit<AdapterPlan, "types"> {
  readonly source: SpecSource;
  /** The models, schemas, tables and codecs of the other version. */
  readonly sourceFiles: readonly FilePlan[];
}

/** The version of an output, with its targets. */
export interface VersionRun {
  readonly own: Protocol;
  readonly chosen: ReadonlySet<string>;
}

/**
 * Returns the adapters of an output.
 *
 * @throws InputError if a version cannot be adapted, if two versions have the same number on the
 *   wire, or if the selected targets do not include the models
 */
export async function versionOutputs(
  sources: readonly SpecSource[],
  run: VersionRun,
): Promise<VersionOutput[]> {
  const read = sources.map((source) => ({ source, protocol: readProtocol(source) }));
  checkVersions(read, run);
  const outputs: VersionOutput[] = [];
  for (const { source, protocol } of read) {
    const { types, ...plan } = planAdapter(run.own, protocol, run.chosen);
    const files = await planVersionFiles(protocol, types, run.chosen);
    outputs.push({
      source,
      ...plan,
      sourceFiles: files.map((file) => relocated(file, plan.folder)),
    });
  }
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
    diagnostics.add(
      undefined,
      "the specification has no manifest, so other versions cannot be added",
      "Remove the versions, or add a manifest",
    );
  else if (own.binding !== undefined) taken.set(own.binding.wireVersion, own.title);
  for (const version of read) reportVersion(version, own, taken, diagnostics);
  if (read.length > 0 && !chosen.has("models"))
    diagnostics.add(
      undefined,
      "adapters for other versions require models",
      "Add models, client or server to the targets",
    );
  diagnostics.throwIfAny();
}

/**
 * Reports a version without a manifest, or with the number of an earlier version. `taken` contains
 * the titles of the earlier versions by number.
 */
function reportVersion(
  { source, protocol }: ReadVersion,
  own: Protocol,
  taken: Map<string, string>,
  diagnostics: Diagnostics,
): void {
  const { title } = source;
  const number = protocol.binding?.wireVersion;
  if (number === undefined) {
    const message = `${title} has no manifest, so it cannot be adapted`;
    diagnostics.add(undefined, message, "Specify a bundled version");
    return;
  }
  const earlier = taken.get(number);
  taken.set(number, title);
  if (number === own.binding?.wireVersion)
    diagnostics.add(
      undefined,
      `the versions contain ${number}, which the output supports without an adapter`,
      `Remove ${number} from the versions`,
    );
  else if (earlier !== undefined)
    diagnostics.add(
      undefined,
      `the versions contain ${title} and ${earlier}, which both have the wire version ${number}`,
      "Remove one of them",
    );
}
