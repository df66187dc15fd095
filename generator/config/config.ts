import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { InputError } from "../diagnostics.js";

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

const text: Check = (value) => (typeof value === "string" && value !== "" ? undefined : "is not a text");
const checks: Readonly<Record<keyof Config | "$schema", Check>> = {
  $schema: text,
  spec: text,
  manifest: text,
  out: text,
  targets: (value) =>
    Array.isArray(value) && value.every((item) => text(item) === undefined) ? undefined : "is not a list of texts",
  templates: text,
  agent: text,
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
  if (!existsSync(found))
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
  const place = { file: name };
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const problem = `the configuration is no JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw new InputError({ place, problem, remedy: "Correct it, or create it anew with `a2a-codegen init`" });
  }
  if (!isConfig(value)) {
    const problems = problemsOf(value).map((problem) => ({
      place,
      problem,
      remedy: `The keys are ${Object.keys(checks).join(", ")}`,
    }));
    throw new InputError(...problems);
  }
  return value;
}

function isConfig(value: unknown): value is Config {
  return problemsOf(value).length === 0;
}

function problemsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return ["the configuration is no JSON object"];
  return Object.entries(value).flatMap(([key, member]) => {
    if (!isKey(key)) return [`"${key}" is no key of the configuration`];
    const problem = checks[key](member);
    return problem === undefined ? [] : [`"${key}" ${problem}`];
  });
}

function isKey(key: string): key is keyof typeof checks {
  return Object.hasOwn(checks, key);
}
