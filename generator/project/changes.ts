import { relative } from "node:path";
import type { Generated } from "../core/contract.js";
import { libraryName } from "../core/package-names.js";
import { extraFiles } from "../output/drift.js";
import { hashesOf, type Hashes } from "../output/hashes.js";
import { targetsOf } from "../output/lock.js";
import { packageNeeds } from "../output/package.js";
import { createOnce } from "../output/replace.js";
import { checkReplaceable, planChanges, writeOutput, type Changes } from "../output/write.js";
import { mergeAgent, type AgentFile, type PreparedMerge } from "./agent.js";
import { agentIn, deletedAgent } from "./agent-file.js";
import type { Run } from "./input.js";
import { lockOf } from "./origin.js";
import type { GenerateResult, Prepared } from "./result.js";

/** Output to write, and the user's file to merge new methods into. */
interface Output {
  readonly generated: Generated;
  readonly agent: AgentFile | undefined;
  /** Whether the caller writes the user's file, because it changes the file as well. */
  readonly isUserWritten: boolean;
}

/** Planned changes of a run. */
interface Plan {
  readonly result: GenerateResult & { readonly generated: Generated };
  readonly hashes: Hashes;
  /** Merge that the run itself writes. */
  readonly merge: PreparedMerge | undefined;
}

/** Plans the changes of a run, without making them. */
export async function prepareChanges(run: Run, output: Output): Promise<Prepared> {
  const { request, settings, lock } = run;
  const { generated, agent, isUserWritten } = output;
  const { out } = settings;
  const hashes = hashesOf(generated.files, lock);
  const folder = { out, shown: run.result.out, lock, force: request.force === true };
  const changes = planChanges(folder, hashes);
  checkReplaceable(out, run.result.out);
  const isDryRun = request.dryRun === true;
  const merge = agent && (await mergeAgent(agent, generated, isDryRun));
  const result = {
    ...run.result,
    ...(await reportOf(run, changes, generated, hashes)),
    ...(merge && { merge: merge.report }),
  };
  const plan = { result, hashes, merge: isUserWritten ? undefined : merge };
  const write = (): GenerateResult => (isDryRun ? result : writeChanges(run, plan));
  const user = agent &&
    merge && { path: agent.path, text: merge.text, insertions: merge.insertions };
  return { result, write, ...(user && { user }) };
}

/** Returns what the result of a run reports, except the merge. */
async function reportOf(run: Run, changes: Changes, generated: Generated, hashes: Hashes) {
  const { request, settings, lock } = run;
  const { out, agent } = settings;
  const deleted = deletedAgent(run);
  const isIgnored = agent !== undefined && generated.service === undefined;
  const added = request.addsLibrary === true ? [libraryName] : [];
  return {
    ...(deleted !== undefined && { deletedAgent: deleted }),
    changes,
    droppedTargets: await targetsDropped(run),
    others: lock === undefined ? extraFiles(out, [hashes], agent) : [],
    generated,
    needs: packageNeeds([...generated.files, ...generated.library], out, {
      added,
      hasDefaultTargets: settings.options.targets === undefined,
    }),
    ...(isIgnored && { ignoredAgent: relative(request.cwd, agent) }),
  };
}

/** Returns the targets of the previous run that are no longer chosen. */
async function targetsDropped({ lock, settings }: Run): Promise<string[]> {
  if (lock === undefined) return [];
  const { droppedTargets, defaultTargets } = await import("../targets/registry.js");
  const chosen = settings.options.targets ?? defaultTargets();
  return droppedTargets(targetsOf(lock) ?? defaultTargets(), chosen);
}

/** Writes the output and the merged file together, and then the skeleton if it does not exist. */
function writeChanges(run: Run, { result, hashes, merge }: Plan): GenerateResult {
  const { request, settings, origin } = run;
  const { out, agent } = settings;
  const { generated } = result;
  const writeFiles = (): void => {
    const lock = lockOf(origin, result, hashes, agentIn(settings));
    writeOutput(out, generated.files, lock, result.changes);
  };
  if (merge === undefined) writeFiles();
  else merge.around(writeFiles);
  const skeleton = result.deletedAgent === undefined ? generated.agent : undefined;
  if (agent === undefined || skeleton === undefined || !createOnce(agent, skeleton)) return result;
  return { ...result, agent: relative(request.cwd, agent) };
}
