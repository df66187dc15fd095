import { InputError, type Location } from "../../support/diagnostics.js";
import { namesHint } from "../../support/near-names.js";
import { libraryName } from "../core/library.js";
import type { GenerateOptions } from "../core/contract.js";
import type { Config } from "./config.js";
import {
  boolean,
  configShape,
  configShapes,
  objectShape,
  problemsOf,
  string,
  type Shape,
  type ShapeProblem,
} from "./config-schema.js";
import { checkPackageName } from "./runtime-choice.js";

/**
 * Validates the value of a configuration file and returns it with its type. `locationOf` returns the location of the
 * value at a path of keys.
 *
 * @throws InputError with a diagnostic for each part that does not match the configuration schema
 */
export function checkConfig(value: unknown, locationOf: (path: readonly string[]) => Location): Config {
  const problems = problemsOf(value, configShape);
  if (isConfig(value, problems)) return value;
  throw new InputError(
    ...problems.map((problem) => ({
      location: locationOf(problem.path),
      ...diagnosticOf(problem, "the configuration"),
    })),
  );
}

function isConfig(_value: unknown, problems: readonly ShapeProblem[]): _value is Config {
  return problems.length === 0;
}

/** Throws an `InputError` if options of the in-memory generator do not match their types. */
export function checkOptions(value: Partial<GenerateOptions>): void {
  const { targets, importExtension, aliases } = configShapes;
  const names = { generator: string, agentImport: string, runtimeImport: string };
  refuse(value, { targets, importExtension, aliases, ...names });
  if (value.runtimeImport === undefined) return;
  checkPackageName("runtimeImport", value.runtimeImport, `Set it to "${libraryName}", or omit it for copies`);
}

/**
 * Throws an `InputError` if a request, for one or several specifications, does not match its type. The check is
 * necessary because callers may use plain JavaScript.
 */
export function checkRequest(value: unknown, specs: "one" | "several"): void {
  refuse(value, {
    ...configShapes,
    ...(specs === "one" && { spec: string }),
    cwd: string,
    config: { anyOf: [string, { enum: [false] }] },
    force: boolean,
    dryRun: boolean,
    check: boolean,
  });
}

/**
 * Throws an `InputError` if the additional files of a specification (`schema`, `manifest` and `protoPaths`) do not match
 * their types.
 */
export function checkFiles(value: unknown): void {
  const { schema, manifest, protoPaths } = configShapes;
  refuse(value, { schema, manifest, protoPaths });
}

function refuse(value: unknown, shapes: Readonly<Record<string, Shape>>): void {
  const problems = problemsOf(value, objectShape(shapes));
  if (problems.length > 0) throw new InputError(...problems.map((problem) => diagnosticOf(problem, "the request")));
}

/** Returns the message and the hint for a problem in a configuration or a request. */
function diagnosticOf(
  { path, message, known, description }: ShapeProblem,
  what: string,
): { message: string; hint: string } {
  const key = path.at(-1) ?? "";
  const name = path.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
  if (known !== undefined) return { message: `"${name}" is not a key of ${what}`, hint: namesHint(key, known, "keys") };
  const subject = path.length === 0 ? what : `"${name}"`;
  const hint = description === undefined ? "Correct it" : `It specifies ${description}`;
  return { message: `${subject} ${message}`, hint };
}
