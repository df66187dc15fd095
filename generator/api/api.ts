import { resolve } from "node:path";
import { loadAssets as loadAssetsFrom, packageVersion, type Overrides } from "../project/assets.js";
import { checkFiles, checkOptions, checkRequest } from "../project/check-config.js";
import { generate as generateWith } from "../core/generate.js";
import type { Assets, Generated, GenerateOptions } from "../core/contract.js";
import { readProtocol as readSource } from "../core/read.js";
import { bundledFolder, SpecRegistry } from "../input/registry.js";
import type { SpecSource } from "../input/source.js";
import type { Protocol } from "../protocol/model/types.js";
import * as project from "../project/project.js";
import type { GenerateRequest, GenerateResult, ListedRequest } from "../project/project.js";
import { defaultTargets } from "../targets/registry.js";
import { checkAssets, checkOverrides, checkSource, checkText } from "./check.js";

/** A request whose paths are relative to `cwd`, by default the working directory. */
type InFolder<Request> = Omit<Request, "cwd"> & { readonly cwd?: string };

/**
 * The specifications that come with the package, and those of the user by paths relative to `cwd`. Throws an `InputError`
 * if that is no path.
 */
export function specRegistry(cwd: string = process.cwd()): SpecRegistry {
  checkText(cwd, "cwd", "Give the folder that paths are relative to, or nothing");
  return new CheckedRegistry(bundledFolder, cwd);
}

/** A registry that programs without a compiler ask. */
class CheckedRegistry extends SpecRegistry {
  override idOf(spec: string): string | undefined {
    checkText(spec, "spec", "Give the name of a version");
    return super.idOf(spec);
  }

  override find(spec: string, files: Parameters<SpecRegistry["find"]>[1] = {}): SpecSource {
    checkText(spec, "spec", "Give a version, or the path of a proto or JSON Schema");
    checkFiles(files);
    return super.find(spec, files);
  }
}

/**
 * Returns what a specification says. Throws an `InputError` with everything that is wrong with it, or if it is none.
 */
export function readProtocol(source: SpecSource): Protocol {
  checkSource(source);
  return readSource(source);
}

/**
 * Returns the templates and the modules of the runtime; files of `overrides` replace templates of the same path. Throws an
 * `InputError` if there is no such folder, or if a file in it replaces nothing.
 */
export function loadAssets(overrides?: Overrides): Assets {
  checkOverrides(overrides);
  return loadAssetsFrom(overrides);
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
  checkSource(source);
  checkOptions(options);
  checkAssets(assets);
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
