import type { Location } from "../../support/diagnostics.js";

/** Input of a merge: the interface, the methods of the last run, and the modules of the file. */
export interface MergePlan {
  /** Path of the file, as shown in messages. Its extension selects the syntax. */
  readonly file: string;
  readonly service: ServicePlan;
  /** Whether a file that does not implement the service stays unchanged, instead of an error. */
  readonly isOptional?: boolean;
  /**
   * Names of the methods in the last run. If they are absent, no method is added, because the user
   * may have omitted a missing method on purpose.
   */
  readonly known?: readonly string[] | undefined;
  /** Names of methods whose operation was removed before the last run. */
  readonly removed?: readonly string[] | undefined;
  readonly modules: Modules;
  /**
   * Returns the specifier for a module of the output folder. Only called if the file does not
   * import any module of the folder yet.
   */
  readonly specifierOf: (module: string) => string;
  /**
   * Whether locations in the result refer to the original text, because the run does not write the
   * merged text.
   */
  readonly reportsOldLocations?: boolean;
}

/** Service of an output folder. */
export interface ServicePlan {
  /** Name of the interface. */
  readonly name: string;
  /** Function that accepts an implementation as a property of its first argument. */
  readonly factory: { readonly name: string; readonly property: string };
  /** Methods in the order of the specification. */
  readonly methods: readonly ServiceMethod[];
  /** Names of the output's functions that return an implementation of all methods. */
  readonly serviceFactories: readonly string[];
}

/** Method of the service. */
export interface ServiceMethod {
  readonly name: string;
  /** Imports that the text uses. */
  readonly needs: readonly ImportNeed[];
  readonly request: ValueShape;
  readonly response: ValueShape;
  /**
   * Text of the method with its doc comment, in the style of the output: two spaces, double quotes,
   * semicolons. A number is an index in `needs`, and represents the local name of that import.
   */
  readonly text: readonly (string | number)[];
}

/** Name that must be imported. */
export interface ImportNeed {
  readonly name: string;
  /**
   * Modules of the output folder that export the name, by path without extension. The first module
   * is the default.
   */
  readonly modules: readonly string[];
  readonly isValue: boolean;
}

/** Type of a request or a response of a method. */
export interface ValueShape {
  /** Type as text for messages. */
  readonly shown: string;
  /** Names of the matching types: the type itself, and the members of a union. */
  readonly names: readonly string[];
  readonly streams: boolean;
}

/** Resolver of the modules that a file imports. */
export interface Modules {
  /**
   * Returns the module of the output folder for a specifier, by path without extension; otherwise
   * `undefined`.
   */
  moduleOf(specifier: string): string | undefined;
  /**
   * Returns a source file of the user with its own resolver; `undefined` for packages and missing
   * files.
   */
  read(
    specifier: string,
  ): { readonly file: string; readonly text: string; readonly modules: Modules } | undefined;
}

/** Method with its location in the file. */
export interface MethodLocation extends Required<Omit<Location, "file">> {
  readonly method: string;
}

/** Method whose signature does not match the interface. */
export interface ChangedMethod extends MethodLocation {
  readonly part: "request" | "response";
  /** Types in the file and in the interface. */
  readonly found: string;
  readonly expected: string;
}

/** Method that is missing and was not added, at the location of its implementation. */
export interface MissingMethod extends MethodLocation {
  /** Reason why the method was not added. */
  readonly reason: string;
}

/** Result of a merge, method by method. Lines and columns count from 1. */
export interface MergeReport {
  readonly added: readonly MethodLocation[];
  /** Methods whose operation is not in this specification. */
  readonly removed: readonly MethodLocation[];
  readonly changed: readonly ChangedMethod[];
  /** Methods that were not added because it is unknown whether they are new. */
  readonly missing: readonly MissingMethod[];
}

/** Text of a file after a merge, and a report about the changes. */
export interface MergeResult extends MergeReport {
  readonly text: string;
  /** Whether the file implements the service. */
  readonly isImplemented: boolean;
  /** Insertions that the merge made. */
  readonly insertions: readonly Insertion[];
}

/** Text to insert at a position of the original text. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}
