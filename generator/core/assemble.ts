import type { LossDef, Protocol } from "../protocol/model/types.js";
import { transports } from "../targets/transports/table.js";
import type { Generated, GenerateOptions, OutputFile } from "./contract.js";
import type { OutputPlan } from "./plan-output.js";
import type { RenderedOutput } from "./render-output.js";

/**
 * Combines the results of all steps. The files are in the order of their paths, which does not
 * depend on the order of the targets.
 */
export function assemble(
  plan: OutputPlan,
  modules: readonly OutputFile[],
  { files, agent, service, implementations }: RenderedOutput,
  { runtimeImport }: Pick<GenerateOptions, "runtimeImport">,
): Generated {
  const { title, packages, protocol, chosen, omissions, versions, dropped } = plan;
  const isCopied = runtimeImport === undefined;
  return {
    title,
    ...(packages && { packages }),
    files: [...files, ...(isCopied ? modules : [])].sort((a, b) => (a.path < b.path ? -1 : 1)),
    library: isCopied ? [] : modules,
    agent,
    service,
    implementations,
    omissions,
    losses: lossesOf(protocol, chosen),
    versions: versions.map(({ source, folder, losses }) => ({
      title: source.title,
      folder,
      losses,
    })),
    dropped,
    counts: countsOf(protocol),
  };
}

/** Returns the losses of the selected bindings, in the order of their names. */
function lossesOf({ losses }: Protocol, chosen: ReadonlySet<string>): LossDef[] {
  // If no selected binding uses the proto, all bindings support the whole model, and nothing is
  // lost.
  const isProtoUsed = transports.some(
    ({ name, carries }) => carries !== "model" && chosen.has(name),
  );
  if (!isProtoUsed) return [];
  const key = ({ type, field }: LossDef): string => `${type}.${field}`;
  return losses
    .map((loss) => ({ ...loss, bindings: loss.bindings.filter((name) => chosen.has(name)) }))
    .filter(({ bindings }) => bindings.length > 0)
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function countsOf({ types, operations, binding }: Protocol): Generated["counts"] {
  const countOf = (wanted: Protocol["types"][number]["kind"]): number =>
    types.filter(({ kind }) => kind === wanted).length;
  return {
    messages: countOf("message"),
    enums: countOf("enum"),
    operations: operations.length,
    errors: binding?.errors.length ?? 0,
  };
}
