import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { InputError, type Location } from "../support/diagnostics.js";
import { isRecord } from "../support/values.js";

/** The name of the lock file in the output folder. */
export const lockFile = "a2a-codegen.lock.json";

/** What the last run wrote, and from what. */
export interface Lock {
  readonly lockVersion: 1;
  readonly generator: string;
  /** How the specification was called. */
  readonly spec: string;
  /** The hash of everything that the output depends on: specification, templates, options, generator. */
  readonly input: string;
  /** The hash of the specification alone. */
  readonly source?: string | undefined;
  readonly options: object;
  /** The methods of the service; what comes later is new to those who implement it. */
  readonly methods?: readonly string[] | undefined;
  /** Methods that the agent still has, and the service no longer. */
  readonly gone?: readonly string[] | undefined;
  /** In a folder of runtime modules: the modules that each output needs, by the path from here to its folder. */
  readonly users?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The hash of each file, by its path below the output folder. */
  readonly files: Readonly<Record<string, string>>;
  /** The hash of the normal form of each file, by which one is known that a formatter went over. */
  readonly forms?: Readonly<Record<string, string>> | undefined;
}

/** The hash of a text as the lock carries it. */
export function hashOf(...texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("hex");
}

/**
 * Reads the lock of an output folder; `undefined` where there is none. Throws an `InputError` for one that is broken;
 * `shown` is how messages call the folder.
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
  throw new InputError({ location, message: "the lock file is not one of a2a-codegen", hint });
}

/** Throws an `InputError` for paths that are not below the folder of the lock: whoever wrote them, it was no run. */
function refuseForeign(paths: readonly string[], location: Location, hint: string): void {
  const isBelow = (path: string): boolean =>
    !/[\\\0:]/.test(path) && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  const foreign = paths.filter((path) => !isBelow(path));
  if (foreign.length === 0) return;
  const message = `the lock file names ${JSON.stringify(foreign[0])}, which is not a file below its folder`;
  throw new InputError({ location, message, hint });
}

function lockText(path: string, location: Location): string | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isFile())
    throw new InputError({ location, message: "a folder is where the lock file has to go", hint: "Move it elsewhere" });
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const message = `the lock file cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    throw new InputError({ location, message, hint: "Change its permissions" });
  }
}

/** The targets that somebody had named; `undefined` where these were the usual ones. */
export function targetsOf({ options }: Lock): readonly string[] | undefined {
  const targets: unknown = "targets" in options ? options.targets : undefined;
  return Array.isArray(targets) ? targets.filter((name) => typeof name === "string") : undefined;
}

/** What a lock says about all that the output was made from. */
export type Origin = Omit<Lock, "methods" | "gone" | "users" | "files" | "forms">;

/** Returns whether two locks say the same about what the output was made from. */
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
    isNames(lock.methods) &&
    isNames(lock.gone) &&
    (lock.users === undefined || (isRecord(lock.users) && Object.values(lock.users).every(isNames))) &&
    isRecord(lock.options) &&
    isRecord(files) &&
    areStrings(files) &&
    (lock.forms === undefined || (isRecord(lock.forms) && areStrings(lock.forms)))
  );
}

function areStrings(values: object): boolean {
  return Object.values(values).every((value) => typeof value === "string");
}

function isNames(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((name) => typeof name === "string"));
}
