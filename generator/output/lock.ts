import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { InputError, reasonOf, type Location } from "../../support/diagnostics.js";
import { isRecord } from "../../support/values.js";
import { compareVersions } from "../../support/versions.js";

/** Name of the lock file in the output folder. */
export const lockFile = "a2a-codegen.lock.json";

/** Inputs and files of the previous run. */
export interface Lock {
  readonly lockVersion: 1;
  readonly generator: string;
  /** Title of the specification. */
  readonly spec: string;
  /** Hash of all inputs of the output: specification, templates, options, generator. */
  readonly input: string;
  /** Hash of the specification alone. */
  readonly source?: string | undefined;
  readonly options: object;
  /**
   * Methods of the service. With this list, the next run knows which methods are new. If services
   * are not agents, a list for each file that implements a service.
   */
  readonly methods?: Methods | undefined;
  /**
   * Path of the agent skeleton, or of the program that serves services, from the output folder. A
   * run creates it once, even if it is deleted.
   */
  readonly agent?: string | undefined;
  /** Methods that were removed from the service, but that the user's file still implements. */
  readonly gone?: Methods | undefined;
  /** Hash of the normal form of the program that serves services, to recognize edits. */
  readonly program?: string | undefined;
  /** Hash of each file, by path below the output folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Hash of the normal form of each file, which identifies a file that a formatter has changed. */
  readonly forms?: Readonly<Record<string, string>> | undefined;
}

/**
 * Names of methods: of the agent, or of each file that implements a service, by its path from the
 * output folder.
 */
export type Methods = readonly string[] | MethodsByFile;

/** Names of the methods of several files. */
export type MethodsByFile = Readonly<Record<string, readonly string[]>>;

/** Returns the methods of the agent; `undefined` if the lock file has none. */
export function agentMethods(methods: Methods | undefined): readonly string[] | undefined {
  return isList(methods) ? methods : undefined;
}

/** Returns the methods of the files that implement services. */
export function methodsByFile(methods: Methods | undefined): MethodsByFile {
  return methods === undefined || isList(methods) ? {} : methods;
}

function isList(methods: Methods | undefined): methods is readonly string[] {
  return Array.isArray(methods);
}

/**
 * Reads the lock file of an existing output. `option` is the option that chooses the folder.
 *
 * @throws InputError if the lock file does not exist or is invalid
 */
export function existingLock(out: string, cwd: string, option: string): Lock {
  const shown = relative(cwd, out) || ".";
  const lock = readLock(out, shown);
  if (lock !== undefined) return lock;
  throw new InputError({
    location: { file: shown },
    message: "the folder contains no generated output",
    hint: `Run \`a2a-codegen generate\`, or specify ${option}`,
  });
}

/**
 * Reads the lock file of an output folder; `undefined` if the folder has no lock file.
 *
 * @param shown path of the folder, as shown in messages
 * @throws InputError if the lock file is invalid
 */
export function readLock(out: string, shown: string): Lock | undefined {
  const location = { file: join(shown, lockFile) };
  const text = lockText(join(out, lockFile), location);
  if (text === undefined) return undefined;
  const hint = "Restore the file from version control, or remove it and run again with --force";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError({ location, message: "the lock file is not valid JSON", hint });
  }
  if (isLock(value)) {
    refuseForeign([...Object.keys(value.files), ...Object.keys(value.forms ?? {})], location, hint);
    return value;
  }
  const version = isRecord(value) ? value["lockVersion"] : undefined;
  if (typeof version === "number" && version > 1) {
    const newer = "Use at least the version of a2a-codegen that wrote it";
    throw new InputError({
      location,
      message: `the lock file has the newer format ${version}`,
      hint: newer,
    });
  }
  throw new InputError({ location, message: "the lock file was not written by a2a-codegen", hint });
}

/**
 * Throws an `InputError` if a later version of the generator has written the output. An earlier
 * version would silently undo its changes.
 */
export function refuseLater(lock: Lock | undefined, generator: string, shown: string): void {
  if (lock === undefined || !isLater(lock.generator, generator)) return;
  throw new InputError({
    location: { file: join(shown, lockFile) },
    message:
      `a2a-codegen ${lock.generator} has generated the output, and this is the earlier version ` +
      generator,
    hint: "Update a2a-codegen, or replace the output with --force",
  });
}

/**
 * Returns whether a version such as `1.2.3` is later than another. Ignores everything after the
 * three numbers.
 */
function isLater(one: string, other: string): boolean {
  const [left, right] = [one, other].map((version) => /^\d+\.\d+\.\d+/.exec(version)?.[0]);
  return left !== undefined && right !== undefined && compareVersions(left, right) > 0;
}

/**
 * Throws an `InputError` for paths outside the folder of the lock file. No run writes such paths,
 * so someone has manipulated the lock file, and using it could delete or overwrite other files.
 */
function refuseForeign(paths: readonly string[], location: Location, hint: string): void {
  const isBelow = (path: string): boolean =>
    !/[\\\0:]/.test(path) &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  const foreign = paths.filter((path) => !isBelow(path));
  if (foreign.length === 0) return;
  const message =
    `the lock file lists ${JSON.stringify(foreign[0])}, which is not a file ` + "below its folder";
  throw new InputError({ location, message, hint });
}

function lockText(path: string, location: Location): string | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isFile())
    throw new InputError({
      location,
      message: "a folder has the path of the lock file",
      hint: "Move it elsewhere",
    });
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const message = `the lock file cannot be read: ${reasonOf(error)}`;
    throw new InputError({ location, message, hint: "Change its permissions" });
  }
}

/** Returns the targets that a user named; `undefined` for the default targets. */
export function targetsOf({ options }: Lock): readonly string[] | undefined {
  const targets: unknown = "targets" in options ? options.targets : undefined;
  return Array.isArray(targets) ? targets.filter((name) => typeof name === "string") : undefined;
}

/** The part of a lock file that describes the inputs of the output. */
export type Origin = Omit<Lock, "methods" | "agent" | "gone" | "program" | "files" | "forms">;

/** Returns whether two lock files have the same inputs. */
export function isSameOrigin(one: Origin, other: Origin): boolean {
  const text = ({ generator, spec, input, source, options }: Origin): string =>
    JSON.stringify([generator, spec, input, source, options]);
  return text(one) === text(other);
}

function isLock(value: unknown): value is Lock {
  if (!isRecord(value)) return false;
  const lock: Partial<Record<keyof Lock, unknown>> = value;
  const { files } = lock;
  return (
    lock.lockVersion === 1 &&
    typeof lock.input === "string" &&
    typeof lock.generator === "string" &&
    typeof lock.spec === "string" &&
    isMethods(lock.methods) &&
    isMethods(lock.gone) &&
    (lock.program === undefined || typeof lock.program === "string") &&
    (lock.agent === undefined || typeof lock.agent === "string") &&
    isRecord(lock.options) &&
    isRecord(files) &&
    areStrings(files) &&
    (lock.forms === undefined || (isRecord(lock.forms) && areStrings(lock.forms)))
  );
}

function areStrings(values: object): boolean {
  return Object.values(values).every((value) => typeof value === "string");
}

function isMethods(value: unknown): boolean {
  if (value === undefined) return true;
  if (isRecord(value)) return Object.values(value).every(isNames);
  return isNames(value);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
