import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { InputError } from "../diagnostics.js";
import { parseJsonText, placeIn } from "../json-text.js";

/** The name of the configuration file. */
export const configFile = "a2a-codegen.config.json";

/** What a project says about its output. Paths are relative to the file. */
export interface Config {
  /** A version, or the path of a proto. */
  readonly spec?: string;
  /** A version whose binding manifest to use, or the path of one. */
  readonly manifest?: string;
  /** The output folder. */
  readonly out?: string;
  readonly targets?: readonly string[];
  /** A folder with templates that replace those of the generator. */
  readonly templates?: string;
  /** The agent skeleton, which is created once and then belongs to the user. */
  readonly agent?: string;
  /** How relative imports of the output end. */
  readonly importExtension?: "js" | "ts" | "none";
}

type Check = (value: unknown) => string | undefined;

const isText: Check = (value) => (typeof value === "string" && value !== "" ? undefined : "is not a text");
const checks: Readonly<Record<keyof Config | "$schema", Check>> = {
  $schema: isText,
  spec: isText,
  manifest: isText,
  out: isText,
  targets: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((item) => isText(item) === undefined)
      ? undefined
      : "is not a list of names",
  templates: isText,
  agent: isText,
  importExtension: (value) =>
    value === "js" || value === "ts" || value === "none" ? undefined : 'is not "js", "ts" or "none"',
};

/** A configuration, and the folder that its paths are relative to. */
export interface LoadedConfig {
  readonly config: Config;
  readonly folder: string;
}

/** Finds the configuration in `cwd` or the nearest folder above it. Throws an `InputError` for one that is wrong. */
export function loadConfig(cwd: string, path?: string): LoadedConfig {
  const found = path === undefined ? findUp(cwd) : resolve(cwd, path);
  if (found === undefined) return { config: {}, folder: cwd };
  if (!existsSync(found) || !statSync(found).isFile())
    throw new InputError({
      problem: `there is no file "${path ?? found}"`,
      remedy: "Correct the path behind --config",
    });
  return { config: readConfig(found, relative(cwd, found)), folder: dirname(found) };
}

function findUp(folder: string): string | undefined {
  const candidate = join(folder, configFile);
  if (existsSync(candidate)) return candidate;
  return existsSync(join(folder, "package.json")) || dirname(folder) === folder ? undefined : findUp(dirname(folder));
}

function readConfig(path: string, name: string): Config {
  const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  const remedy = "Correct it, or remove it and run `a2a-codegen init`";
  const value = parseJsonText(text, name, "the configuration", remedy);
  if (!isConfig(value)) {
    const known = `The keys are ${Object.keys(checks).join(", ")}`;
    const problems = problemsOf(value).map(({ key, problem }) => {
      const at = key === undefined ? -1 : text.indexOf(JSON.stringify(key));
      return { place: at < 0 ? { file: name } : placeIn(name, text, at), problem, remedy: known };
    });
    throw new InputError(...problems);
  }
  return value;
}

function isConfig(value: unknown): value is Config {
  return problemsOf(value).length === 0;
}

function problemsOf(value: unknown): { readonly key?: string; readonly problem: string }[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [{ problem: "the configuration is no JSON object" }];
  return Object.entries(value).flatMap(([key, member]) => {
    if (!isKey(key)) return [{ key, problem: `"${key}" is no key of the configuration` }];
    const problem = checks[key](member);
    return problem === undefined ? [] : [{ key, problem: `"${key}" ${problem}` }];
  });
}

function isKey(key: string): key is keyof typeof checks {
  return Object.hasOwn(checks, key);
}
