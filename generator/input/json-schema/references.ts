import type { Diagnostics } from "../../../support/diagnostics.js";
import { isIdentifier, pascalCase } from "../../../support/names.js";
import type { Definition } from "./definition.js";
import { fileAt, pathsOf, uriOf, type SchemaFile } from "./files.js";
import {
  itemsOf,
  memberOf,
  membersOf,
  parseJson,
  scalarOf,
  textOf,
  type JsonNode,
} from "./json.js";
import { innerSchemas, keywords } from "./keywords.js";

/** Reason why a reference is invalid, as the end of a sentence, and what to do. */
export interface ReferenceProblem {
  readonly reason: string;
  readonly hint: string;
}

/** A schema with its own base URI: a file, or a definition with an `$id`. */
interface Resource {
  readonly root: JsonNode;
  readonly uri: string | undefined;
  readonly file: SchemaFile;
}

/** Target of a reference, and the resource that contains it. */
interface Target {
  readonly definition: Definition;
  readonly resource: Resource;
}

/** URIs of the dialects of JSON Schema. */
export const dialects =
  /^https?:\/\/json-schema\.org\/(draft-0[67]|draft\/(2019-09|2020-12))\/schema#?$/;

/** Schema of a JSON Schema. Its keywords are not checked. */
const dialectFile: SchemaFile = {
  path: "json-schema.json",
  id: undefined,
  source: {
    file: "json-schema.json",
    text: '{ "title": "JSON Schema", "type": ["object", "boolean"] }',
  },
};

/**
 * Resolves the references of a schema: to definitions, to other parts of the file by JSON Pointer,
 * and to other files. Adds a definition for each target that is not a definition of the main file.
 */
export class ReferenceResolver {
  readonly #files: readonly SchemaFile[];
  readonly #diagnostics: Diagnostics;
  readonly #definitions: Map<string, Definition>;
  readonly #main: Resource;
  /** The resources of the files and of the definitions with an `$id`, by their root. */
  readonly #resources = new Map<JsonNode, Resource>();
  readonly #roots = new Map<SchemaFile, JsonNode | undefined>();
  readonly #byNode = new Map<JsonNode, Definition>();
  readonly #targets = new Map<JsonNode, Definition>();
  readonly #problems = new Map<JsonNode, ReferenceProblem>();
  readonly #names = new Set<string>();

  /** `definitions` contains the definitions of the main file, whose node is `root`. */
  constructor(
    root: JsonNode,
    definitions: Map<string, Definition>,
    files: readonly SchemaFile[],
    diagnostics: Diagnostics,
  ) {
    const [file = dialectFile] = files;
    this.#files = files;
    this.#diagnostics = diagnostics;
    this.#definitions = definitions;
    this.#roots.set(file, root);
    this.#main = this.#resource(root, file, undefined);
    for (const definition of definitions.values()) {
      this.#byNode.set(definition.node, definition);
      this.#names.add(keyOf(definition.name));
    }
    this.#link([root, ...[...definitions.values()].map(({ node }) => node)]);
  }

  /**
   * Returns the definition that the `$ref` of a schema refers to; `undefined` if the reference is
   * invalid.
   */
  targetOf(node: JsonNode): Definition | undefined {
    return this.#targets.get(node);
  }

  /**
   * Returns the definition that a schema inside another definition became, because a reference
   * refers to it.
   */
  definitionAt(node: JsonNode): Definition | undefined {
    return this.#byNode.get(node);
  }

  /** Returns why the `$ref` of a schema is invalid; `undefined` if it is valid. */
  problemOf(node: JsonNode): ReferenceProblem | undefined {
    return this.#problems.get(node);
  }

  /**
   * Resolves the references in the given schemas, in the schemas inside them, and in the targets.
   */
  #link(nodes: readonly JsonNode[]): void {
    const waiting = nodes.map((node) => [node, this.#main] as const);
    const visited = new Set<JsonNode>();
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [node, around] = next;
      if (visited.has(node)) continue;
      visited.add(node);
      const resource = this.#resources.get(node) ?? around;
      const reference = textOf(node, "$ref");
      const found = reference === undefined ? undefined : this.#resolve(reference, resource);
      if (found !== undefined && "reason" in found) this.#problems.set(node, found);
      else if (found !== undefined) {
        this.#targets.set(node, found.definition);
        waiting.push([found.definition.node, found.resource]);
      }
      waiting.push(...innerSchemas(node, []).map((inner) => [inner.node, resource] as const));
    }
  }

  #resolve(reference: string, from: Resource): Target | ReferenceProblem {
    const [base = "", fragment = ""] = reference.split(/#(.*)/s);
    // Some references ignore an inner `$id`, so the whole file is the second candidate.
    const resources = base === "" ? [from, this.#whole(from)] : this.#named(base, from);
    if ("reason" in resources) return resources;
    const steps = stepsOf(fragment);
    for (const resource of resources) {
      const found = steps && schemaAt(resource.root, steps);
      if (found !== undefined) return { definition: this.#define(found, resource), resource };
    }
    const where = base === "" ? "" : ` in ${resources[0]?.file.source.file ?? base}`;
    const isDefinition = /^\/(?:definitions|\$defs)\/[^/]+$/.test(fragment);
    if (!isDefinition)
      return {
        reason: `does not refer to a schema${where}`,
        hint: "Refer to a definition, a property or a file",
      };
    return {
      reason: `refers to a missing definition${where}`,
      hint: "Add it to the definitions, or correct the name",
    };
  }

  /** Returns the resource of the file that contains a resource. */
  #whole({ root, file }: Resource): Resource {
    return this.#resource(this.#rootOf(file) ?? root, file, undefined);
  }

  /** Returns the resource with a URI, or the file at a path. */
  #named(base: string, from: Resource): readonly Resource[] | ReferenceProblem {
    const uri = uriOf(base, from.uri) ?? base;
    const known = [...this.#resources.values()].find((resource) => resource.uri === uri);
    if (known !== undefined) return [known];
    const place = { ...from.file, id: from.uri };
    const file = dialects.test(uri) ? dialectFile : fileAt(base, place, this.#files);
    if (file === undefined) {
      const [path = base] = pathsOf(base, place);
      const hint =
        `Add it to the project as ${path}, relative to the schema, or copy the definition into ` +
        "this file";
      return { reason: "refers to another file, which does not exist in the project", hint };
    }
    const root = this.#rootOf(file);
    if (root === undefined)
      return {
        reason: `refers to ${file.source.file}, which is invalid`,
        hint: "Correct that file",
      };
    return [this.#resource(root, file, undefined)];
  }

  #rootOf(file: SchemaFile): JsonNode | undefined {
    if (!this.#roots.has(file)) this.#roots.set(file, parseJson(file.source, this.#diagnostics));
    return this.#roots.get(file);
  }

  /** Returns the resource of a schema, and registers the definitions in it that have an `$id`. */
  #resource(root: JsonNode, file: SchemaFile, base: string | undefined): Resource {
    const known = this.#resources.get(root);
    if (known !== undefined) return known;
    const id = textOf(root, "$id");
    const resource = {
      root,
      file,
      uri: id === undefined ? base : (uriOf(id, base) ?? id.replace(/#$/, "")),
    };
    this.#resources.set(root, resource);
    for (const [, { value }] of definitionsIn(root))
      if (textOf(value, "$id")?.startsWith("#") === false)
        this.#resource(value, file, resource.uri);
    return resource;
  }

  /** Returns the definition for a schema, and adds it if no definition has this schema yet. */
  #define({ node, names, isDefinition }: FoundSchema, { root, file }: Resource): Definition {
    const known = this.#byNode.get(node);
    if (known !== undefined) return known;
    const fileName = pascalCase(file.path.replace(/^.*\//, "").replace(/\..*$/, ""));
    const title = pascalCase(textOf(root, "title") ?? "");
    const whole = isIdentifier(title) ? title : fileName;
    const [first = whole, ...inner] = isDefinition ? names : [whole, ...names];
    const name = this.#unused(
      inner.length === 0 ? first : [first, ...inner].map(pascalCase).join(""),
      fileName,
    );
    const definition = { name, location: node.location, node };
    this.#byNode.set(node, definition);
    this.#definitions.set(name, definition);
    return definition;
  }

  /** Returns an unused name: the name itself, with the name of its file, or with a number. */
  #unused(name: string, fileName: string): string {
    const numbered = Array.from(
      { length: this.#names.size + 1 },
      (_, index) => `${name}${index + 2}`,
    );
    const unused =
      [name, fileName + pascalCase(name), ...numbered].find(
        (entry) => !this.#names.has(keyOf(entry)),
      ) ?? name;
    this.#names.add(keyOf(unused));
    return unused;
  }
}

/**
 * Returns the form of a name in which it must be unique: TypeScript names must not only differ in
 * case.
 */
function keyOf(name: string): string {
  return (isIdentifier(name) ? name : pascalCase(name)).toLowerCase();
}

/** Returns the definitions directly inside a schema. */
export function definitionsIn(node: JsonNode): ReturnType<typeof membersOf> {
  return ["definitions", "$defs"].flatMap((key) => membersOf(memberOf(node, key)));
}

/**
 * Returns the steps of a JSON Pointer in a fragment; `undefined` if the fragment is not a JSON
 * Pointer.
 */
function stepsOf(fragment: string): string[] | undefined {
  if (fragment === "") return [];
  try {
    const [first, ...steps] = decodeURIComponent(fragment).split("/");
    return first === ""
      ? steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
      : undefined;
  } catch {
    return undefined;
  }
}

/** A schema inside a resource. */
interface FoundSchema {
  readonly node: JsonNode;
  /** Names of the definitions, properties and keywords that lead to the schema. */
  readonly names: readonly string[];
  /** Whether the first name is the name of a definition. */
  readonly isDefinition: boolean;
}

/**
 * Returns the schema at a path. Values of keywords that are not schemas cannot be referred to;
 * members of unknown keywords can.
 */
function schemaAt(root: JsonNode, steps: readonly string[]): FoundSchema | undefined {
  let [node, at]: [JsonNode | undefined, "schema" | "several" | "unknown"] = [root, "schema"];
  const names: string[] = [];
  for (const step of steps) {
    const kind = at === "schema" ? keywords.get(step) : undefined;
    if (at === "several" || at === "unknown" || kind === "schema") names.push(step);
    if (at === "several" || kind === "schema") at = "schema";
    else if (
      kind === "schemas" ||
      kind === "schemaMap" ||
      kind === "patternMap" ||
      kind === "definitions"
    )
      at = "several";
    else if (kind === undefined) at = "unknown";
    else return undefined;
    node =
      node?.kind === "list"
        ? itemsOf(node)[/^\d+$/.test(step) ? Number(step) : -1]
        : memberOf(node, step);
  }
  const isValue = node?.kind === "object" || typeof scalarOf(node) === "boolean";
  if (node === undefined || at === "several" || !isValue) return undefined;
  return { node, names, isDefinition: keywords.get(steps[0] ?? "") === "definitions" };
}
