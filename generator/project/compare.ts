import type { Generated } from "../core/contract.js";
import { extraFiles, findDrift } from "../output/drift.js";
import { compareFile, formattedFiles, hashesOf } from "../output/hashes.js";
import { isSameOrigin } from "../output/lock.js";
import type { PackageNeeds } from "../output/package.js";
import type { Changes } from "../output/write.js";
import { compareAgent, type AgentFile } from "./agent.js";
import { agentIn, deletedAgent, isAgentAmong, isAgentMissing } from "./agent-file.js";
import type { Run } from "./input.js";
import { lockOf } from "./origin.js";
import type { GenerateResult } from "./result.js";

const noChanges: Changes = { written: [], unchanged: [], removed: [] };
const noNeeds: PackageNeeds = {
  missing: [],
  isOptional: false,
  commonJs: false,
  isNext: false,
};

/** Returns the result of a run if the hashes of the inputs show that the output is up to date. */
export function resultIfCurrent(run: Run): GenerateResult | undefined {
  const { request, settings, origin, lock, result } = run;
  const { out, agent } = settings;
  if (request.verbose === true) return undefined;
  if (lock === undefined || !isSameOrigin(lock, origin) || isAgentMissing(run, lock))
    return undefined;
  const formatted = formattedFiles(out, lock);
  const unchanged = Object.keys(lock.files);
  if (formatted === undefined || isAgentAmong(unchanged, settings)) return undefined;
  const deleted = deletedAgent(run);
  const current = {
    ...result,
    ...(deleted !== undefined && { deletedAgent: deleted }),
    changes: { ...noChanges, unchanged },
    needs: noNeeds,
  };
  if (request.check !== true) return current;
  const isComplete = extraFiles(out, [lock], agent).length === 0;
  return isComplete ? { ...current, drift: [], formatted } : undefined;
}

/** Returns the result of a run that only compares the output with the files of the folder. */
export async function comparedResult(
  { settings, origin, lock, result }: Run,
  generated: Generated,
  agent: AgentFile | undefined,
): Promise<GenerateResult> {
  const { out, agent: skeleton } = settings;
  const hashes = hashesOf(generated.files, lock);
  const expected = lockOf(origin, { generated }, hashes, agentIn(settings));
  const drift = findDrift(out, lock, expected, skeleton);
  const paths = generated.files.map(({ path }) => path);
  const formatted = paths.filter((path) => compareFile(out, path, expected) === "formatted");
  const merge = agent && (await compareAgent(agent, generated));
  const changes = { changes: noChanges, drift, formatted, generated, needs: noNeeds };
  return { ...result, ...changes, ...(merge && { merge }) };
}
