import type { Diagnostics, Location } from "../../support/diagnostics.js";
import { itemsOf, memberOf, membersOf, textOf, type JsonEntry, type JsonNode } from "./json.js";

/** A definition of a schema. Its location is the location of its name. */
export interface Definition {
  readonly name: string;
  readonly location: Location;
  readonly node: JsonNode;
}

/** A property with its path: the definition or inline schema that declares it, and its name. */
export interface FoundProperty {
  readonly entry: JsonEntry;
  readonly path: readonly string[];
}

/** A JSON Schema document: its definitions, and the targets of its references. */
export class SchemaDocument {
  readonly root: JsonNode;
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly #id: string | undefined;
  readonly #rootType: string | undefined;

  /**
   * Reads the definitions in `definitions` and `$defs`. Reports names that both keywords declare. With `rootType`, the
   * document itself is a definition with this name.
   */
  constructor(root: JsonNode, diagnostics: Diagnostics, rootType?: string) {
    this.root = root;
    this.#rootType = rootType;
    this.#id = textOf(root, "$id")?.replace(/#$/, "");
    const definitions = new Map<string, Definition>();
    if (rootType !== undefined) definitions.set(rootType, { name: rootType, location: root.location, node: root });
    for (const [name, { location, value: node }] of ["definitions", "$defs"].flatMap((key) =>
      membersOf(memberOf(root, key)),
    )) {
      const earlier = definitions.get(name);
      if (earlier !== undefined) {
        const message = `"${name}" is defined twice, first in line ${earlier.location.line ?? 1}`;
        diagnostics.add(location, message, "Rename or remove one of them");
      } else definitions.set(name, { name, location, node });
    }
    this.definitions = definitions;
  }

  /** Whether the document itself is a definition. */
  get hasRootType(): boolean {
    return this.#rootType !== undefined;
  }

  /** Returns the definition that a reference names; `undefined` if this document does not contain it. */
  resolve(reference: string): Definition | undefined {
    const pointer = this.pointerOf(reference);
    if (pointer === "" && this.#rootType !== undefined) return this.definitions.get(this.#rootType);
    const [, name] = /^\/(?:definitions|\$defs)\/([^/]+)$/.exec(pointer ?? "") ?? [];
    return name === undefined ? undefined : this.definitions.get(name.replaceAll("~1", "/").replaceAll("~0", "~"));
  }

  /** Returns the JSON Pointer of a reference; `undefined` if it names another document or an anchor. */
  pointerOf(reference: string): string | undefined {
    const [base = "", fragment = ""] = reference.split(/#(.*)/s);
    if (base !== "" && base !== this.#id) return undefined;
    try {
      const pointer = decodeURIComponent(fragment);
      return pointer === "" || pointer.startsWith("/") ? pointer : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns the definition that a schema refers to by `$ref`. */
  targetOf(node: JsonNode): Definition | undefined {
    const reference = textOf(node, "$ref");
    return reference === undefined ? undefined : this.resolve(reference);
  }

  /** Finds a property of an object schema. The property may come from `$ref` or `allOf`. */
  property(node: JsonNode, name: string, path: readonly string[]): FoundProperty | undefined {
    return this.#property(node, name, path, new Set());
  }

  /**
   * Returns the location of a definition, or of the value at a path in the definition. A path consists of property
   * names, keywords, and indexes in lists of schemas.
   */
  locationOf(path: readonly string[]): Location | undefined {
    const [first = "", ...rest] = path;
    const definition = this.definitions.get(first);
    let found: JsonEntry | undefined = definition && { location: definition.location, value: definition.node };
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

  #property(node: JsonNode, name: string, path: readonly string[], seen: Set<JsonNode>): FoundProperty | undefined {
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
