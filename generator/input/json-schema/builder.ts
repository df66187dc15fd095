import type { Diagnostics } from "../../support/diagnostics.js";
import type { MessageDef, ValueType } from "../../protocol/model/types.js";
import type { Definition, SchemaDocument } from "./document.js";
import type { NamedFacts } from "./intersect.js";
import { memberOf, scalarOf, textOf, type JsonNode } from "./json.js";
import type { JsonTypes, TypeFinder } from "./json-types.js";
import type { Planner } from "./plan.js";
import type { SchemaHints } from "../../protocol/model/schema-parts.js";

/** Where a schema stands. */
export interface Context {
  /** The definition, and what leads from there to the schema. */
  readonly path: readonly string[];
  /** What a type is called in TypeScript that has to be declared for the schema. */
  readonly name: string;
  /** The types that values of the schema can have, by what is said around it. */
  readonly types: JsonTypes;
}

/** What the parts of the reader need of each other to build types. */
export interface Builder {
  readonly document: SchemaDocument;
  readonly planner: Planner;
  readonly finder: TypeFinder;
  readonly facts: NamedFacts;
  readonly hints: SchemaHints;
  readonly diagnostics: Diagnostics;
  /** The type of an inline schema, which may be declared on the way. */
  value(node: JsonNode, context: Context): ValueType;
  /** Declares the part of a schema that is about objects. */
  object(node: JsonNode, context: Context): ValueType;
  /** A reference to a definition. */
  reference(definition: Definition): ValueType;
  /** The message of a definition that is planned as one. */
  message(definition: Definition): MessageDef;
}

/** What a schema says for readers. */
export function aboutOf(node: JsonNode): { docs: string; deprecated: boolean } {
  const deprecated = scalarOf(memberOf(node, "deprecated")) === true;
  return { docs: textOf(node, "description")?.trim() ?? "", deprecated };
}
