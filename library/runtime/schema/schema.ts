import { isJsonValue, maxDepth } from "../base/json.js";
import { describe, issueOf, type Issue } from "./issue.js";

export type { Issue };

/** An object whose members are unchecked. */
export type Given = Readonly<Record<string, unknown>>;

/** Result of a check: the value, or all issues. */
export type Validation<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly value?: undefined; readonly issues: readonly Issue[] };

/**
 * A {@link Validation} in the form of Standard Schema. The variant with issues does not declare
 * `value`, because libraries infer the output type from every declared `value`.
 */
export type SchemaResult<T> =
  { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** Strictness of a check. */
export type Mode =
  /** Only accepts the canonical JSON. */
  | "strict"
  /** Accepts everything that ProtoJSON parsers may accept for the type. */
  | "json"
  /** Like `json`, but keeps unknown enum numbers, as decoding bytes does. */
  | "open"
  /**
   * Like `json`, but keeps possible additions of a later version: unknown enum values and unknown
   * members of oneofs. Required lists may be empty.
   */
  | "tolerant"
  /** Like `tolerant`, but also keeps incomplete elements of lists and maps. */
  | "partial"
  /** Like `json`, but every scalar is a string, as in path segments and query parameters. */
  | "text";

/**
 * A predicate. Declared as a method, because the parameters of methods are bivariant: a
 * `Type<Task>` is therefore also a `Type<unknown>`.
 */
type Test<T> = { test(value: T): boolean }["test"];

/** A type of values: how to check a value, and how to convert it to its canonical form. */
export interface Type<T> {
  /** The name of the type for messages: `string`, `Task`, … */
  readonly name: string;
  /** Returns the canonical value, or reports issues to the context and returns `undefined`. */
  readonly check: (value: unknown, context: ValidationContext) => T | undefined;
  /** Returns whether the value is equivalent to its absence. */
  readonly isDefault?: Test<T>;
  /** Set if `null` is a value of the type. For all other types, `null` counts as absent. */
  readonly nullable?: true;
  /** Set for lists: the type of the elements. */
  readonly element?: Type<unknown>;
  /** Set for maps: the type of the values. */
  readonly entry?: Type<unknown>;
  /** Set if the type has only one value. */
  readonly constant?: unknown;
  /** Set for messages: returns the type of a field by its JSON name. */
  field?(name: string): Type<unknown> | undefined;
}

/**
 * A {@link Type} that other libraries can use as a Standard Schema v1 (https://standardschema.dev).
 */
export interface Schema<T> extends Type<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "a2a-codegen";
    readonly validate: (value: unknown) => SchemaResult<T>;
    readonly types?: { readonly input: unknown; readonly output: T };
  };
}

/** Error for an invalid value. `issues` contains all differences from its type. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";
  /** The name of the expected type. */
  declare readonly type: string;
  declare readonly issues: readonly Issue[];

  constructor(type: string, issues: readonly Issue[]) {
    super(`${type}: ${issues.map((issue) => issue.message).join("; ")}`);
    this.type = type;
    this.issues = issues;
  }
}

/**
 * Maximum number of issues that one check reports. A longer list is not useful and takes memory.
 */
const maxIssues = 100;

/** A field of a message, for a {@link Forgiver}. */
export interface Member {
  readonly name: string;
  readonly type: Type<unknown>;
  /** The name under which some peers send the field. */
  readonly alias: string | undefined;
  /** Set if the field is required, but a tolerant check adds an absent value. */
  readonly maybeEmpty: true | undefined;
  readonly oneof: object | undefined;
}

/** One of several alternatives for an object. */
export interface Alternative {
  /** The constant that marks the objects of the alternative. */
  readonly constant?: unknown;
  /** Returns whether objects of the alternative may have a member. */
  has(key: string): boolean;
}

/** Reads known deviations of peers: the functions of `forgiver.ts`. */
export interface Forgiver {
  readonly meantBy: (text: string, type: string) => string | undefined;
  readonly innerOf: (
    value: Given,
    type: string,
    fields: { readonly entries: ReadonlyMap<string, Member>; readonly needed: readonly unknown[] },
    context: ValidationContext,
  ) => Given | undefined;
  readonly bareIn: (
    entries: ReadonlyMap<string, Member>,
    oneof: object,
    value: Given,
    context: ValidationContext,
    checkType: typeof check,
  ) => Given | undefined;
  readonly restored: (
    member: Member,
    object: Given,
    context: ValidationContext,
  ) => { readonly value: unknown } | undefined;
  readonly fitting: <Each extends Alternative>(
    alternatives: readonly Each[],
    value: Given,
    key?: string,
  ) => Each | undefined;
}

/** State of one check: the current path, and the issues so far. */
export class ValidationContext {
  readonly issues: Issue[] = [];
  /**
   * Issues of unknown values that a tolerant check has kept, and of deviations that the check has
   * tolerated.
   */
  readonly deviations: Issue[] = [];
  readonly path: (string | number)[] = [];
  declare readonly mode: Mode;
  declare readonly lenient: boolean;
  declare readonly tolerant: boolean;
  declare readonly partial: boolean;
  declare readonly text: boolean;
  /** Reads known deviations of peers. Only set in lenient modes. */
  declare forgiver: Forgiver | undefined;

  constructor(mode: Mode, forgiver?: Forgiver) {
    this.mode = mode;
    this.lenient = mode !== "strict";
    this.forgiver = this.lenient ? forgiver : undefined;
    this.partial = mode === "partial";
    this.tolerant = this.partial || mode === "tolerant";
    this.text = mode === "text";
  }

  /** Whether further issues are dropped. */
  get full(): boolean {
    return this.issues.length >= maxIssues;
  }

  /**
   * Reports an issue at the current path. Set `isLeft` if the check accepts `value` nevertheless:
   * the issue is then added to `deviations`.
   */
  report(expected: string, value: unknown, isLeft = false): undefined {
    const issues = isLeft ? this.deviations : this.issues;
    if (issues.length >= maxIssues) return;
    issues.push(issueOf(expected, describe(value), this.path.slice()));
  }

  /** Adds accepted deviations, up to the number that a check reports. */
  accept(deviations: readonly Issue[]): void {
    for (const deviation of deviations)
      if (this.deviations.length < maxIssues) this.deviations.push(deviation);
  }

  /** Reports an issue at a member of the current value. */
  reportAt(key: string, expected: string, value: unknown, isLeft?: boolean): void {
    this.path.push(key);
    this.report(expected, value, isLeft);
    this.path.pop();
  }

  /**
   * Returns whether a tolerant check may keep a value unchanged. The value must be JSON within the
   * maximum depth.
   */
  mayKeep(value: unknown): boolean {
    return this.tolerant && isJsonValue(value, this.path.length);
  }

  /** Returns whether a list or an object is nested too deeply. If so, also reports an issue. */
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

  /**
   * Checks an element of the current value. If the only issues are missing members, a partial check
   * keeps the element unchanged.
   */
  element<T>(key: string | number, type: Type<T>, value: unknown): T | undefined {
    const before = this.issues.length;
    const result = this.at(key, type, value);
    // Only missing members may be ignored: an invalid member could change the meaning of the
    // element.
    if (this.issues.length === before || !this.partial || !this.mayKeep(value)) return result;
    const found = this.issues.slice(before);
    if (found.some((issue) => issue.found !== "nothing")) return result;
    this.issues.length = before;
    this.accept(found);
    return value as T;
  }
}

/**
 * Returns the canonical form of `value`, or throws a {@link ValidationError} with all issues. The
 * value is never changed. Objects and lists that are canonical are not copied, so the result shares
 * them with the value. In the mode `open`, enums in the result may be numbers, although the type
 * does not include them.
 */
export function parse<T>(type: Type<T>, value: unknown, mode: Mode = "json"): T {
  const result = check(type, value, mode);
  if (result.issues !== undefined) throw new ValidationError(type.name, result.issues);
  return result.value;
}

/** How a check handles values that deviate from their type. */
export interface Forgiveness {
  /** Reads known deviations of peers. Without it, they are issues. */
  readonly forgiver?: Forgiver | undefined;
  /**
   * Called with the deviations and with the unknown values that the check has accepted, if there
   * are any.
   */
  readonly onDeviation: (deviations: readonly Issue[]) => void;
}

/**
 * Checks `value` in a mode. In a lenient mode, the result is its canonical form, which shares
 * canonical objects and lists with it.
 */
export function check<T>(
  type: Type<T>,
  value: unknown,
  mode: Mode,
  forgiveness?: Forgiveness,
): Validation<T> {
  const context = new ValidationContext(mode, forgiveness?.forgiver);
  const result = type.check(value, context);
  if (result === undefined || context.issues.length > 0) return { issues: context.issues };
  if (context.deviations.length > 0) forgiveness?.onDeviation(context.deviations);
  return { value: result };
}

/**
 * Returns all issues in a value that is not in its canonical form. If no member has an issue, for
 * example because a getter hides the issue, reports the value as a whole.
 */
export function issuesOf(type: Type<unknown>, value: unknown): readonly Issue[] {
  return check(type, value, "strict").issues ?? [issueOf(type.name, describe(value))];
}

/** Returns the error for a value that is not in its canonical form, with all issues. */
export function errorOf(type: Type<unknown>, value: unknown): ValidationError {
  return new ValidationError(type.name, issuesOf(type, value));
}

/** Creates a {@link Schema} from a type. */
export function schema<T>(type: Type<T>): Schema<T> {
  return {
    ...type,
    "~standard": {
      version: 1,
      vendor: "a2a-codegen",
      validate: (value) => check(type, value, "json"),
    },
  };
}
