import type { BindingDef, OperationDef, ServiceDef } from "./binding-types.js";
import type { TypeDef } from "./json-types.js";
import type { LegacyDef, RemovedDef, VersionHints } from "./legacy-types.js";
import type { WireDef } from "./wire-types.js";

export * from "./binding-types.js";
export type * from "./json-types.js";
export * from "./legacy-types.js";
export type * from "./wire-types.js";

/**
 * The intermediate representation of a version of the protocol. Readers build this representation,
 * and targets have no other input. The model describes the JSON on the wire. Each field also has
 * its protobuf name and number.
 */
export interface Protocol {
  /** The title for headers and reports, for example `A2A 1.0.1`. */
  readonly title: string;
  /** The kinds of files from which the protocol was read. */
  readonly sources: readonly ("proto" | "schema" | "manifest")[];
  /** The types of the model, in the order of the source. Names are unique. */
  readonly types: readonly TypeDef[];
  /** The subject of each type, which determines the output file of the type. */
  readonly subjects: ReadonlyMap<string, string>;
  /** The messages and enums of protobuf; absent for versions without a proto. */
  readonly wire?: WireDef;
  /** The fields that some bindings do not support, or only support for some values. */
  readonly losses: readonly LossDef[];
  readonly operations: readonly OperationDef[];
  /** The services that clients call without discovery; absent if the services are agents. */
  readonly services?: readonly ServiceDef[];
  /** The facts of the binding manifest; absent without a manifest, or if it only contains names. */
  readonly binding?: BindingDef;
  /** The parts that a target does not support. */
  readonly omissions: readonly Omission[];
  /** Old names from earlier versions, each with the new name. */
  readonly legacy: readonly LegacyDef[];
  /** Old names from earlier versions, for elements that have no successor. */
  readonly removed: readonly RemovedDef[];
  /**
   * The folders of the types that other outputs of the same run declare, by the full names of the
   * types. Folders are relative to the folder of the run.
   */
  readonly elsewhere?: ReadonlyMap<string, string>;
  /** Additional information for converting values from earlier versions. */
  readonly versions?: VersionHints;
}

/** A field that some bindings do not support, or for which they only support some values. */
export interface LossDef {
  /**
   * The TypeScript name of the type that has the field; for a field that only protobuf has, the
   * message.
   */
  readonly type: string;
  /** The field, or its path. */
  readonly field: string;
  /** The bindings that have this loss. */
  readonly bindings: readonly ("jsonrpc" | "rest" | "grpc")[];
  /**
   * - `field`: the bindings do not support the field.
   * - `default`: a value that is the default of its type is not transferred.
   * - `form`: the bindings can represent only some values, or the receiver gets values in another
   *   form.
   */
  readonly kind: "field" | "default" | "form";
  /** The effect, as a sentence for reports and doc comments. */
  readonly text: string;
}

/** A part of the protocol that the output of a target does not contain. */
export interface Omission {
  /** The name of the target or binding, for example `jsonrpc`. */
  readonly target: string;
  /** The omitted operation or field, or `everything`. */
  readonly subject: string;
  readonly reason: string;
}
