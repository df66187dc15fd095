import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import type { GenerateRequest } from "../project/project.js";
import type { GenerateResult } from "../project/result.js";
import type { ListedRequest } from "../project/settings.js";
import type { Arguments } from "./options.js";

/** Arguments of `generate`, and of other commands that write the output. */
export type GenerateArguments = Partial<Arguments<"generate">> &
  Pick<Arguments<"generate">, "cwd" | "force" | "json">;

/** Returns the results of a request. */
export type Generate = (request: ListedRequest) => Promise<readonly GenerateResult[]>;

/**
 * Converts the arguments of `generate` to a request, whose specification may be a comma-separated
 * list.
 */
export function listedRequestOf(args: GenerateArguments): ListedRequest {
  const { spec, ...request } = requestOf(args);
  if (spec === undefined) return request;
  if (!spec.includes(",") || existsSync(resolve(args.cwd, spec))) return { ...request, spec };
  const names = listed(spec, "spec", "Specify a version, or the path of a proto or JSON Schema");
  return { ...request, spec: names ?? spec };
}

/** Converts the arguments of the command line to a request. */
export function requestOf(args: GenerateArguments): GenerateRequest {
  const targets = listed(args.targets, "targets", "`a2a-codegen list` prints the targets");
  const versions = listed(args.versions, "versions", "`a2a-codegen list` prints the versions");
  const hint = "Specify the JSON Schema of an extension";
  const extensions = listed(args.extension, "extension", hint);
  const chosen = { ...args, targets, versions, extensions, protoPaths: args.protoPath };
  const given = requestKeys.filter((key) => chosen[key] !== undefined);
  return {
    cwd: args.cwd,
    force: args.force,
    dryRun: args.dryRun === true,
    check: args.check === true,
    verbose: args.verbose === true,
    ...Object.fromEntries(given.map((key) => [key, chosen[key]])),
  };
}

const requestKeys = [
  "spec",
  "manifest",
  "schema",
  "protoPaths",
  "versions",
  "extensions",
  "out",
  "targets",
  "templates",
  "runtime",
  "agent",
  "aliases",
  "importExtension",
  "config",
] as const;

/** Splits a comma-separated list of names. Throws an `InputError` for a list without names. */
function listed(text: string | undefined, option: string, hint: string): string[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  if (names.length === 0) throw new InputError({ message: `--${option} is empty`, hint });
  return names;
}
