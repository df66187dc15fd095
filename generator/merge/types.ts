import type { Location } from "../support/diagnostics.js";

/** What a merge has to know: what the interface wants, what the last run knew, and what the modules of a file are. */
export interface MergePlan {
  /** How messages call the file; its extension says how to read it. */
  readonly file: string;
  readonly service: ServicePlan;
  /** The names of the methods that the last run knew; absent where that is not known, and then nothing is added. */
  readonly known?: readonly string[] | undefined;
  /** Names of methods whose operation had been removed before the last run. */
  readonly removed?: readonly string[] | undefined;
  readonly modules: Modules;
  /** How the file imports a module of the output folder where none of its own imports shows how. */
  readonly specifierOf: (module: string) => string;
  /** Whether the locations of the result are those in the text as it was, as a run that changes nothing needs them. */
  readonly keepPlaces?: boolean;
}

/** The service of an output folder. */
export interface ServicePlan {
  /** The name of the interface. */
  readonly name: string;
  /** The function that takes an implementation as a property of its first argument. */
  readonly factory: { readonly name: string; readonly property: string };
  /** The methods, in the order of the specification. */
  readonly methods: readonly ServiceMethod[];
  /** Functions of the output folder that return an implementation of all methods. */
  readonly makers: readonly string[];
}

/** A method of the service. */
export interface ServiceMethod {
  readonly name: string;
  /** What its text imports. */
  readonly needs: readonly ImportNeed[];
  readonly request: ValueShape;
  readonly response: ValueShape;
  /**
   * The method with its doc comment, in the layout of the output: two spaces, double quotes, semicolons. A number stands
   * for the name of one of `needs`, as the file calls it.
   */
  readonly text: readonly (string | number)[];
}

/** A name that has to be imported. */
export interface ImportNeed {
  readonly name: string;
  /** The modules of the output folder that export it, by path without extension; the first is the usual one. */
  readonly modules: readonly string[];
  readonly isValue: boolean;
}

/** What goes into a method or comes out of it. */
export interface ValueShape {
  /** How messages write the type. */
  readonly shown: string;
  /** The names of the types that fit: the type itself, and the members of a union. */
  readonly names: readonly string[];
  readonly streams: boolean;
}

/** How a file finds other files. */
export interface Modules {
  /** The module of the output folder that a specifier leads to, by path without extension; otherwise `undefined`. */
  moduleOf(specifier: string): string | undefined;
  /** A source file of the user, and its modules; `undefined` for packages, and for what is not there. */
  read(specifier: string): { readonly file: string; readonly text: string; readonly modules: Modules } | undefined;
}

/** A method, and where it is in the file. */
export interface MethodLocation extends Required<Omit<Location, "file">> {
  readonly method: string;
}

/** A method whose signature is not what the interface wants. */
export interface ChangedMethod extends MethodLocation {
  readonly part: "request" | "response";
  /** The type that the file has, and the one that the interface has. */
  readonly found: string;
  readonly wanted: string;
}

/** A method that could be added, at the implementation that lacks it. */
export interface MissingMethod extends MethodLocation {
  /** Why it was not. */
  readonly reason: string;
}

/** What a merge did, method by method. Locations count from 1. */
export interface MergeReport {
  readonly added: readonly MethodLocation[];
  /** Methods whose operation this specification does not have. */
  readonly removed: readonly MethodLocation[];
  readonly changed: readonly ChangedMethod[];
  /** Methods that were not added, because they are not known to be new. */
  readonly missing: readonly MissingMethod[];
}

/** The text of a file after a merge, and what was done to it. */
export interface MergeResult extends MergeReport {
  readonly text: string;
  /** What came in where. */
  readonly insertions: readonly Insertion[];
}

/** Text that comes in at a position, counted in the text as it was. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
  /** How much white space behind the position it takes the place of; none unless said. */
  readonly drops?: number;
}
