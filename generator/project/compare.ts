import type { Generated } from "../core/contract.js";
import { findDrift } from "../output/drift.js";
import { compareFile, hashesOf } from "../output/hashes.js";
import { compareAgent, type AgentReport } from "./agent.js";
import { ownFiles } from "./agent-file.js";
import { noChanges, noNeeds } from "./current.js";
import {
  filesToMerge,
  implementationMembers,
  planImplementations,
  userRecord,
} from "./implementations.js";
import type { Run } from "./input.js";
import { lockOf } from "./origin.js";
import type { GenerateResult } from "./result.js";

/** Returns the result of a run that only compares the output with the files of the folder. */
export async function comparedResult(run: Run, generated: Generated): Promise<GenerateResult> {
  const { settings, origin, lock, result } = run;
  const { out, agent } = settings;
  const hashes = hashesOf(generated.files, lock);
  const implementations = planImplementations(run, generated);
  const merges = new Map<string, AgentReport>();
  for (const file of filesToMerge(run, generated, implementations))
    merges.set(file.path, await compareAgent(file, generated));
  const expected = lockOf(origin, userRecord(run, generated, implementations, merges), hashes);
  const drift = findDrift(out, lock, expected, ownFiles(settings, expected));
  const paths = generated.files.map(({ path }) => path);
  const formatted = paths.filter((path) => compareFile(out, path, expected) === "formatted");
  const merge = agent === undefined ? undefined : merges.get(agent);
  return {
    ...result,
    changes: noChanges,
    drift,
    formatted,
    generated,
    needs: noNeeds,
    ...(merge && { merge }),
    ...implementationMembers(run, implementations, merges),
  };
}
