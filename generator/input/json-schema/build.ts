import type { Diagnostics } from "../../../support/diagnostics.js";
import type {
  MessageDef,
  TypeDef,
  TypeRef,
  UnionDef,
  ValueType,
} from "../../protocol/model/types.js";
import { docsOf, type Builder, type Context } from "./builder.js";
import type { Definition, FoundProperty, SchemaDocument } from "./document.js";
import { enumValues } from "./enums.js";
import type { NamedFacts } from "./intersect.js";
import type { JsonNode, JsonScalar } from "./json.js";
import { allTypes, constantsOf, type JsonTypes, type TypeFinder } from "./json-types.js";
import { constraintsOf, hasKey } from "./keywords.js";
import { mergedFields, ownFields, restOf } from "./messages.js";
import type { Naming } from "./names.js";
import { stringConstantsOf, type Plan, type Planner } from "./plan.js";
import type { SchemaHints } from "../../protocol/model/schema-parts.js";
import { inlineValue, innerTypes, itemValues } from "./values.js";

/** The input of the builder. */
export interface BuilderOptions {
  readonly document: SchemaDocument;
  readonly finder: TypeFinder;
  readonly planner: Planner;
  readonly naming: Naming;
  readonly hints: SchemaHints;
  readonly diagnostics: Diagnostics;
}

/**
 * Builds the types of a schema: a type for each definition, and for each inline schema that needs a
 * name.
 */
export class SchemaBuilder implements Builder {
  readonly document: SchemaDocument;
  readonly finder: TypeFinder;
  readonly planner: Planner;
  readonly hints: SchemaHints;
  readonly diagnostics: Diagnostics;
  readonly facts: NamedFacts;
  readonly #naming: Naming;
  readonly #known = new Map<
    string,
    { readonly types: JsonTypes; readonly constants?: readonly JsonScalar[] }
  >();
  readonly #values = new Map<JsonNode, ValueType>();
  readonly #definitions = new Map<string, TypeDef>();
  /**
   * The types of inline schemas, by the definition that contains them. An outer type precedes the
   * types inside it.
   */
  readonly #inner = new Map<string, { type?: TypeDef }[]>();

  /** Build inline types later, because they may refer to the type that contains them. */
  readonly #waiting: (() => void)[] = [];

  constructor(options: BuilderOptions) {
    ({ document: this.document, finder: this.finder, planner: this.planner } = options);
    ({ hints: this.hints, diagnostics: this.diagnostics, naming: this.#naming } = options);
    this.facts = {
      typesOf: (name) => this.#known.get(name)?.types ?? allTypes,
      constantsOf: (name) => this.#known.get(name)?.constants,
    };
    for (const { name, node } of this.document.definitions.values())
      this.#learn(this.#naming.definition(name), node);
  }

  /**
   * Returns every type, in the order of the source. Types of inline schemas follow the definition
   * that contains them.
   */
  types(): TypeDef[] {
    const definitions = [...this.document.definitions.values()].map((definition) =>
      this.#definition(definition),
    );
    for (let build = this.#waiting.shift(); build !== undefined; build = this.#waiting.shift())
      build();
    return definitions.flatMap((type) => {
      const inner = (this.#inner.get(type.fullName) ?? []).flatMap((slot) => slot.type ?? []);
      return [type, ...inner];
    });
  }

  value(node: JsonNode, context: Context): ValueType {
    const known = this.#values.get(node);
    if (known !== undefined) return known;
    const value = this.#value(node, context);
    this.#values.set(node, value);
    return value;
  }

  object(node: JsonNode, context: Context): ValueType {
    return this.#declare(node, context, "message", (about) =>
      objectDef(this, node, context, about),
    );
  }

  reference(definition: Definition): ValueType {
    const kind = this.planner.definition(definition);
    return { kind, name: this.#naming.definition(definition.name) };
  }

  message(definition: Definition): MessageDef {
    const type = this.#definition(definition);
    if (type.kind !== "message") throw new TypeError(`${definition.name} is planned as a message`);
    return type;
  }

  /** Returns the reference of a property to a type, and declares the type if it has no name yet. */
  typeRef({ entry, path }: FoundProperty, name: string): TypeRef {
    const context = { path, name, types: allTypes };
    const type = this.value(entry.value, context);
    if (type.kind === "null") return { kind: "empty", json: "null" };
    if (
      type.kind === "message" ||
      type.kind === "enum" ||
      type.kind === "union" ||
      type.kind === "alias"
    )
      return { kind: "named", name: type.name };
    this.#declare(entry.value, context, "alias", (about) => ({ kind: "alias", ...about, type }));
    return { kind: "named", name };
  }

  #definition(definition: Definition): TypeDef {
    const { name, node } = definition;
    const known = this.#definitions.get(name);
    if (known !== undefined) return known;
    const about = { name: this.#naming.definition(name), fullName: name, ...docsOf(node) };
    const context = { path: [name], name: this.#naming.base(name), types: allTypes };
    const type = this.#typeDef(node, context, this.planner.definition(definition), about);
    this.#definitions.set(name, type);
    return type;
  }

  #value(node: JsonNode, context: Context): ValueType {
    const target = this.document.definitionAt(node) ?? this.planner.aliasOf(node);
    if (target !== undefined) return this.reference(target);
    const plan = this.planner.inline(node, context.types);
    const name = this.#naming.given(context.path);
    if (name === undefined && plan !== "message") return inlineValue(this, node, context);
    const named = { ...context, name: name ?? context.name };
    return this.#declare(node, named, plan, (about) => this.#typeDef(node, named, plan, about));
  }

  #typeDef(node: JsonNode, context: Context, plan: Plan, about: About): TypeDef {
    switch (plan) {
      case "message":
        return this.planner.partsOf(node)
          ? { kind: "message", ...about, fields: mergedFields(this, node, context), oneofs: [] }
          : objectDef(this, node, context, about);
      case "enum":
        return {
          kind: "enum",
          ...about,
          values: enumValues(this, node, [about.fullName, about.name]),
        };
      case "union": {
        const key = hasKey(node, "oneOf") ? "oneOf" : "anyOf";
        const inner = { ...context, types: innerTypes(this, node, context) };
        return {
          kind: "union",
          ...about,
          members: itemValues(this, node, key, inner),
          exclusive: key === "oneOf",
        };
      }
      case "alias": {
        const path = [...context.path, "object"];
        const object = { ...context, path, name: `${context.name}Object` };
        return { kind: "alias", ...about, type: inlineValue(this, node, context, object) };
      }
    }
  }

  #declare(
    node: JsonNode,
    { path, name }: Context,
    kind: Plan,
    make: (about: About) => TypeDef,
  ): ValueType {
    const fullName = path.join(".");
    this.#naming.claim(name, fullName, node.location);
    this.#learn(name, node, kind);
    const slot: { type?: TypeDef } = {};
    const [owner = ""] = path;
    this.#inner.set(owner, [...(this.#inner.get(owner) ?? []), slot]);
    this.#waiting.push(() => (slot.type = make({ name, fullName, ...docsOf(node) })));
    return { kind, name };
  }

  #learn(name: string, node: JsonNode, kind?: Plan): void {
    const types: JsonTypes = kind === "message" ? new Set(["object"]) : this.finder.typesOf(node);
    const target = this.planner.aliasOf(node);
    const isConstant = constraintsOf(node).every((key) => ["type", "enum", "const"].includes(key));
    const listed = isConstant
      ? constantsOf(node)
      : stringConstantsOf(node).flatMap((item) => constantsOf(item) ?? []);
    if (target !== undefined) this.#learn(name, target.node);
    else
      this.#known.set(name, listed && listed.length > 0 ? { types, constants: listed } : { types });
  }
}

type About = Pick<UnionDef, "name" | "fullName" | "docs" | "deprecated">;

function objectDef(builder: Builder, node: JsonNode, context: Context, about: About): MessageDef {
  const fields = ownFields(builder, node, context);
  const rest = restOf(builder, node, context);
  return { kind: "message", ...about, fields, oneofs: [], ...(rest && { rest }) };
}
