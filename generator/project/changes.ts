import { existsSync, rmSync } from "node:fs";
import { relative } from "node:path";
import type { Generated } from "../core/contract.js";
import { resolvesInto } from "../../support/real-path.js";
import { libraryName } from "../core/package-names.js";
import { extraFiles } from "../output/drift.js";
import { hashesOf, type Hashes } from "../output/hashes.js";
import { targetsOf, type Lock } from "../output/lock.js";
import { packageNeeds } from "../output/package.js";
import { createOnce } from "../output/replace.js";
import { checkReplaceable, planChanges, writeOutput, type Changes } from "../output/write.js";
import { mergeAgent, type PreparedMerge } from "./agent.js";
import { deletedAgent, ownFiles, type UserTexts } from "./agent-file.js";
import {
  filesToMerge,
  hasImplementation,
  implementationMembers,
  planImplementations,
  userRecord,
  type Implementations,
} from "./implementations.js";
import type { Run } from "./input.js";
import { lockOf } from "./origin.js";
import type { GenerateResult, Prepared } from "./result.js";

/** Output to write. */
interface Output {
  readonly generated: Generated;
  /** Pending texts of a caller that writes the user's files itself. */
  readonly userText: UserTexts | undefined;
}

/** Step of a run that changes files of the user around the rest of the run. */
type Around = (rest: () => void) => void;

/** Planned changes of a run. */
interface Plan {
  readonly result: GenerateResult & { readonly generated: Generated };
  readonly lock: Lock;
  /** Changes of the user's files that the run itself writes. */
  readonly around: readonly Around[];
  /** New files of the user, by their absolute paths. */
  readonly created: ReadonlyMap<string, string>;
}

/** Plans the changes of a run, without making them. */
export async function prepareChanges(run: Run, output: Output): Promise<Prepared> {
  const { request, settings, lock } = run;
  const { generated, userText } = output;
  const { out, agent } = settings;
  const hashes = hashesOf(generated.files, lock);
  const folder = { out, shown: run.result.out, lock, force: request.force === true };
  const changes = planChanges(folder, hashes);
  checkReplaceable(out, run.result.out);
  const isDryRun = request.dryRun === true;
  const implementations = planImplementations(run, generated, userText);
  const merges: PreparedMerge[] = [];
  for (const file of filesToMerge(run, generated, implementations, userText))
    merges.push(await mergeAgent(file, generated, isDryRun));
  const created = createdFiles(run, generated, implementations);
  const reports = new Map(merges.map(({ path, report }) => [path, report]));
  const merge = agent === undefined ? undefined : reports.get(agent);
  const isCreated = agent !== undefined && created.has(agent);
  const result = {
    ...run.result,
    ...(await reportOf(run, changes, generated, hashes)),
    ...(isCreated && { agent: relative(request.cwd, agent) }),
    ...(merge && { merge }),
    ...implementationMembers(run, implementations, reports),
  };
  const { update } = implementations;
  const users = update === undefined ? merges : [...merges, update];
  const plan = {
    result,
    lock: lockOf(run.origin, userRecord(run, generated, implementations, reports), hashes),
    around: userText === undefined ? users.map(({ around }) => around) : [],
    created,
  };
  const write = (): GenerateResult => (isDryRun ? result : writeChanges(run, plan));
  return { result, write, users, created };
}

/** Returns the new files of the user. A skeleton that the user has deleted is not created again. */
function createdFiles(
  run: Run,
  generated: Generated,
  { files }: Implementations,
): ReadonlyMap<string, string> {
  const { agent } = run.settings;
  const isNew = agent !== undefined && !existsSync(agent) && deletedAgent(run) === undefined;
  const program = isNew && generated.agent !== undefined ? [[agent, generated.agent] as const] : [];
  const created = files.filter(({ state }) => state === "created");
  return new Map([...created.map(({ path, text }) => [path, text] as const), ...program]);
}

/** Returns what the result of a run reports, except the merge. */
async function reportOf(run: Run, changes: Changes, generated: Generated, hashes: Hashes) {
  const { request, settings, lock } = run;
  const { out, agent } = settings;
  const deleted = deletedAgent(run);
  const isIgnored = agent !== undefined && !hasImplementation(generated);
  const added = request.addsLibrary === true ? [libraryName] : [];
  return {
    ...(deleted !== undefined && { deletedAgent: deleted }),
    changes,
    droppedTargets: await targetsDropped(run),
    others: lock === undefined ? extraFiles(out, [hashes], ownFiles(settings, lock)) : [],
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

/**
 * Writes the output, the merged files and the new files of the user together. The user's files are
 * written before the lock file, so that the run after an interrupted run creates what is missing. In
 * the output folder, a new file must follow the output, which replaces the folder.
 */
function writeChanges({ settings }: Run, { result, lock, around, created }: Plan): GenerateResult {
  const writeFiles = (): void => {
    const written: string[] = [];
    const create = (isInOutput: boolean): void => {
      for (const [path, text] of created)
        if (resolvesInto(path, [settings.out]) === isInOutput && createOnce(path, text))
          written.push(path);
    };
    try {
      create(false);
      writeOutput(settings.out, result.generated.files, lock, result.changes);
      create(true);
    } catch (error) {
      for (const path of written) rmSync(path, { force: true });
      throw error;
    }
  };
  around.reduceRight<() => void>(
    (rest, each) => () => {
      each(rest);
    },
    writeFiles,
  )();
  return result;
}
