import { InputError, type Diagnostic, type Location } from "../../support/diagnostics.js";
import { violationsOf, type JsonSchema, type Violation } from "../../support/json-schema.js";
import { namesHint } from "../../support/near-names.js";
import { libraryName } from "../core/package-names.js";
import type { GenerateOptions } from "../core/contract.js";
import type { Config } from "./config.js";
import { boolean, configKeys, configSchema, objectSchema, string } from "./config-schema.js";
import { checkPackageName } from "./runtime-choice.js";

/**
 * Validates the value of a configuration file and returns it with its type. `locationOf` returns
 * the location of the value at a path of keys.
 *
 * @throws InputError with a diagnostic for each part that does not match the configuration schema
 */
export function checkConfig(
  value: unknown,
  locationOf: (path: readonly string[]) => Location,
): Config {
  const violations = violationsOf(configSchema, value);
  if (isConfig(value, violations)) return value;
  throw new InputError(
    ...violations.map((violation) => ({
      location: locationOf(
        violation.kind === "missing" ? violation.path.slice(0, -1) : violation.path,
      ),
      ...diagnosticOf(violation, "the configuration"),
    })),
  );
}

function isConfig(_value: unknown, violations: readonly Violation[]): _value is Config {
  return violations.length === 0;
}

/** Throws an `InputError` if options of the in-memory generator do not match their types. */
export function checkOptions(value: Partial<GenerateOptions>): void {
  const { targets, importExtension, aliases } = configKeys;
  const names = { generator: string, agentImport: string, runtimeImport: string };
  refuse(value, { targets, importExtension, aliases, ...names });
  if (value.runtimeImport === undefined) return;
  checkPackageName(
    "runtimeImport",
    value.runtimeImport,
    `Set it to "${libraryName}", or omit it for copies`,
  );
}

/**
 * Throws an `InputError` if a request, for one or several specifications, does not match its type.
 * The check is necessary because callers may use plain JavaScript.
 */
export function checkRequest(value: unknown, specs: "one" | "several"): void {
  refuse(value, {
    ...configKeys,
    ...(specs === "one" && { spec: string }),
    cwd: string,
    config: { anyOf: [string, { enum: [false] }] },
    force: boolean,
    dryRun: boolean,
    check: boolean,
    addsLibrary: boolean,
  });
}

/**
 * Throws an `InputError` if the additional files of a specification (`schema`, `manifest` and
 * `protoPaths`) do not match their types.
 */
export function checkFiles(value: unknown): void {
  const { schema, manifest, protoPaths } = configKeys;
  refuse(value, { schema, manifest, protoPaths });
}

function refuse(value: unknown, keys: Readonly<Record<string, JsonSchema>>): void {
  const violations = violationsOf(objectSchema(keys), value);
  if (violations.length > 0)
    throw new InputError(...violations.map((found) => diagnosticOf(found, "the request")));
}

/** Returns the message and the hint for a violation in a configuration or a request. */
function diagnosticOf(
  { path, kind, message, hint, known = [] }: Violation,
  what: string,
): Diagnostic {
  const key = path.at(-1) ?? "";
  if (kind === "unknown")
    return {
      message: `${subjectOf(path, what)} is not a key of ${what}`,
      hint: namesHint(key, known, "keys"),
    };
  if (kind === "missing")
    return { message: `${subjectOf(path.slice(0, -1), what)} requires "${key}"`, hint };
  return { message: `${subjectOf(path, what)} ${message}`, hint };
}

function subjectOf(path: readonly string[], what: string): string {
  const name = path
    .map((part, at) => (/^\d+$/.test(part) ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("");
  return path.length === 0 ? what : `"${name}"`;
}
