import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { InputError, reasonOf, type Location } from "../../support/diagnostics.js";
import { isRootFolder } from "../output/package.js";
import { isTrusted } from "../../support/files.js";
import { locationIn } from "../../support/json-text.js";
import { isRecord } from "../../support/values.js";
import { checkConfig } from "./check-config.js";
import { entryOf, type Config } from "./config.js";
import { parseConfigText } from "./config-text.js";

/** Name of the configuration file that `init` writes. */
export const configFile = "a2a-codegen.config.json";

/** Supported names of a configuration file. */
const configFiles = ["json", "jsonc", "ts", "mts", "js", "mjs"].map(
  (ending) => `a2a-codegen.config.${ending}`,
);

/** Configuration, and the folder that its paths are relative to. */
export interface LoadedConfig {
  readonly config: Config;
  readonly folder: string;
  /** Path of the configuration file, if a file was found. */
  readonly file?: string;
  /** Returns the location of a key, or of a string in its value. */
  readonly locationOf?: (key: keyof Config, text?: string) => Location;
}

/**
 * Loads the configuration at `path`. Without a path, searches `cwd` and the folders above it, up to
 * the next `package.json`, the root of a repository or the home folder. A configuration that is a
 * module is executed. Returns an empty configuration if no file is found.
 *
 * @throws InputError if the file at `path` does not exist, or if the configuration does not match
 *   its schema
 */
export async function loadConfig(cwd: string, path?: string): Promise<LoadedConfig> {
  const found = configPath(cwd, path);
  if (found === undefined) return { config: {}, folder: cwd };
  if (!existsSync(found) || !statSync(found).isFile())
    throw new InputError({
      message: `the file "${path ?? found}" does not exist`,
      hint: "Correct the path in --config",
    });
  const name = relative(cwd, found);
  if (isConfigModule(found)) {
    const location = { file: name };
    const config = loaded(await loadModule(found, name), () => location);
    return { config, folder: dirname(found), file: found, locationOf: () => location };
  }
  const { value, text } = await parseConfigText(readFileSync(found, "utf8"), name);
  const locationOf = (keys: readonly string[]): Location => {
    const names = keys.filter((key) => !/^\d+$/.test(key)).map((key) => JSON.stringify(key));
    const offset = names.reduce((start, key) => Math.max(start, text.indexOf(key, start)), 0);
    return names.length === 0 ? { file: name } : locationIn(name, text, offset);
  };
  const config = loaded(value, locationOf);
  return {
    config,
    folder: dirname(found),
    file: found,
    locationOf: (key, member) => locationOf(member === undefined ? [key] : [key, member]),
  };
}

function loaded(value: unknown, locationOf: (keys: readonly string[]) => Location): Config {
  const config = checkConfig(value, locationOf);
  const { spec } = config;
  return portable({
    ...withAgent(config, locationOf),
    ...(typeof spec === "object" && {
      spec: spec.map((entry) => withAgent(entryOf(entry), locationOf)),
    }),
  });
}

/** Returns a part of a configuration in which `agent` has the value of `implementation`. */
function withAgent<T extends Pick<Config, "agent" | "implementation">>(
  { implementation, ...rest }: T,
  locationOf: (keys: readonly string[]) => Location,
): Omit<T, "implementation"> {
  if (implementation === undefined) return rest;
  if (rest.agent === undefined) return { ...rest, agent: implementation };
  throw new InputError({
    location: locationOf(["implementation"]),
    message: '"agent" and "implementation" are two names of one key',
    hint: "Remove one of them",
  });
}

/** Returns the path of the configuration that {@link loadConfig} loads, if any. */
export function configPath(cwd: string, path?: string): string | undefined {
  return path === undefined ? findUp(cwd) : resolve(cwd, path);
}

/**
 * Returns the path of the configuration file in a folder. Throws an `InputError` if the folder
 * contains several configuration files.
 */
export function configIn(folder: string): string | undefined {
  const [first, second] = configFiles.filter((name) => existsSync(join(folder, name)));
  if (second === undefined) return first === undefined ? undefined : join(folder, first);
  const message = `the folder has two configurations, ${first ?? ""} and ${second}`;
  throw new InputError({ message, hint: "Remove one of them, or choose one with --config" });
}

/**
 * Returns the path of the configuration in a folder or the nearest folder above it. A configuration
 * may be a program, so the search never leaves the project: it ends at a `package.json`, at the
 * root of a repository, at the home folder, and at the first configuration that belongs to another
 * user.
 *
 * @throws InputError if the file in `cwd` itself belongs to another user
 */
function findUp(cwd: string, folder: string = cwd): string | undefined {
  const found = configIn(folder);
  if (found !== undefined) {
    if (isTrusted(found, cwd)) return found;
    if (folder !== cwd) return undefined;
    const message = "the configuration belongs to another user";
    throw new InputError({
      location: { file: basename(found) },
      message,
      hint: "Confirm it with --config, or remove it",
    });
  }
  const isEnd = existsSync(join(folder, "package.json")) || isRootFolder(folder);
  return isEnd ? undefined : findUp(cwd, dirname(folder));
}

/** Returns whether a configuration is a module rather than JSON. */
export function isConfigModule(path: string): boolean {
  return /^\.[cm]?[jt]s$/.test(extname(path));
}

async function loadModule(path: string, name: string): Promise<unknown> {
  const location = { file: name };
  const canStrip = "typescript" in process.features && process.features.typescript !== false;
  if (path.endsWith("ts") && !canStrip) {
    const message = `Node ${process.versions.node} does not run TypeScript`;
    const hint =
      "Use Node 22.18 or later, or write the configuration as " +
      basename(path).replace(/\.m?ts$/, ".mjs");
    throw new InputError({ location, message, hint });
  }
  try {
    // Add the modification time to the URL, so that a changed module is loaded again instead of
    // coming from the module cache.
    const url = `${pathToFileURL(path).href}?${statSync(path).mtimeMs}`;
    const module: unknown = await import(url);
    return isRecord(module) && "default" in module ? module["default"] : undefined;
  } catch (error) {
    const message = `the configuration cannot be loaded: ${reasonOf(error)}`;
    throw new InputError({
      location,
      message,
      hint: "Correct it; a module must export the configuration as its default export",
    });
  }
}

/**
 * Returns a configuration in which slashes replace the backslashes in paths, so that backslashes
 * are separators on every system.
 */
function portable(config: Config): Config {
  if (sep !== "/") return config;
  const withSlashes = <T extends object>(value: T, keys: readonly string[]): T => ({
    ...value,
    ...Object.fromEntries(
      Object.entries(value).flatMap(([key, text]) =>
        keys.includes(key) && typeof text === "string" ? [[key, text.replaceAll("\\", "/")]] : [],
      ),
    ),
  });
  const paths = ["spec", "schema", "manifest", "agent"];
  const { spec } = config;
  return {
    ...withSlashes(config, [...paths, "out", "templates"]),
    ...(typeof spec === "object" && {
      spec: spec.map((entry) => withSlashes(entryOf(entry), paths)),
    }),
  };
}
