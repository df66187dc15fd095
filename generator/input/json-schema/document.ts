import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import { pascalCase, isIdentifier } from "../../../support/names.js";
import type { Definition } from "./definition.js";
import type { SchemaFile } from "./files.js";
import { itemsOf, memberOf, textOf, type JsonEntry, type JsonNode } from "./json.js";
import { constraintsOf } from "./keywords.js";
import { definitionsIn, ReferenceResolver, type ReferenceProblem } from "./references.js";

export type { Definition } from "./definition.js";

/** A property with its path: the definition or inline schema that declares it, and its name. */
export interface FoundProperty {
  readonly entry: JsonEntry;
  readonly path: readonly string[];
}

/** Files and name of a document. */
export interface DocumentOptions {
  /** The main file, and the files that it refers to. */
  readonly files: readonly SchemaFile[];
  /**
   * The name of the type that the document itself describes. Required if the document must be a
   * type.
   */
  readonly rootType?: string | undefined;
}

/** A JSON Schema document: its definitions, and the targets of its references. */
export class SchemaDocument {
  readonly root: JsonNode;
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Whether the document itself is a definition. */
  readonly hasRootType: boolean;
  readonly #references: ReferenceResolver;

  /**
   * Reads the definitions in `definitions` and `$defs`, and the definitions that references add.
   * Reports names that both keywords declare. The document itself is a definition if it has
   * constraints, or with `rootType`.
   */
  constructor(root: JsonNode, diagnostics: Diagnostics, { files, rootType }: DocumentOptions) {
    this.root = root;
    const listed = definitionsIn(root);
    const names = new Set(listed.map(([name]) => name.toLowerCase()));
    const rootName = rootType ?? (isType(root) ? rootNameOf(root, names) : undefined);
    this.hasRootType = rootName !== undefined;
    const definitions = new Map<string, Definition>();
    if (rootName !== undefined)
      definitions.set(rootName, { name: rootName, location: root.location, node: root });
    for (const [name, { location, value: node }] of listed) {
      const earlier = definitions.get(name);
      if (earlier !== undefined) {
        const message = `"${name}" is defined twice, first in line ${earlier.location.line ?? 1}`;
        diagnostics.add(location, message, "Rename or remove one of them");
      } else definitions.set(name, { name, location, node });
    }
    this.#references = new ReferenceResolver(root, definitions, files, diagnostics);
    this.definitions = definitions;
  }

  /** Returns the definition that a schema refers to by `$ref`. */
  targetOf(node: JsonNode): Definition | undefined {
    return this.#references.targetOf(node);
  }

  /**
   * Returns the definition of a schema that references refer to, although it is inside another
   * schema.
   */
  definitionAt(node: JsonNode): Definition | undefined {
    return this.#references.definitionAt(node);
  }

  /** Returns why the `$ref` of a schema is invalid; `undefined` if it is valid. */
  referenceProblem(node: JsonNode): ReferenceProblem | undefined {
    return this.#references.problemOf(node);
  }

  /** Finds a property of an object schema. The property may come from `$ref` or `allOf`. */
  property(node: JsonNode, name: string, path: readonly string[]): FoundProperty | undefined {
    return this.#property(node, name, path, new Set());
  }

  /**
   * Returns the location of a definition, or of the value at a path in the definition. A path
   * consists of property names, keywords, and indexes in lists of schemas.
   */
  locationOf(path: readonly string[]): Location | undefined {
    const [first = "", ...rest] = path;
    const definition = this.definitions.get(first);
    let found: JsonEntry | undefined = definition && {
      location: definition.location,
      value: definition.node,
    };
    for (const step of rest) found = found && this.#step(found.value, step);
    return found?.location;
  }

  #step(node: JsonNode, step: string): JsonEntry | undefined {
    const property = this.property(node, step, [])?.entry;
    if (property !== undefined) return property;
    if (node.kind === "object") return node.entries.get(step);
    const item = itemsOf(node)[Number(step)];
    return item && { location: item.location, value: item };
  }

  #property(
    node: JsonNode,
    name: string,
    path: readonly string[],
    seen: Set<JsonNode>,
  ): FoundProperty | undefined {
    if (seen.has(node)) return undefined;
    seen.add(node);
    const properties = memberOf(node, "properties");
    const own = properties?.kind === "object" ? properties.entries.get(name) : undefined;
    if (own !== undefined) return { entry: own, path: [...path, name] };
    const target = this.targetOf(node);
    const inherited = target && this.#property(target.node, name, [target.name], seen);
    if (inherited !== undefined) return inherited;
    for (const part of itemsOf(memberOf(node, "allOf"))) {
      const found = this.#property(part, name, path, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/**
 * Returns whether a document is a type itself: it has constraints, and does not only refer to a
 * definition.
 */
function isType(root: JsonNode): boolean {
  const keys = constraintsOf(root);
  return keys.length > (keys.includes("$ref") ? 1 : 0);
}

/** Returns the name of the type that a document describes: its title, or the name of its file. */
function rootNameOf(root: JsonNode, used: ReadonlySet<string>): string {
  const file = root.location.file.replace(/^.*[\\/]/, "").replace(/\..*$/, "");
  const names = [textOf(root, "title") ?? "", file, `${file} root`, "root"].map(pascalCase);
  return names.find((name) => isIdentifier(name) && !used.has(name.toLowerCase())) ?? "Root";
}
