import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { compareFile, isAsGenerated } from "../output/hashes.js";
import { readLock, type Lock } from "../output/lock.js";
import { InputError } from "../support/diagnostics.js";
import { packageFolder } from "../support/package-folder.js";
import { isRecord } from "../support/values.js";
import { compareVersions } from "../support/versions.js";

const severities = ["low", "moderate", "high", "critical"] as const;

/** Known problem in support modules, which may be copied into outputs. */
export interface Advisory {
  readonly id: string;
  readonly severity: (typeof severities)[number];
  /** Impact of the problem. */
  readonly title: string;
  /** Affected modules, by path below the output folder, without extension. */
  readonly modules: readonly string[];
  /** First version of the generator with the problem. If absent, all versions before `fixed` are affected. */
  readonly since?: string;
  /** First version of the generator without the problem. */
  readonly fixed: string;
  /** Additional instructions, if generating with a fixed version is not sufficient. */
  readonly fix?: string;
}

/** Advisory, and a file of an output that it affects. */
export interface Finding {
  readonly advisory: Advisory;
  /** Path of the file, relative to the working directory. */
  readonly file: string;
  /** Whether the file was edited after it was generated, and may therefore already contain the fix. */
  readonly isEdited: boolean;
}

/**
 * Returns the advisories in the file at `path`, by default the bundled advisories.
 *
 * @throws InputError if the file does not exist, or is not a valid list of advisories
 */
export function readAdvisories(path: string = join(packageFolder, "advisories.json"), shown = path): Advisory[] {
  const location = { file: shown };
  const hint = 'Specify a file such as { "advisories": [] } with --advisories';
  if (!existsSync(path)) throw new InputError({ location, message: "the file does not exist", hint });
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new InputError({ location, message: "the file is not valid JSON", hint });
  }
  const list = isRecord(value) ? value["advisories"] : undefined;
  if (!Array.isArray(list) || !list.every(isAdvisory))
    throw new InputError({ location, message: "the file is not a list of advisories of a2a-codegen", hint });
  return list;
}

function isAdvisory(value: unknown): value is Advisory {
  if (!isRecord(value)) return false;
  const { id, severity, title, modules, since, fixed, fix } = value;
  const isText = (one: unknown): boolean => typeof one === "string" && one !== "";
  return (
    [id, title, fixed].every(isText) &&
    [since, fix].every((one) => one === undefined || isText(one)) &&
    severities.some((one) => one === severity) &&
    Array.isArray(modules) &&
    modules.every(isText)
  );
}

/**
 * Returns the number of copied support modules in an output folder. Throws an `InputError` if nothing was generated
 * into it.
 */
export function copiesIn(folder: string, cwd: string): number {
  const shown = relative(cwd, folder) || ".";
  const lock = readLock(folder, shown);
  if (lock === undefined)
    throw new InputError({
      location: { file: shown },
      message: "the folder contains no generated output",
      hint: "Run `a2a-codegen generate`, or specify the output folder with --out",
    });
  const isCopy = (path: string): boolean => /(?:^|\/)(?:runtime|kit)\//.test(path) || lock.users !== undefined;
  return Object.keys(lock.files).filter(isCopy).length;
}

/**
 * Returns a finding for each generated file in a folder that an advisory affects; none if the folder has no lock file.
 */
export function findingsIn(folder: string, advisories: readonly Advisory[], cwd: string): Finding[] {
  const shown = relative(cwd, folder) || ".";
  const lock = readLock(folder, shown);
  if (lock === undefined) return [];
  return advisories.flatMap((advisory) => {
    if (!isAffected(advisory, lock)) return [];
    const paths = Object.keys(lock.files).filter((path) => isModuleOf(path, advisory));
    return paths.map((path) => {
      const isEdited = !isAsGenerated(compareFile(folder, path, lock));
      return { advisory, file: join(shown, path), isEdited };
    });
  });
}

function isAffected({ since, fixed }: Advisory, { generator }: Lock): boolean {
  return compareVersions(generator, fixed) < 0 && (since === undefined || compareVersions(generator, since) >= 0);
}

/** Returns whether a file is an affected module. In a shared folder, the paths of runtime modules omit `runtime/`. */
function isModuleOf(path: string, { modules }: Advisory): boolean {
  const name = path.replace(/\.ts$/, "");
  return modules.some((module) => name === module || name.endsWith(`/${module}`) || `runtime/${name}` === module);
}
