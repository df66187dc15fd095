import { realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { specRegistry } from "../input/registry.js";
import { existingLock } from "../output/lock.js";
import { recover } from "../output/swap.js";
import { checkWritable } from "../output/user-file.js";
import { isConfigModule, loadConfig } from "../project/config-file.js";
import { resolveSettings, type GenerateRequest, type Settings } from "../project/settings.js";
import { changeableFolders, refuseOutside } from "./area.js";
import { checkCommitted } from "./git.js";
import type { UpgradeRequest } from "./types.js";

/** Initial state of an upgrade. */
export interface UpgradeContext {
  /** Folder of the configuration. */
  readonly folder: string;
  /** Path of the configuration, if a configuration exists. */
  readonly config: readonly string[];
  /** Folders that the upgrade may change. */
  readonly roots: readonly string[];
  /** Settings of the current output and of the new output. */
  readonly currentSettings: Settings;
  /**
   * Specification of the current output: the requested one, otherwise as in its lock file, otherwise
   * as in the configuration.
   */
  readonly currentVersion: string;
  readonly newSettings: Settings;
  /** Request for the new output. */
  readonly newRequest: GenerateRequest;
}

/**
 * Finds the project of an upgrade, and checks that it can be upgraded.
 *
 * @throws InputError if the project cannot be upgraded
 */
export async function startUpgrade(request: UpgradeRequest): Promise<UpgradeContext> {
  const { cwd } = request;
  const { folder, file } = await loadConfig(cwd, request.config);
  const roots = changeableFolders(folder, await resolveSettings(commonRequest(request)));
  const settings = await settingsOf(request, file);
  const { out, agent } = settings.currentSettings;
  if (request.write) recover(out);
  const config = file === undefined ? [] : [file];
  refuseOutside([...config, ...(agent === undefined ? [] : [agent])], roots, cwd);
  // The compiler is slow to load, so report errors that do not depend on it first.
  if (request.write) checkFiles(request, folder, config);
  return { folder, config, roots, ...settings };
}

function commonRequest({ cwd, force, write, config }: UpgradeRequest): GenerateRequest {
  return { cwd, force, dryRun: !write, ...(config !== undefined && { config }) };
}

async function settingsOf(
  request: UpgradeRequest,
  file: string | undefined,
): Promise<
  Pick<UpgradeContext, "currentSettings" | "currentVersion" | "newSettings" | "newRequest">
> {
  const { from, to, schema, manifest, keep, cwd } = request;
  if (from === undefined && to === undefined)
    throw new InputError({
      message: "`upgrade` requires --to or --from",
      hint:
        "Pass the new version or proto with --to, or the previous state of your changed proto with " +
        "--from",
    });
  const common = commonRequest(request);
  const currentSettings = await resolveSettings(common);
  if (currentSettings.protos !== undefined)
    throw new InputError({
      message: "the configuration has several protos, whose packages cannot be upgraded",
      hint: "Change the protos, and run `a2a-codegen generate`",
    });
  const currentVersion =
    from === undefined
      ? versionOf(currentSettings, cwd)
      : relative(currentSettings.folder, resolve(cwd, from));
  const newVersion = to === undefined ? undefined : specRegistry(cwd).idOf(to);
  const isMoving = newVersion !== currentVersion;
  // The user's code still uses old names, so enable their aliases. Only bundled versions and
  // manifests have them. This setting cannot be changed in a configuration that is a module.
  const hasOldNames = newVersion !== undefined || manifest !== undefined;
  const isWritable = file !== undefined && !isConfigModule(file);
  const versions = versionsAfter(
    currentSettings.versions,
    to,
    keep === true && isMoving ? currentVersion : undefined,
  );
  const newRequest = {
    ...common,
    ...(to !== undefined && { spec: to }),
    ...(schema !== undefined && { schema }),
    ...(manifest !== undefined && { manifest }),
    ...(versions.join() !== currentSettings.versions.join() && { versions }),
    ...(isMoving && hasOldNames && isWritable && { aliases: "all" as const }),
  };
  return {
    currentSettings,
    currentVersion,
    newSettings: await resolveSettings(newRequest),
    newRequest,
  };
}

/**
 * Returns the additional versions of an output after the upgrade to `to`, including `keptVersion`.
 */
function versionsAfter(
  versions: readonly string[],
  to: string | undefined,
  keptVersion: string | undefined,
): string[] {
  return [...new Set([...versions, ...(keptVersion === undefined ? [] : [keptVersion])])].filter(
    (version) => version !== to,
  );
}

function versionOf({ out, spec }: Settings, cwd: string): string {
  const lock = existingLock(out, cwd, "the configuration with --config");
  const registry = specRegistry(cwd);
  const made = registry.list().find(({ version }) => lock.spec === `A2A ${version}`);
  return made?.id ?? spec;
}

/**
 * Throws an `InputError` if a file is read-only or, without `force`, if the repository has
 * uncommitted changes or git ignores a file.
 */
export function checkFiles(
  { cwd, force }: UpgradeRequest,
  folder: string,
  paths: readonly string[],
): void {
  const purpose = {
    purpose: "it must be changed",
    hint: "Change its permissions; nothing was written",
  };
  for (const path of paths) checkWritable(realpathSync(path), relative(cwd, path), purpose);
  if (!force) checkCommitted(folder, paths, cwd);
}
