import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { InputError, type Location } from "../support/diagnostics.js";
import { parseJsonText, locationIn } from "../support/json-text.js";
import { namesHint } from "../support/near-names.js";
import { isRecord } from "../support/values.js";

/** The name of the configuration file. */
export const configFile = "a2a-codegen.config.json";

/** What a project says about its output. Paths are relative to the file. */
export interface Config {
  /** A version, or the path of a proto or JSON Schema; each of several has a folder of its own below `out`. */
  readonly spec?: string | readonly string[];
  /** The path of the JSON Schema that belongs to a proto. */
  readonly schema?: string;
  /** A version whose binding manifest to use, or the path of one. */
  readonly manifest?: string;
  /** The output folder. */
  readonly out?: string;
  readonly targets?: readonly string[];
  /** A folder with templates that replace those of the generator. */
  readonly templates?: string;
  /** The folder of runtime modules that several outputs share; by default each output has copies of its own. */
  readonly runtime?: string;
  /** The agent skeleton, which is created once and then belongs to the user. */
  readonly agent?: string;
  /** Which names of earlier versions stay as deprecated aliases. */
  readonly aliases?: "all" | "none";
  /** Whether to leave out aliases that the version may remove. */
  readonly dropExpired?: boolean;
  /** How relative imports of the output end. */
  readonly importExtension?: "js" | "ts" | "none";
}

/** The specification that a run is about, and the files that go with it. */
export interface SpecChoice {
  readonly spec: string;
  readonly manifest?: string;
  readonly schema?: string;
}

/**
 * Chooses a specification: that of the command line, with the files that it names, or that of the configuration. Throws
 * an `InputError` where the configuration names several.
 */
export function specChoice(
  request: { readonly [K in "spec" | "manifest" | "schema"]?: string | undefined },
  config: Config,
): SpecChoice {
  const own = request.spec === undefined ? config : {};
  if (typeof own.spec === "object") {
    const message = `the configuration names several specifications: ${own.spec.join(", ")}`;
    throw new InputError({ message, hint: "Choose one of them with --spec" });
  }
  const { manifest = own.manifest, schema = own.schema } = request;
  return {
    spec: request.spec ?? own.spec ?? "1.0",
    ...(manifest !== undefined && { manifest }),
    ...(schema !== undefined && { schema }),
  };
}

/** A configuration for one specification. */
export type SingleConfig = Omit<Config, "spec"> & { readonly spec?: string };

type Check = (value: unknown) => string | undefined;
type Checks = Readonly<Record<string, Check>>;

const isString: Check = (value) =>
  typeof value !== "string" ? "is not a string" : value === "" ? "is empty" : undefined;
const isStrings: Check = (value) => {
  if (!Array.isArray(value) || !value.every((item) => isString(item) === undefined)) return "is not a list of strings";
  return value.length === 0 ? "is an empty list" : undefined;
};
const isStringOrStrings: Check = (value) => {
  if (typeof value === "string") return isString(value);
  const message = isStrings(value);
  return message === "is not a list of strings" ? "is neither a string nor a list of strings" : message;
};
const isSwitch: Check = (value) => (typeof value === "boolean" ? undefined : "is not true or false");
const values: Readonly<Record<keyof Config, Check>> = {
  spec: isStringOrStrings,
  schema: isString,
  manifest: isString,
  out: isString,
  targets: isStrings,
  templates: isString,
  runtime: isString,
  agent: isString,
  aliases: (value) => (value === "all" || value === "none" ? undefined : 'is not "all" or "none"'),
  dropExpired: isSwitch,
  importExtension: (value) =>
    value === "js" || value === "ts" || value === "none" ? undefined : 'is not "js", "ts" or "none"',
};
const checks: Checks = { $schema: isString, ...values };

/** Refuses options of the pure generator that are not what their types say, with an `InputError`. */
export function checkOptions(value: unknown): void {
  const { targets, importExtension, aliases, dropExpired } = values;
  refuse(value, {
    targets,
    importExtension,
    aliases,
    dropExpired,
    generator: isString,
    agentImport: isString,
    runtimeImport: isString,
  });
}

/**
 * Refuses a request for one specification, or for several, that is not what its types say, with an `InputError`: programs
 * in plain JavaScript have no compiler that does.
 */
export function checkRequest(value: unknown, specs: "one" | "several"): void {
  const own: Checks = {
    spec: specs === "one" ? isString : isStringOrStrings,
    cwd: isString,
    config: (given) => (given === false ? undefined : isString(given)),
    force: isSwitch,
    dryRun: isSwitch,
    check: isSwitch,
  };
  refuse(value, { ...values, ...own });
}

function refuse(value: unknown, known: Checks): void {
  const diagnostics = problemsOf(value, known, "the request").map(({ key = "", message }) => ({
    message,
    hint: namesHint(key, Object.keys(known), "keys"),
  }));
  if (diagnostics.length > 0) throw new InputError(...diagnostics);
}

/** A configuration, and the folder that its paths are relative to. */
export interface LoadedConfig {
  readonly config: Config;
  readonly folder: string;
  /** The path of the file; absent where there is none. */
  readonly file?: string;
  /** Returns the location of a string in the value of a key, or of the key. */
  readonly locationOf?: (key: keyof Config, text?: string) => Location;
}

/** Finds the configuration in `cwd` or the nearest folder above it. Throws an `InputError` for one that is wrong. */
export function loadConfig(cwd: string, path?: string): LoadedConfig {
  const found = path === undefined ? findUp(cwd) : resolve(cwd, path);
  if (found === undefined) return { config: {}, folder: cwd };
  if (!existsSync(found) || !statSync(found).isFile())
    throw new InputError({
      message: `there is no file "${path ?? found}"`,
      hint: "Correct the path behind --config",
    });
  const name = relative(cwd, found);
  const { config, text } = readConfig(found, name);
  const locationOf = (key: keyof Config, member = key as string): Location => {
    const start = text.indexOf(JSON.stringify(key));
    return locationIn(name, text, Math.max(start, text.indexOf(JSON.stringify(member), start)));
  };
  return { config, folder: dirname(found), file: found, locationOf };
}

function findUp(folder: string): string | undefined {
  const candidate = join(folder, configFile);
  if (existsSync(candidate)) return candidate;
  return existsSync(join(folder, "package.json")) || dirname(folder) === folder ? undefined : findUp(dirname(folder));
}

function readConfig(path: string, name: string): { readonly config: Config; readonly text: string } {
  const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  const hint = "Correct it, or remove it and run `a2a-codegen init`";
  const value = parseJsonText(text, name, "the configuration", hint);
  if (!isConfig(value)) {
    const keys = Object.keys(checks);
    const diagnostics = problemsOf(value).map(({ key, message }) => {
      const at = key === undefined ? -1 : text.indexOf(JSON.stringify(key));
      return {
        location: at < 0 ? { file: name } : locationIn(name, text, at),
        message,
        hint: namesHint(key ?? "", keys, "keys"),
      };
    });
    throw new InputError(...diagnostics);
  }
  return { config: value, text };
}

function isConfig(value: unknown): value is Config {
  return problemsOf(value).length === 0;
}

function problemsOf(
  value: unknown,
  known: Checks = checks,
  what = "the configuration",
): { readonly key?: string; readonly message: string }[] {
  if (!isRecord(value)) return [{ message: `${what} is not a JSON object` }];
  return Object.entries(value).flatMap(([key, member]) => {
    const check = Object.hasOwn(known, key) ? known[key] : undefined;
    if (check === undefined) return [{ key, message: `"${key}" is no key of ${what}` }];
    const message = member === undefined ? undefined : check(member);
    return message === undefined ? [] : [{ key, message: `"${key}" ${message}` }];
  });
}
