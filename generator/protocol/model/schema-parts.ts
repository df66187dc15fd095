import type { Location } from "../../../support/diagnostics.js";
import type { TypeDef, TypeRef } from "./types.js";

/** The names that the manifest specifies for the types of a schema. */
export interface SchemaHints {
  /**
   * TypeScript names, by the name of a definition (`Task`) or the path of an inline schema
   * (`Message.role`).
   */
  readonly names: Readonly<Record<string, string>>;
  /**
   * Keys of enum constants, such as `TaskState.unknown`: the definition, path or TypeScript name, a
   * dot, and the value.
   */
  readonly keys: Readonly<Record<string, string>>;
  /**
   * Other accepted spellings of enum values: for each enum (named as in `keys`), the value for each
   * spelling.
   */
  readonly enumAliases: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The parts of a protocol that a JSON Schema describes. */
export interface SchemaParts {
  /**
   * The types, in the order of the source. The full name is the name of the definition, or the path
   * of an inline schema.
   */
  readonly types: readonly TypeDef[];
  readonly operations: readonly SchemaOperation[];
  readonly errors: readonly SchemaError[];
  /** The keywords that are read but not enforced. */
  readonly notes: readonly SchemaNote[];
  /**
   * Returns the location of a definition or of a path inside it. Also accepts the full name of a
   * type.
   *
   * @example locationOf("Task", "status"); locationOf("Message.role");
   */
  readonly locationOf: (...path: readonly string[]) => Location | undefined;
}

/** An operation, which a request with a constant `method` declares. */
export interface SchemaOperation {
  /** The name of the definition without the suffix `Request`. */
  readonly name: string;
  /** The constant `method` of the request. */
  readonly method: string;
  readonly docs: string;
  readonly deprecated: boolean;
  /** The type of `params`. */
  readonly request: TypeRef;
  /** The type of `result` in the response; `undefined` if no response belongs to the operation. */
  readonly response: TypeRef | undefined;
}

/** An error, which an object with a constant `code` declares. */
export interface SchemaError {
  /** The name of the definition. */
  readonly name: string;
  readonly code: number;
  /** The constant of the property `message`, or the property's default if it is not a constant. */
  readonly message?: string;
  readonly docs: string;
}

/** A part of a schema that is read but not used, such as a keyword that is not enforced. */
export interface SchemaNote {
  /** The target that omits the subject; `validators` by default. */
  readonly target?: string;
  /** The definition or the path of an inline schema. */
  readonly subject: string;
  readonly reason: string;
}
