import { specRegistry } from "../input/registry.js";
import { checkAgentPath, type UserTexts } from "./agent-file.js";
import { prepareChanges } from "./changes.js";
import { comparedResult } from "./compare.js";
import { resultIfCurrent } from "./current.js";
import { readInput, type RunRequest } from "./input.js";
import type { GenerateResult, Prepared } from "./result.js";
import {
  resolveEachSettings,
  resolveSettings,
  type GenerateRequest,
  type ListedRequest,
  type Settings,
} from "./settings.js";

export type { AdaptedVersion } from "../core/contract.js";
export type { GenerateResult, Prepared } from "./result.js";
export type { GenerateRequest, ListedRequest } from "./settings.js";

/**
 * Generates into a project: finds the configuration and the specification, generates, and writes
 * the output.
 *
 * @throws InputError if the request is invalid. In this case, the project stays unchanged
 */
export async function generateInto(request: GenerateRequest): Promise<GenerateResult> {
  const { write } = await prepare(request, await resolveSettings(request));
  return write();
}

/**
 * Generates like {@link generateInto}, once for every specification that the request or the
 * configuration names. Each output has its own folder below the output folder. If an output cannot
 * be generated, nothing is written.
 */
export async function generateEach(request: ListedRequest): Promise<GenerateResult[]> {
  return (await prepareEach(request)).map(({ write }) => write());
}

/**
 * Prepares a run for every specification that the request or the configuration names, without
 * changing the project.
 */
export async function prepareEach(request: ListedRequest): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const settings of await resolveEachSettings(request, specRegistry(request.cwd)))
    prepared.push(await prepare(request, settings));
  return prepared;
}

/**
 * Prepares a run without changing the project. `userText` returns the pending texts of the user's
 * files. A caller that passes it must write these files itself.
 */
export async function prepare(
  request: RunRequest,
  settings: Settings,
  userText?: UserTexts,
): Promise<Prepared> {
  const run = readInput(request, settings);
  const current = resultIfCurrent(run);
  if (current !== undefined) return { result: current, write: () => current };
  // Runs without changes do not load the generator.
  const { generate } = await import("../core/generate.js");
  const { defaultTargets } = await import("../targets/registry.js");
  const { options, locationOfTarget } = settings;
  const chosen = { ...options, targets: options.targets ?? defaultTargets() };
  const { source, assets } = run.read();
  const generated = await generate(source, assets, chosen, locationOfTarget);
  checkAgentPath(run, generated);
  if (request.check !== true) return prepareChanges(run, { generated, userText });
  const result = await comparedResult(run, generated);
  return { result, write: () => result };
}
