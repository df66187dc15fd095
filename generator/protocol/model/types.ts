import type { BindingDef, OperationDef } from "./binding-types.js";
import type { TypeDef } from "./json-types.js";
import type { LegacyDef, RemovedDef, VersionHints } from "./legacy-types.js";
import type { WireDef } from "./wire-types.js";

export * from "./binding-types.js";
export type * from "./json-types.js";
export * from "./legacy-types.js";
export type * from "./wire-types.js";

/**
 * The intermediate representation of a version of the protocol: readers build it, and targets know nothing else. The
 * model is the JSON on the wire; each field also has its protobuf name and number.
 */
export interface Protocol {
  /** The title for headers and reports, for example `A2A 1.0.1`. */
  readonly title: string;
  /** The kinds of files that it was read from. */
  readonly sources: readonly ("proto" | "schema" | "manifest")[];
  /** The types of the model, in the order of the source. Names are unique. */
  readonly types: readonly TypeDef[];
  /** The subject of each type: files of the output are split by it. */
  readonly subjects: ReadonlyMap<string, string>;
  /** The messages and enums of protobuf; absent for versions without a proto. */
  readonly wire?: WireDef;
  /** The fields that one binding carries and another does not. */
  readonly losses: readonly LossDef[];
  readonly operations: readonly OperationDef[];
  /** The facts of the binding manifest; absent if there is none, or if it only has names. */
  readonly binding?: BindingDef;
  /** The parts that a target cannot carry. */
  readonly omissions: readonly Omission[];
  /** Names of earlier versions that have a new name. */
  readonly legacy: readonly LegacyDef[];
  /** Names of earlier versions that have no successor. */
  readonly removed: readonly RemovedDef[];
  /** What else is needed to map the values of earlier versions. */
  readonly versions?: VersionHints;
}

/** A field that some bindings do not carry, or not with all values. */
export interface LossDef {
  /** The type that has the field, by its name in TypeScript; for fields of protobuf, the message. */
  readonly type: string;
  /** The field, or the path to it. */
  readonly field: string;
  /** The bindings that do not carry it. */
  readonly bindings: readonly ("jsonrpc" | "rest" | "grpc")[];
  /**
   * - `field`: the bindings do not carry the field.
   * - `default`: the default of its type arrives as absent.
   * - `form`: only some values can be carried, or arrive in another form.
   */
  readonly kind: "field" | "default" | "form";
  /** The effect, as a sentence for reports and doc comments. */
  readonly text: string;
}

/** A part of the protocol that a target leaves out. */
export interface Omission {
  /** The name of the target or binding, for example `jsonrpc`. */
  readonly target: string;
  /** The operation or field that is left out, or `everything`. */
  readonly subject: string;
  readonly reason: string;
}
