import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import { nearNames } from "../../../support/near-names.js";
import type { SchemaDocument } from "./document.js";
import { forms } from "./forms.js";
import { itemsOf, membersOf, scalarOf, textsOf, type JsonEntry, type JsonNode } from "./json.js";
import { hasKey, innerSchemas, keywords, unsupported, type KeywordKind } from "./keywords.js";
import { dialects } from "./references.js";
import { isSlowPattern } from "./slow-patterns.js";
import type { SchemaNote } from "../../protocol/model/schema-parts.js";

/**
 * Checks the keywords of every schema in a document: they must be known, their values must have the
 * required form, and references must refer to definitions. Reports errors, adds a note for each
 * keyword that is not enforced, and returns whether the document is valid.
 */
export function checkKeywords(
  document: SchemaDocument,
  diagnostics: Diagnostics,
  notes: SchemaNote[],
): boolean {
  const checker = new KeywordChecker(document, diagnostics, notes);
  checker.root();
  for (const { name, node } of document.definitions.values()) checker.schema(node, [name]);
  return checker.isSound;
}

/**
 * The maximum number of values, schemas or properties that a keyword may list. The TypeScript
 * compiler does not accept types with many more parts, and alternatives are compared with each
 * other.
 */
const limits: { readonly [Kind in KeywordKind]?: number } = {
  values: 10_000,
  names: 10_000,
  schemaMap: 10_000,
  patternMap: 1_000,
  schemas: 1_000,
};

class KeywordChecker {
  isSound = true;
  readonly #document: SchemaDocument;
  readonly #diagnostics: Diagnostics;
  readonly #notes: SchemaNote[];
  readonly #checked = new Set<JsonNode>();

  constructor(document: SchemaDocument, diagnostics: Diagnostics, notes: SchemaNote[]) {
    this.#document = document;
    this.#diagnostics = diagnostics;
    this.#notes = notes;
  }

  root(): void {
    const { root } = this.#document;
    if (root.kind !== "object")
      return this.#report(
        root.location,
        "the schema is not an object",
        'Use an object with "definitions"',
      );
    // As a type, the document is checked like any other definition.
    if (this.#document.hasRootType) return;
    const unknown = membersOf(root).filter(([key]) => !keywords.has(key));
    if (
      !["$schema", "$ref", "definitions", "$defs"].some((key) => hasKey(root, key)) &&
      unknown.length > 1
    )
      return this.#report(
        root.location,
        "the file is not a JSON Schema",
        'Specify a JSON Schema with types under "definitions"',
      );
    for (const [key, entry] of membersOf(root))
      this.#keyword(key, root, entry, ["the schema as a whole"]);
  }

  schema(node: JsonNode, path: readonly string[]): void {
    if (this.#checked.has(node)) return;
    this.#checked.add(node);
    if (node.kind !== "object") {
      if (typeof scalarOf(node) === "boolean") return;
      this.#report(
        node.location,
        `"${path.join(".")}" is not a schema`,
        "Use an object with keywords, true or false",
      );
      return;
    }
    for (const [key, entry] of node.entries) this.#keyword(key, node, entry, path);
    for (const key of ["then", "else"].filter((word) => hasKey(node, word) && !hasKey(node, "if")))
      this.#note(path, `the keyword "${key}" has no effect without "if"`);
    if (hasKey(node, "if") && !hasKey(node, "then") && !hasKey(node, "else"))
      this.#note(path, 'the keyword "if" has no effect without "then" or "else"');
    for (const inner of innerSchemas(node, path)) this.schema(inner.node, inner.path);
  }

  #keyword(key: string, node: JsonNode, entry: JsonEntry, path: readonly string[]): void {
    const kind = keywords.get(key);
    if (key === "$schema") this.#dialect(entry);
    else if (key === "items" && entry.value.kind === "list")
      this.#report(
        entry.location,
        'a list of schemas in "items" is not supported',
        "Use one schema for all elements",
      );
    else if (kind === undefined) this.#unknown(key, entry.location, path);
    else if (kind === "reference") this.#reference(node, entry);
    else this.#value(key, kind, entry, path);
  }

  /** Unknown keywords are annotations. A note reports a keyword whose name may be misspelled. */
  #unknown(key: string, location: Location, path: readonly string[]): void {
    if (unsupported.has(key))
      return this.#report(
        location,
        `the keyword "${key}" is not supported here`,
        "Remove it, or use other keywords",
      );
    const near = /^[a-z]+$/i.test(key) ? nearNames(key, [...keywords.keys(), ...unsupported]) : [];
    if (near.length > 0)
      this.#note(
        path,
        `the keyword "${key}" in line ${location.line ?? 1} is unknown. Did you mean ` +
          `${near.join(" or ")}?`,
      );
  }

  #form(key: string, kind: KeywordKind, { location, value }: JsonEntry): boolean {
    const { what, fits } = forms[kind];
    if (!fits(value)) this.#report(location, `"${key}" must be ${what}`, "Correct the value");
    return fits(value);
  }

  #value(key: string, kind: KeywordKind, entry: JsonEntry, path: readonly string[]): void {
    if (!this.#form(key, kind, entry)) return;
    const { location, value } = entry;
    const most = limits[kind] ?? Infinity;
    if (itemsOf(value).length > most || membersOf(value).length > most)
      return this.#report(
        location,
        `"${key}" lists more than ${most} items`,
        "Describe the values in fewer items",
      );
    const text = String(scalarOf(value));
    if (kind === "unchecked") {
      const subject = key === "format" ? "the format" : `the keyword ${key}`;
      this.#note(path, `${subject} "${text}" is not checked`);
    } else if (
      kind === "unenforced" ||
      key === "maxContains" ||
      (key === "minContains" && Number(text) > 1)
    )
      this.#note(path, `the keyword ${key} is not checked`);
    else if (kind === "value" || kind === "values")
      this.#constants(key, location, kind === "value" ? [value] : itemsOf(value));
    else if (kind === "pattern") this.#pattern(text, location, path);
    else if (kind === "names" && textsOf(value).includes("__proto__"))
      this.#unsafe("__proto__", location);
    for (const [name, member] of kind === "patternMap" ? membersOf(value) : [])
      this.#pattern(name, member.location, path);
    for (const [name, member] of kind === "schemaMap" ? membersOf(value) : [])
      if (name === "__proto__") this.#unsafe(name, member.location);
  }

  #unsafe(name: string, location: Location): void {
    const message = `the property "${name}" has a name that is unsafe as a key in JavaScript`;
    this.#report(location, message, "Rename or remove it");
  }

  #constants(key: string, location: Location, items: readonly JsonNode[]): void {
    const values = items.map(scalarOf);
    if (values.includes(undefined)) {
      const hint = "List scalars, or describe the value with other keywords";
      this.#report(location, `objects and lists in "${key}" are not supported`, hint);
    }
    const seen = new Set<unknown>();
    const twice = values.find((item) => item !== undefined && seen.size === seen.add(item).size);
    if (twice !== undefined)
      this.#report(
        location,
        `"${key}" contains ${JSON.stringify(twice)} twice`,
        "Remove one of them",
      );
  }

  #pattern(pattern: string, location: Location, path: readonly string[]): void {
    try {
      new RegExp(pattern, "u");
      if (isSlowPattern(pattern))
        this.#note(
          path,
          `the pattern ${JSON.stringify(pattern)} in line ${location.line ?? 1} may take ` +
            "exponential time, so that " +
            "callers can block the agent: rewrite it without nested repetitions",
        );
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/^.*: /s, "") : String(error);
      const hint = "Correct it: it must be a JavaScript regular expression with the flag u";
      this.#report(location, `the pattern ${JSON.stringify(pattern)} is invalid: ${reason}`, hint);
    }
  }

  #reference(node: JsonNode, entry: JsonEntry): void {
    const problem = this.#form("$ref", "reference", entry)
      ? this.#document.referenceProblem(node)
      : undefined;
    if (problem === undefined) return;
    this.#report(
      entry.location,
      `"${String(scalarOf(entry.value))}" ${problem.reason}`,
      problem.hint,
    );
  }

  #dialect({ location, value }: JsonEntry): void {
    const dialect = scalarOf(value);
    if (typeof dialect === "string" && dialects.test(dialect)) return;
    const known = "http://json-schema.org/draft-07/schema#";
    this.#report(
      location,
      `the dialect ${JSON.stringify(dialect)} is unknown`,
      `Use draft-06 or later, for example ${known}`,
    );
  }

  #note(path: readonly string[], reason: string): void {
    this.#notes.push({ subject: path.join("."), reason });
  }

  #report(location: Location, message: string, hint: string): void {
    this.isSound = false;
    this.#diagnostics.add(location, message, hint);
  }
}
