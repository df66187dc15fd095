import { resolve } from "node:path";
import { loadAssets as loadAssetsFrom, type Overrides } from "../project/assets.js";
import { checkFiles, checkOptions, checkRequest } from "../project/check-config.js";
import { generate as generateWith } from "../core/generate.js";
import { defaults, type Assets, type Generated, type GenerateOptions } from "../core/contract.js";
import { readProtocol as readSource } from "../core/read.js";
import { bundledFolder, SpecRegistry } from "../input/registry.js";
import type { SpecSource } from "../input/source.js";
import type { Protocol } from "../protocol/model/types.js";
import * as project from "../project/project.js";
import type { GenerateRequest, GenerateResult, ListedRequest } from "../project/project.js";
import { defaultTargets } from "../targets/registry.js";
import { packageVersion } from "../../support/package-folder.js";
import { InputError } from "../../support/diagnostics.js";
import { checkAssets, checkOverrides, checkSource, checkText, checkTexts } from "./check.js";

/** A request with paths relative to `cwd`. By default, `cwd` is the working directory. */
type InFolder<Request> = Omit<Request, "cwd"> & { readonly cwd?: string };

/**
 * Returns a registry of the bundled specifications and the user's own specifications. Paths are
 * relative to `cwd`.
 *
 * @throws InputError if `cwd` is not a path
 */
export function specRegistry(cwd: string = process.cwd()): SpecRegistry {
  checkText(cwd, "cwd", "Pass the folder that paths are relative to, or omit it");
  return new CheckedRegistry(bundledFolder, cwd);
}

/** A registry that checks its arguments, because callers may be written in JavaScript. */
class CheckedRegistry extends SpecRegistry {
  override idOf(spec: string): string | undefined {
    checkText(spec, "spec", "Pass the name of a version");
    return super.idOf(spec);
  }

  override find(spec: string, files: Parameters<SpecRegistry["find"]>[1] = {}): SpecSource {
    checkText(spec, "spec", "Pass a version, or the path of a proto or JSON Schema");
    checkFiles(files);
    return super.find(spec, files);
  }

  override packages(
    protos: readonly string[],
    files: Parameters<SpecRegistry["packages"]>[1] = {},
  ): SpecSource {
    checkTexts(protos, "protos", "Pass a list with the paths of protos and folders");
    checkFiles(files);
    return super.packages(protos, files);
  }
}

/**
 * Parses a specification into a protocol.
 *
 * @throws InputError with every error in the specification, or if `source` is not a specification
 */
export function readProtocol(source: SpecSource): Protocol {
  checkSource(source);
  if (source.packages !== undefined)
    throw new InputError({
      message: "the source has several packages",
      hint: "Pass one of its `packages`",
    });
  return readSource(source);
}

/**
 * Returns the templates and the support modules. Files in `overrides` replace the templates with
 * the same path.
 *
 * @throws InputError if the folder does not exist, or if one of its files does not match a template
 */
export function loadAssets(overrides?: Overrides): Assets {
  checkOverrides(overrides);
  return loadAssetsFrom(overrides);
}

/**
 * Generates the output for a specification in memory, without reading or writing files. Options
 * have the same defaults as `generate` on the command line, but the output has copies of its
 * support modules unless `runtimeImport` is set.
 *
 * @throws InputError if the specification or an option is invalid
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
    importExtension = defaults.importExtension,
    aliases = defaults.aliases,
    generator = packageVersion(),
    agentImport,
    runtimeImport,
  } = options;
  const chosen = { targets, importExtension, aliases, generator };
  return await generateWith(source, assets, {
    ...chosen,
    ...(agentImport !== undefined && { agentImport }),
    ...(runtimeImport !== undefined && { runtimeImport }),
  });
}

/**
 * Generates into a project, like `generate` on the command line: finds the configuration and the
 * specification, generates the output, and writes it.
 *
 * @throws InputError if the request or the project is invalid. In this case, the project stays
 *   unchanged
 */
export async function generateInto(
  request: InFolder<GenerateRequest> = {},
): Promise<GenerateResult> {
  checkRequest(request, "one");
  return await project.generateInto({ ...request, cwd: resolve(request.cwd ?? ".") });
}

/**
 * Generates like {@link generateInto}, once for every specification that the request or the
 * configuration names. Each output has its own folder below the output folder. `all` selects the
 * bundled specifications. A list of protos and folders has one output with a folder for each
 * package. If an output cannot be generated, nothing is written.
 */
export async function generateEach(
  request: InFolder<ListedRequest> = {},
): Promise<GenerateResult[]> {
  checkRequest(request, "several");
  return await project.generateEach({ ...request, cwd: resolve(request.cwd ?? ".") });
}
