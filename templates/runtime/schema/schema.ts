import { isJsonValue, maxDepth } from "../base/json.js";

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

/** As {@link Validation}, in the form of Standard Schema: libraries that infer a type from it look at every `value`. */
export type SchemaResult<T> =
  { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** How forgiving a check is. */
export type Mode =
  /** The canonical JSON only. */
  | "strict"
  /** What ProtoJSON lets a parser accept, as long as the type has it. */
  | "json"
  /** As `json`, and a number that no value of an enum has stays as it is, as it does where bytes are read. */
  | "open"
  /**
   * As `json`, and what a later version may have added stays as it came: values of enums and members of oneofs. Lists may
   * be empty.
   */
  | "tolerant"
  /** As `tolerant`, and elements of lists and maps in which something required is missing stay as they came. */
  | "partial"
  /** As `json`, with every scalar as a string: path segments and query parameters. */
  | "text";

/** A test of a value, compared as methods are, so that a `Type<Task>` is also a `Type<unknown>`. */
type Test<T> = { test(value: T): boolean }["test"];

/** A kind of value: how to check it, and how to bring it into its canonical form. */
export interface Type<T> {
  /** The name of the type for messages: `string`, `Task`, … */
  readonly name: string;
  /** Returns the canonical value, or reports what is wrong to the context and returns `undefined`. */
  readonly check: (value: unknown, context: ValidationContext) => T | undefined;
  /** Returns whether the value says nothing that its absence would not say. */
  readonly isDefault?: Test<T>;
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
    readonly validate: (value: unknown) => SchemaResult<T>;
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
export class ValidationContext {
  readonly issues: Issue[] = [];
  /** What a tolerant check left as it came. */
  readonly unknown: Issue[] = [];
  readonly path: (string | number)[] = [];
  readonly mode: Mode;
  readonly lenient: boolean;
  readonly tolerant: boolean;
  readonly partial: boolean;
  readonly text: boolean;

  constructor(mode: Mode) {
    this.mode = mode;
    this.lenient = mode !== "strict";
    this.partial = mode === "partial";
    this.tolerant = this.partial || mode === "tolerant";
    this.text = mode === "text";
  }

  /** Whether no more issues will be kept. */
  get full(): boolean {
    return this.issues.length >= maxIssues;
  }

  /** Reports that something else was expected at the current place. Where `isLeft`, `value` stays as it came. */
  report(expected: string, value: unknown, isLeft = false): undefined {
    const issues = isLeft ? this.unknown : this.issues;
    if (issues.length >= maxIssues) return;
    const found = describe(value);
    const path = this.path.slice();
    const pointer = pointerOf(path);
    issues.push({
      message: `${pointer || "/"} expected ${expected}, got ${found}`,
      path,
      pointer,
      expected,
      found,
    });
  }

  /** Reports that something else was expected in a member of the current value. */
  reportAt(key: string, expected: string, value: unknown, isLeft?: boolean): void {
    this.path.push(key);
    this.report(expected, value, isLeft);
    this.path.pop();
  }

  /** Returns whether a tolerant check may leave a value as it came: one that is no deeper than others. */
  mayKeep(value: unknown): boolean {
    return this.tolerant && isJsonValue(value, this.path.length);
  }

  /** Reports a list or object that is nested too deep, and returns whether it is. */
  tooDeep(value: unknown): boolean {
    if (this.path.length < maxDepth) return false;
    this.report(`at most ${String(maxDepth)} levels of nesting`, value);
    return true;
  }

  /** Checks a member of the current value. */
  at<T>(key: string | number, type: Type<T>, value: unknown): T | undefined {
    this.path.push(key);
    const result = type.check(value, this);
    this.path.pop();
    return result;
  }

  /** Checks an element of the current value. A partial check leaves an element as it came if members are only missing. */
  element<T>(key: string | number, type: Type<T>, value: unknown): T | undefined {
    const before = this.issues.length;
    const result = this.at(key, type, value);
    if (this.issues.length === before || !this.partial || !this.mayKeep(value)) return result;
    const found = this.issues.slice(before);
    if (found.some((issue) => issue.found !== "nothing")) return result;
    this.issues.length = before;
    this.unknown.push(...found);
    return value as T;
  }
}

/**
 * Returns the canonical form of `value`, or throws a {@link ValidationError} with every issue. In the mode `open`, enums
 * of the result may also be numbers, whatever its type says.
 */
export function parse<T>(type: Type<T>, value: unknown, mode: Mode = "json"): T {
  const result = check(type, value, mode);
  if (result.issues !== undefined) throw new ValidationError(type.name, result.issues);
  return result.value;
}

/**
 * Checks `value` as `mode` says; in a lenient mode the result is a canonical copy. `onUnknown` is called with what the
 * modes `tolerant` and `partial` left as it came, if there is anything.
 */
export function check<T>(
  type: Type<T>,
  value: unknown,
  mode: Mode,
  onUnknown?: (issues: readonly Issue[]) => void,
): Validation<T> {
  const context = new ValidationContext(mode);
  const result = type.check(value, context);
  if (result === undefined || context.issues.length > 0) return { issues: context.issues };
  if (context.unknown.length > 0) onUnknown?.(context.unknown);
  return { value: result };
}

/** Makes a {@link Schema} of a type. */
export function schema<T>(type: Type<T>): Schema<T> {
  return {
    ...type,
    "~standard": { version: 1, vendor: "a2a-codegen", validate: (value) => check(type, value, "json") },
  };
}

/** Writes keys and indexes as a JSON Pointer (RFC 6901). */
export function pointerOf(path: readonly (string | number)[]): string {
  let pointer = "";
  for (const key of path) {
    // Most keys have nothing to escape.
    const isPlain = typeof key === "number" || !(key.includes("~") || key.includes("/"));
    pointer += `/${isPlain ? String(key) : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return pointer;
}

/** Says in a few words what a value is. */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value);
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
