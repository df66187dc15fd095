import type { Diagnostics } from "../../../support/diagnostics.js";
import type { MessageDef, ValueType } from "../../protocol/model/types.js";
import type { Definition, SchemaDocument } from "./document.js";
import type { NamedFacts } from "./intersect.js";
import { memberOf, scalarOf, textOf, type JsonNode } from "./json.js";
import type { JsonTypes, TypeFinder } from "./json-types.js";
import type { Planner } from "./plan.js";
import type { SchemaHints } from "../../protocol/model/schema-parts.js";

/** The context of a schema. */
export interface Context {
  /** The definition, and the path from there to the schema. */
  readonly path: readonly string[];
  /** The TypeScript name of the type that is declared for the schema. */
  readonly name: string;
  /** The JSON types that the surrounding schemas allow. */
  readonly types: JsonTypes;
}

/** The functions that the parts of the reader call to build types. */
export interface Builder {
  readonly document: SchemaDocument;
  readonly planner: Planner;
  readonly finder: TypeFinder;
  readonly facts: NamedFacts;
  readonly hints: SchemaHints;
  readonly diagnostics: Diagnostics;
  /** Returns the type of an inline schema, and declares the type if it requires a name. */
  value(node: JsonNode, context: Context): ValueType;
  /** Returns the type that the object keywords of a schema describe, and declares the type. */
  object(node: JsonNode, context: Context): ValueType;
  /** Returns a reference to a definition. */
  reference(definition: Definition): ValueType;
  /** Returns the type of a definition that is planned as a message. */
  message(definition: Definition): MessageDef;
}

/** Returns the doc comment and the deprecation of a schema. */
export function docsOf(node: JsonNode): { docs: string; deprecated: boolean } {
  const deprecated = scalarOf(memberOf(node, "deprecated")) === true;
  return { docs: textOf(node, "description")?.trim() ?? "", deprecated };
}
