import { resolve } from "node:path";
import { loadAssets, packageVersion } from "../project/assets.js";
import { checkOptions, checkRequest } from "../project/check-config.js";
import { generate as generateWith } from "../core/generate.js";
import type { Assets, Generated, GenerateOptions } from "../core/contract.js";
import { specRegistry as registryFor, type SpecRegistry } from "../input/registry.js";
import type { SpecSource } from "../input/source.js";
import * as project from "../project/project.js";
import type { GenerateRequest, GenerateResult, ListedRequest } from "../project/project.js";
import { defaultTargets } from "../targets/registry.js";

/** A request whose paths are relative to `cwd`, by default the working directory. */
type InFolder<Request> = Omit<Request, "cwd"> & { readonly cwd?: string };

/** The specifications that come with the package, and those of the user by paths relative to `cwd`. */
export function specRegistry(cwd: string = process.cwd()): SpecRegistry {
  return registryFor(cwd);
}

/**
 * Generates the output for a specification: strings in, strings out, and nothing is written. The defaults of the options
 * are those of `generate` on the command line. Throws an `InputError` for a specification or an option that is wrong.
 */
export async function generate(
  source: SpecSource,
  options: Partial<GenerateOptions> = {},
  assets: Assets = loadAssets(),
): Promise<Generated> {
  checkOptions(options);
  const {
    targets = defaultTargets(),
    importExtension = "js",
    aliases = "all",
    dropExpired = false,
    generator = packageVersion(),
    agentImport,
    runtimeImport,
  } = options;
  const chosen = { targets, importExtension, aliases, dropExpired, generator };
  return await generateWith(source, assets, {
    ...chosen,
    ...(agentImport !== undefined && { agentImport }),
    ...(runtimeImport !== undefined && { runtimeImport }),
  });
}

/**
 * Generates into a project, as `generate` on the command line does: finds configuration and specification, generates,
 * and puts the output in place. Throws an `InputError` for anything that is wrong with the request or the project, which
 * is then left as it was.
 */
export async function generateInto(request: InFolder<GenerateRequest> = {}): Promise<GenerateResult> {
  checkRequest(request, "one");
  return await project.generateInto({ ...request, cwd: resolve(request.cwd ?? ".") });
}

/**
 * Generates as {@link generateInto} does, but every specification that the request or the configuration names: each into
 * a folder of its own below the output folder. `all` stands for those that come with the package. Nothing is written
 * unless all of them can be.
 */
export async function generateEach(request: InFolder<ListedRequest> = {}): Promise<GenerateResult[]> {
  checkRequest(request, "several");
  return await project.generateEach({ ...request, cwd: resolve(request.cwd ?? ".") });
}
