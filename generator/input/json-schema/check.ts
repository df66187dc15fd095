import type { Diagnostics, Location } from "../../support/diagnostics.js";
import type { SchemaDocument } from "./document.js";
import { forms } from "./forms.js";
import { itemsOf, membersOf, scalarOf, textsOf, type JsonEntry, type JsonNode } from "./json.js";
import { hasKey, innerSchemas, keywords, unsupported, type KeywordKind } from "./keywords.js";
import type { SchemaNote } from "../../protocol/model/schema-parts.js";

/**
 * Checks the keywords of every schema in a document: they must be known, their values must have the required form, and
 * references must refer to definitions. Reports errors, adds a note for each keyword that is not enforced, and returns
 * whether the document is valid.
 */
export function checkKeywords(document: SchemaDocument, diagnostics: Diagnostics, notes: SchemaNote[]): boolean {
  const checker = new KeywordChecker(document, diagnostics, notes);
  checker.root();
  for (const { name, node } of document.definitions.values()) checker.schema(node, [name]);
  return checker.isSound;
}

const dialects = /^https?:\/\/json-schema\.org\/(draft-0[67]|draft\/(2019-09|2020-12))\/schema#?$/;

class KeywordChecker {
  isSound = true;
  readonly #document: SchemaDocument;
  readonly #diagnostics: Diagnostics;
  readonly #notes: SchemaNote[];

  constructor(document: SchemaDocument, diagnostics: Diagnostics, notes: SchemaNote[]) {
    this.#document = document;
    this.#diagnostics = diagnostics;
    this.#notes = notes;
  }

  root(): void {
    const { root } = this.#document;
    if (root.kind !== "object")
      return this.#report(root.location, "the schema is not an object", 'Use an object with "definitions"');
    if (this.#document.hasRootType) return this.#container(root);
    const unknown = membersOf(root).filter(([key]) => !keywords.has(key));
    if (!["$schema", "definitions", "$defs"].some((key) => hasKey(root, key)) && unknown.length > 1)
      return this.#report(
        root.location,
        "the file is not a JSON Schema",
        'Specify a JSON Schema with types under "definitions"',
      );
    for (const [key, entry] of membersOf(root)) {
      const kind = keywords.get(key);
      if (key === "definitions" || key === "$defs") this.#form(key, "schemaMap", entry);
      else if (key === "$schema") this.#dialect(entry);
      else if (kind === undefined) this.#unknown(key, entry.location);
      else if (kind !== "text" && kind !== "annotation" && kind !== "flag")
        this.#notes.push({
          subject: "the schema as a whole",
          reason: `the keyword "${key}" outside the definitions is not used`,
        });
    }
  }

  /** Checks the keywords of a document that is not a type itself. */
  #container(root: JsonNode): void {
    for (const [key, entry] of membersOf(root)) {
      if (key === "definitions" || key === "$defs") this.#form(key, "schemaMap", entry);
      else if (key === "$schema") this.#dialect(entry);
    }
  }

  schema(node: JsonNode, path: readonly string[]): void {
    if (node.kind !== "object") {
      if (typeof scalarOf(node) === "boolean") return;
      this.#report(node.location, `"${path.join(".")}" is not a schema`, "Use an object with keywords, true or false");
      return;
    }
    const isContainer = node === this.#document.root;
    for (const [key, entry] of node.entries)
      if (!isContainer || (key !== "definitions" && key !== "$defs")) this.#keyword(key, entry, path);
    for (const key of ["then", "else"].filter((word) => hasKey(node, word) && !hasKey(node, "if")))
      this.#note(path, `the keyword "${key}" has no effect without "if"`);
    if (hasKey(node, "if") && !hasKey(node, "then") && !hasKey(node, "else"))
      this.#note(path, 'the keyword "if" has no effect without "then" or "else"');
    for (const inner of innerSchemas(node, path)) this.schema(inner.node, inner.path);
  }

  #keyword(key: string, entry: JsonEntry, path: readonly string[]): void {
    const kind = keywords.get(key);
    if (key === "items" && entry.value.kind === "list")
      this.#report(entry.location, 'a list of schemas in "items" is not supported', "Use one schema for all elements");
    else if (kind === undefined) this.#unknown(key, entry.location);
    else this.#value(key, kind, entry, path);
  }

  #unknown(key: string, location: Location): void {
    if (unsupported.has(key))
      this.#report(location, `the keyword "${key}" is not supported here`, "Remove it, or use other keywords");
    else this.#report(location, `the keyword "${key}" is unknown`, "Remove it, or correct its name");
  }

  #form(key: string, kind: KeywordKind, { location, value }: JsonEntry): boolean {
    const { what, fits } = forms[kind];
    if (!fits(value)) this.#report(location, `"${key}" must be ${what}`, "Correct the value");
    return fits(value);
  }

  #value(key: string, kind: KeywordKind, entry: JsonEntry, path: readonly string[]): void {
    if (!this.#form(key, kind, entry)) return;
    const { location, value } = entry;
    const text = String(scalarOf(value));
    if (kind === "unchecked") {
      const subject = key === "format" ? "the format" : `the keyword ${key}`;
      this.#note(path, `${subject} "${text}" is not checked`);
    } else if (kind === "reference") this.#reference(text, location);
    else if (kind === "value" || kind === "values")
      this.#constants(key, location, kind === "value" ? [value] : itemsOf(value));
    else if (kind === "pattern") this.#pattern(text, location);
    else if (kind === "names" && textsOf(value).includes("__proto__")) this.#unsafe("__proto__", location);
    for (const [name, member] of kind === "patternMap" ? membersOf(value) : []) this.#pattern(name, member.location);
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
    const twice = values.find((item, index) => item !== undefined && values.indexOf(item) < index);
    if (twice !== undefined)
      this.#report(location, `"${key}" contains ${JSON.stringify(twice)} twice`, "Remove one of them");
  }

  #pattern(pattern: string, location: Location): void {
    try {
      new RegExp(pattern, "u");
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/^.*: /s, "") : String(error);
      const hint = "Correct it: it must be a JavaScript regular expression with the flag u";
      this.#report(location, `the pattern ${JSON.stringify(pattern)} is invalid: ${reason}`, hint);
    }
  }

  #reference(reference: string, location: Location): void {
    if (this.#document.resolve(reference) !== undefined) return;
    const isInside = reference.startsWith("#") || this.#document.pointerOf(reference) !== undefined;
    const message = `"${reference}" refers to ${isInside ? "a missing definition" : "another file"}`;
    const hint = isInside ? "Add it to the definitions, or correct the name" : "Copy the definition into this file";
    this.#report(location, message, hint);
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
