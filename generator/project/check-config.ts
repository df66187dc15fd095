import { InputError, type Location } from "../support/diagnostics.js";
import { namesHint } from "../support/near-names.js";
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

/**
 * Returns the value of a configuration file, once it is known to be one. `locationOf` returns the location of the value
 * that some keys lead to.
 *
 * @throws InputError with a diagnostic for each part that is not what the schema of configurations says.
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

/** Throws an `InputError` for options of the pure generator that are not what their types say. */
export function checkOptions(value: unknown): void {
  const { targets, importExtension, aliases, dropExpired } = configShapes;
  const names = { generator: string, agentImport: string, runtimeImport: string };
  refuse(value, { targets, importExtension, aliases, dropExpired, ...names });
}

/**
 * Throws an `InputError` for a request for one specification, or for several, that is not what its type says: programs in
 * plain JavaScript have no compiler that does.
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

/** Throws an `InputError` for files of a specification that are not what their types say. */
export function checkFiles(value: unknown): void {
  const { schema, manifest } = configShapes;
  refuse(value, { schema, manifest });
}

function refuse(value: unknown, shapes: Readonly<Record<string, Shape>>): void {
  const problems = problemsOf(value, objectShape(shapes));
  if (problems.length > 0) throw new InputError(...problems.map((problem) => diagnosticOf(problem, "the request")));
}

/** Says what is wrong with a part of a configuration or a request, and what to write there. */
function diagnosticOf(
  { path, message, known, description }: ShapeProblem,
  what: string,
): { message: string; hint: string } {
  const key = path.at(-1) ?? "";
  const name = path.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
  if (known !== undefined) return { message: `"${name}" is no key of ${what}`, hint: namesHint(key, known, "keys") };
  const subject = path.length === 0 ? what : `"${name}"`;
  const hint = description === undefined ? "Correct it" : `Write ${description}`;
  return { message: `${subject} ${message}`, hint };
}
