import type { Place } from "../../support/diagnostics.js";
import type { TypeDef, TypeRef } from "./types.js";

/** What the manifest says about the types of a schema. */
export interface SchemaHints {
  /** TypeScript names, by the name of a definition (`Task`) or the path of an inline schema (`Message.role`). */
  readonly names: Readonly<Record<string, string>>;
  /** Keys of enum constants: `TaskState.unknown` (the definition, path or TypeScript name, a dot, the text). */
  readonly keys: Readonly<Record<string, string>>;
}

/** What a JSON Schema says about a protocol. */
export interface SchemaParts {
  /** The types, in the order of the source. The full name is that of the definition, or the path of an inline schema. */
  readonly types: readonly TypeDef[];
  readonly operations: readonly SchemaOperation[];
  readonly errors: readonly SchemaError[];
  /** What is read but not enforced. */
  readonly notes: readonly SchemaNote[];
  /**
   * The place of a definition, or of what a path leads to from there: `placeOf("Task", "status")`. The full name of a
   * type will do as well: `placeOf("Message.role")`.
   */
  readonly placeOf: (...path: readonly string[]) => Place | undefined;
}

/** An operation, as a request with a `method` constant declares it. */
export interface SchemaOperation {
  /** The name of the definition without the ending `Request`. */
  readonly name: string;
  /** The constant. */
  readonly method: string;
  readonly docs: string;
  readonly deprecated: boolean;
  /** What the `params` are. */
  readonly request: TypeRef;
  /** What the `result` of the response is; `undefined` where there is no response with one. */
  readonly response: TypeRef | undefined;
}

/** An error, as an object with a `code` constant declares it. */
export interface SchemaError {
  /** The name of the definition. */
  readonly name: string;
  readonly code: number;
  /** The constant of its `message`, or else the default. */
  readonly message?: string;
  readonly docs: string;
}

/** Something that is read and not enforced. */
export interface SchemaNote {
  /** The definition or the path of an inline schema. */
  readonly subject: string;
  readonly reason: string;
}
