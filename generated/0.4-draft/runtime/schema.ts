// Part of a2a-codegen 0.1.0. Do not edit.

import { maxDepth } from "./json.js";
import { checkStrictly, type StrictCheck } from "./strict.js";

/** One thing that is wrong with a value. */
export interface Issue {
  /** A full sentence: the place, what was expected there, and what was found. */
  readonly message: string;
  /** The keys and indexes that lead to the place. */
  readonly path: readonly (string | number)[];
  /** The same place as a JSON Pointer (RFC 6901); empty for the whole value. */
  readonly pointer: string;
  /** What should be there. */
  readonly expected: string;
  /** What is there, shortened. */
  readonly found: string;
}

/** What a check found: the value, or every issue with it. */
export type Validation<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly value?: undefined; readonly issues: readonly Issue[] };

/** How forgiving a check is. */
export type Mode =
  /** The canonical JSON only. */
  | "strict"
  /** All that ProtoJSON lets a parser accept. */
  | "json"
  /** As `json`, with every scalar as text: path segments and query parameters. */
  | "text";

/** A kind of value: how to check it, and how to bring it into its canonical form. */
export interface Type<T> {
  /** The name of the type for messages: `string`, `Task`, … */
  readonly name: string;
  /** Gives the canonical value, or reports what is wrong to `run` and gives `undefined`. */
  check(value: unknown, run: Run): T | undefined;
  /** Tells whether the value says nothing that its absence would not say. */
  isDefault?(value: T): boolean;
  /** Set where `null` is a value of the type, and not a way to leave it out. */
  readonly nullable?: true;
  /** Set on lists: how the elements look. */
  readonly element?: Type<unknown>;
  /** Set on messages: the type of each field, by its JSON name. */
  field?(name: string): Type<unknown> | undefined;
}

/** A {@link Type} that other libraries can use, by way of Standard Schema v1 (https://standardschema.dev). */
export interface Schema<T> extends Type<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "a2a-codegen";
    readonly validate: (value: unknown) => Validation<T>;
    readonly types?: { readonly input: unknown; readonly output: T };
  };
}

/** Thrown where a value is not what it has to be. `issues` holds everything that is wrong with it. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";
  /** The name of the type that the value should have had. */
  readonly type: string;
  readonly issues: readonly Issue[];

  constructor(type: string, issues: readonly Issue[]) {
    super(`${type}: ${issues.map((issue) => issue.message).join("; ")}`);
    this.type = type;
    this.issues = issues;
  }
}

/** Issues that one check reports at most; a longer list helps nobody and costs memory. */
const maxIssues = 100;

/** The state of one check: where it is, and what it has found so far. */
export class Run {
  readonly issues: Issue[] = [];
  readonly path: (string | number)[] = [];
  readonly lenient: boolean;
  readonly text: boolean;
  /** How the fields of messages are checked, unless the check is lenient. */
  readonly strictly: StrictCheck | undefined;

  /** Begins a lenient check, or a strict one of which it is told how to check fields; {@link runOf} tells it. */
  constructor(mode: Exclude<Mode, "strict"> | StrictCheck) {
    this.strictly = typeof mode === "function" ? mode : undefined;
    this.lenient = typeof mode === "string";
    this.text = mode === "text";
  }

  /** Whether no more issues will be kept. */
  get full(): boolean {
    return this.issues.length >= maxIssues;
  }

  /** Reports that something else was expected at the current place. */
  report(expected: string, value: unknown): undefined {
    if (this.full) return undefined;
    const found = describe(value);
    const path = this.path.slice();
    const pointer = pointerOf(path);
    this.issues.push({
      message: `${pointer || "/"} expected ${expected}, got ${found}`,
      path,
      pointer,
      expected,
      found,
    });
    return undefined;
  }

  /** Reports a list or object that is nested too deep, and tells whether it is. */
  tooDeep(value: unknown): boolean {
    if (this.path.length < maxDepth) return false;
    this.report(`at most ${maxDepth} levels of nesting`, value);
    return true;
  }

  /** Checks a member of the current value. */
  at<T>(key: string | number, type: Type<T>, value: unknown): T | undefined {
    this.path.push(key);
    const result = type.check(value, this);
    this.path.pop();
    return result;
  }
}

/** Checks `value` in its canonical form and gives it back as it is, or every issue with it. */
export function validate<T>(type: Type<T>, value: unknown): Validation<T> {
  return check(type, value, "strict");
}

/** Gives the canonical form of `value`, or throws a {@link ValidationError} with every issue. */
export function parse<T>(type: Type<T>, value: unknown, mode: Mode = "json"): T {
  const result = check(type, value, mode);
  if (result.issues !== undefined) throw new ValidationError(type.name, result.issues);
  return result.value;
}

/** Throws a {@link ValidationError} with every issue, unless `value` is in its canonical form. */
export function assertValid<T>(type: Type<T>, value: unknown): asserts value is T {
  const { issues } = check(type, value, "strict");
  if (issues !== undefined) throw new ValidationError(type.name, issues);
}

/** Checks `value` as `mode` says; in a lenient mode the result is a canonical copy. */
export function check<T>(type: Type<T>, value: unknown, mode: Mode): Validation<T> {
  return checkIn(runOf(mode), type, value);
}

/** Begins a check in any mode. */
export function runOf(mode: Mode): Run {
  return new Run(mode === "strict" ? checkStrictly : mode);
}

/** As {@link check}, in a run that has just begun. */
export function checkIn<T>(run: Run, type: Type<T>, value: unknown): Validation<T> {
  const result = type.check(value, run);
  return result === undefined || run.issues.length > 0 ? { issues: run.issues } : { value: result };
}

/** Makes a {@link Schema} of a type. */
export function schema<T>(type: Type<T>): Schema<T> {
  return {
    ...type,
    "~standard": { version: 1, vendor: "a2a-codegen", validate: (value) => checkIn(new Run("json"), type, value) },
  };
}

/** Writes keys and indexes as a JSON Pointer (RFC 6901). */
export function pointerOf(path: readonly (string | number)[]): string {
  let pointer = "";
  for (const key of path) {
    // Most keys have nothing to escape.
    const name = String(key);
    pointer += `/${/[~/]/.test(name) ? name.replaceAll("~", "~0").replaceAll("/", "~1") : name}`;
  }
  return pointer;
}

/** Says in a few words what a value is. */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value);
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value === null || typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
