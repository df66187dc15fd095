import type { BindingDef, OperationDef } from "./binding-types.js";
import type { TypeDef } from "./json-types.js";
import type { LegacyDef, RemovedDef } from "./legacy-types.js";
import type { WireDef } from "./wire-types.js";

export * from "./binding-types.js";
export type * from "./json-types.js";
export * from "./legacy-types.js";
export type * from "./wire-types.js";

/**
 * The intermediate representation: everything that the targets know about a version of the protocol. Readers build it,
 * targets read it. The JSON that travels is the model; each field also knows how protobuf carries it.
 */
export interface Protocol {
  /** Where it comes from, for headers and reports, for example `A2A 1.0.1`. */
  readonly title: string;
  /** What it was read from. */
  readonly sources: readonly ("proto" | "schema" | "manifest")[];
  /** Every type of the JSON that travels, in the order of the source. Names are unique. */
  readonly types: readonly TypeDef[];
  /** How protobuf carries the types; absent for versions without a proto. */
  readonly wire?: WireDef;
  /** What one binding carries and another does not. */
  readonly losses: readonly LossDef[];
  readonly operations: readonly OperationDef[];
  /** What the binding manifest says beyond the operations; absent without a manifest that says it. */
  readonly binding?: BindingDef;
  /** What a target cannot carry, and why. */
  readonly omissions: readonly Omission[];
  /** Names of earlier versions, and what they are called now. */
  readonly legacy: readonly LegacyDef[];
  /** Names of earlier versions that nothing has taken the place of. */
  readonly removed: readonly RemovedDef[];
}

/** Something that one binding carries and others do not. */
export interface LossDef {
  /** The type that has the field, by its name in TypeScript; for fields of protobuf, the message. */
  readonly type: string;
  /** The field, or the path to it. */
  readonly field: string;
  /** The bindings that do not carry it. */
  readonly bindings: readonly ("jsonrpc" | "rest" | "grpc")[];
  /**
   * - `field`: the binding has no place for it.
   * - `default`: a value that is the default of its type arrives as if it were absent.
   * - `form`: only some values can be carried, or arrive in another form.
   */
  readonly kind: "field" | "default" | "form";
  /** What happens, as a sentence for reports and doc comments. */
  readonly text: string;
}

/** Something that is left out of a target. */
export interface Omission {
  /** The name of the target or binding, for example `jsonrpc`. */
  readonly target: string;
  /** What is left out: the operation, field, or all of it. */
  readonly subject: string;
  readonly reason: string;
}
