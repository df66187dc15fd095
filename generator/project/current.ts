import { specRegistry } from "../input/registry.js";
import { extraFiles } from "../output/drift.js";
import { formattedFiles } from "../output/hashes.js";
import { isSameOrigin } from "../output/lock.js";
import type { PackageNeeds } from "../output/package.js";
import type { Changes } from "../output/write.js";
import { deletedAgent, isAgentAmong, isAgentMissing, ownFiles } from "./agent-file.js";
import { readInput, type Run } from "./input.js";
import type { GenerateResult } from "./result.js";
import { resolveEachSettings, type ListedRequest } from "./settings.js";

export const noChanges: Changes = { written: [], unchanged: [], removed: [] };
export const noNeeds: PackageNeeds = {
  missing: [],
  isOptional: false,
  commonJs: false,
  isNext: false,
};

/**
 * Returns the results for every specification that the request or the configuration names, if all
 * outputs are up to date; otherwise `undefined`. Does not load the generator.
 *
 * @throws InputError if the request is invalid
 */
export async function resultsIfCurrent(
  request: ListedRequest,
): Promise<GenerateResult[] | undefined> {
  const results: GenerateResult[] = [];
  for (const settings of await resolveEachSettings(request, specRegistry(request.cwd))) {
    const result = resultIfCurrent(readInput(request, settings));
    if (result === undefined) return undefined;
    results.push(result);
  }
  return results;
}

/** Returns the result of a run if the hashes of the inputs show that the output is up to date. */
export function resultIfCurrent(run: Run): GenerateResult | undefined {
  const { request, settings, origin, lock, result } = run;
  const { out } = settings;
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
  const isComplete = extraFiles(out, [lock], ownFiles(settings, lock)).length === 0;
  return isComplete ? { ...current, drift: [], formatted } : undefined;
}
