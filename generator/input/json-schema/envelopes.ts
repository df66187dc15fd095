import type { Diagnostics } from "../../../support/diagnostics.js";
import { isIdentifier, pascalCase } from "../../../support/names.js";
import { docsOf } from "./builder.js";
import type { SchemaBuilder } from "./build.js";
import type { Definition, FoundProperty, SchemaDocument } from "./document.js";
import { itemsOf, memberOf, textOf, type JsonNode, type JsonScalar } from "./json.js";
import { constantsOf, type TypeFinder } from "./json-types.js";
import type { Naming } from "./names.js";
import type { Planner } from "./plan.js";
import type {
  SchemaError,
  SchemaNote,
  SchemaOperation,
} from "../../protocol/model/schema-parts.js";

interface Envelope {
  readonly definition: Definition;
  readonly name: string;
  readonly method: string;
  readonly params: FoundProperty | undefined;
  readonly result: FoundProperty | undefined;
}

/** Finds the operations and errors among the definitions, by the constants of their properties. */
export class Envelopes {
  readonly #document: SchemaDocument;
  readonly #planner: Planner;
  readonly #errors = new Map<string, boolean>();

  constructor(document: SchemaDocument, planner: Planner) {
    this.#document = document;
    this.#planner = planner;
  }

  /** Returns whether a definition is an error, or a union of errors. */
  isError(name: string): boolean {
    const known = this.#errors.get(name) ?? this.#isError(name);
    this.#errors.set(name, known);
    return known;
  }

  #isError(name: string): boolean {
    const definition = this.#document.definitions.get(name);
    if (definition === undefined) return false;
    if (this.#planner.definition(definition) !== "union")
      return this.#codeOf(definition) !== undefined;
    const members = itemsOf(
      memberOf(definition.node, "anyOf") ?? memberOf(definition.node, "oneOf"),
    );
    return members.every((member) => this.isError(this.#planner.aliasOf(member)?.name ?? ""));
  }

  /** Returns the errors, in the order of the source. */
  errors(): SchemaError[] {
    return [...this.#document.definitions.values()].flatMap((definition) => {
      const { name, node } = definition;
      const code = this.#codeOf(definition);
      const property = this.#document.property(node, "message", [name])?.entry.value;
      const message = property && (constantOf(property) ?? textOf(property, "default"));
      const text = typeof message === "string" ? { message } : {};
      return code === undefined ? [] : [{ name, code, ...text, docs: docsOf(node).docs }];
    });
  }

  /**
   * Returns the operations, in the order of the source. If several definitions declare the same
   * method, only the first of them becomes an operation, and a note names the others. Reports
   * operations with the same name, and ambiguous results.
   */
  operations(diagnostics: Diagnostics, notes: SchemaNote[]): Envelope[] {
    const found = new Map<string, Envelope>();
    for (const definition of this.#document.definitions.values()) {
      for (const envelope of this.#operation(definition, diagnostics)) {
        const { method, name } = envelope;
        const earlier = found.get(method);
        const namesake = [...found.values()].find((other) => other.name === name);
        if (earlier !== undefined) {
          const reason = `"${earlier.definition.name}" already declares its method "${method}"`;
          notes.push({ target: "operations", subject: definition.name, reason });
        } else if (namesake !== undefined) {
          const message =
            `"${namesake.definition.name}" and "${definition.name}" both declare the operation ` +
            `"${name}"`;
          diagnostics.add(definition.location, message, "Rename or remove one of them");
        } else found.set(method, envelope);
      }
    }
    return [...found.values()];
  }

  #operation(definition: Definition, diagnostics: Diagnostics): Envelope[] {
    const method = constantOf(this.#propertyOf(definition, "method"));
    if (typeof method !== "string") return [];
    const name = definition.name.replace(/(?<=.)Request$/, "");
    const path = [definition.name];
    const params = this.#document.property(definition.node, "params", path);
    const response = this.#document.definitions.get(`${name}Response`);
    const [result, other] = response
      ? this.#resultsOf(response.node, [response.name], new Set())
      : [];
    if (response !== undefined && other !== undefined) {
      const message = `"${response.name}" has several members with a "result"`;
      diagnostics.add(response.location, message, 'Keep one member whose "result" is a union');
    }
    return [{ definition, name, method, params, result }];
  }

  /** Returns the property `result` of a response, or of each response in a union. */
  #resultsOf(node: JsonNode, path: readonly string[], seen: Set<JsonNode>): FoundProperty[] {
    if (seen.has(node)) return [];
    seen.add(node);
    const found = this.#document.property(node, "result", path);
    if (found !== undefined) return [found];
    const target = this.#document.targetOf(node);
    const inner = ["anyOf", "oneOf", "allOf"].flatMap((key) =>
      itemsOf(memberOf(node, key)).flatMap((member, index) =>
        this.#resultsOf(member, [...path, key, String(index)], seen),
      ),
    );
    return [...(target ? this.#resultsOf(target.node, [target.name], seen) : []), ...inner];
  }

  #codeOf(definition: Definition): number | undefined {
    const code = constantOf(this.#propertyOf(definition, "code"));
    return typeof code === "number" && Number.isInteger(code) ? code : undefined;
  }

  #propertyOf(definition: Definition, name: string): JsonNode | undefined {
    if (this.#planner.definition(definition) !== "message") return undefined;
    return this.#document.property(definition.node, name, [definition.name])?.entry.value;
  }
}

/** Proposes names for params and results that have no name in the schema. */
export function proposeNames(
  envelopes: readonly Envelope[],
  naming: Naming,
  { planner, finder }: { readonly planner: Planner; readonly finder: TypeFinder },
): void {
  for (const { name, params, result } of envelopes) {
    for (const [property, words] of [
      [params, ["Params", "Input"]] as const,
      [result, ["Result", "Output"]] as const,
    ]) {
      if (property === undefined || planner.aliasOf(property.entry.value) !== undefined) continue;
      const types = finder.typesOf(property.entry.value);
      const isNull = types.size === 1 && types.has("null");
      if (!isNull)
        naming.propose(
          property.path,
          words.map((word) => typeName(name) + word),
        );
    }
  }
}

/** Returns an operation with the types that were built for its request and response. */
export function describeOperation(envelope: Envelope, builder: SchemaBuilder): SchemaOperation {
  const { definition, name, method, params, result } = envelope;
  return {
    name,
    method,
    ...docsOf(definition.node),
    request: params
      ? builder.typeRef(params, `${typeName(name)}Params`)
      : { kind: "empty", json: "object" },
    response: result && builder.typeRef(result, `${typeName(name)}Result`),
  };
}

function typeName(name: string): string {
  return isIdentifier(name) ? name : pascalCase(name);
}

function constantOf(node: JsonNode | undefined): JsonScalar | undefined {
  const constants = node && constantsOf(node);
  return constants?.length === 1 ? constants[0] : undefined;
}
