import type { Diagnostics, Place } from "../../support/diagnostics.js";
import type { SchemaDocument } from "./document.js";
import { forms } from "./forms.js";
import { itemsOf, membersOf, scalarOf, textsOf, type JsonEntry, type JsonNode } from "./json.js";
import { hasKey, innerSchemas, keywords, unsupported, type KeywordKind } from "./keywords.js";
import type { SchemaNote } from "../../protocol/model/schema-parts.js";

/**
 * Checks the keywords of every schema in a document: that they are known, that their values have the form that they need,
 * and that references lead to definitions. Reports problems, adds a note for each keyword that is not enforced, and
 * returns whether there was no problem.
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
      return this.#report(root.place, "the schema is not an object", 'Write an object with "definitions"');
    const unknown = membersOf(root).filter(([key]) => !keywords.has(key));
    if (!["$schema", "definitions", "$defs"].some((key) => hasKey(root, key)) && unknown.length > 1)
      return this.#report(root.place, "the file is not a JSON Schema", 'Name one that has types under "definitions"');
    for (const [key, entry] of membersOf(root)) {
      const kind = keywords.get(key);
      if (key === "definitions" || key === "$defs") this.#form(key, "schemaMap", entry);
      else if (key === "$schema") this.#dialect(entry);
      else if (kind === undefined) this.#unknown(key, entry.place);
      else if (kind !== "text" && kind !== "annotation" && kind !== "flag")
        this.#notes.push({
          subject: "the schema as a whole",
          reason: `the keyword "${key}" outside the definitions is not used`,
        });
    }
  }

  schema(node: JsonNode, path: readonly string[]): void {
    if (node.kind !== "object") {
      if (typeof scalarOf(node) === "boolean") return;
      this.#report(node.place, `"${path.join(".")}" is not a schema`, "Write an object with keywords, true or false");
      return;
    }
    for (const [key, entry] of node.entries) this.#keyword(key, entry, path);
    for (const key of ["then", "else"].filter((word) => hasKey(node, word) && !hasKey(node, "if")))
      this.#note(path, `the keyword "${key}" has no effect without "if"`);
    if (hasKey(node, "if") && !hasKey(node, "then") && !hasKey(node, "else"))
      this.#note(path, 'the keyword "if" has no effect without "then" or "else"');
    for (const inner of innerSchemas(node, path)) this.schema(inner.node, inner.path);
  }

  #keyword(key: string, entry: JsonEntry, path: readonly string[]): void {
    const kind = keywords.get(key);
    if (key === "items" && entry.value.kind === "list")
      this.#report(entry.place, 'a list of schemas in "items" is not supported', "Give one schema for all elements");
    else if (kind === undefined) this.#unknown(key, entry.place);
    else this.#value(key, kind, entry, path);
  }

  #unknown(key: string, place: Place): void {
    if (unsupported.has(key))
      this.#report(place, `the keyword "${key}" is not supported here`, "Remove it, or use other keywords");
    else this.#report(place, `the keyword "${key}" is not known`, "Remove it, or correct its name");
  }

  #form(key: string, kind: KeywordKind, { place, value }: JsonEntry): boolean {
    const { what, fits } = forms[kind];
    if (!fits(value)) this.#report(place, `"${key}" has to be ${what}`, "Correct the value");
    return fits(value);
  }

  #value(key: string, kind: KeywordKind, entry: JsonEntry, path: readonly string[]): void {
    if (!this.#form(key, kind, entry)) return;
    const { place, value } = entry;
    const text = String(scalarOf(value));
    if (kind === "unchecked") {
      const subject = key === "format" ? "the format" : `the keyword ${key}`;
      this.#note(path, `${subject} "${text}" is not checked`);
    } else if (kind === "reference") this.#reference(text, place);
    else if (kind === "value" || kind === "values")
      this.#constants(key, place, kind === "value" ? [value] : itemsOf(value));
    else if (kind === "pattern") this.#pattern(text, place);
    else if (kind === "names" && textsOf(value).includes("__proto__")) this.#unsafe("__proto__", place);
    for (const [name, member] of kind === "patternMap" ? membersOf(value) : []) this.#pattern(name, member.place);
    for (const [name, member] of kind === "schemaMap" ? membersOf(value) : [])
      if (name === "__proto__") this.#unsafe(name, member.place);
  }

  #unsafe(name: string, place: Place): void {
    const problem = `a property is called "${name}", which no JavaScript object can hold safely`;
    this.#report(place, problem, "Rename or remove it");
  }

  #constants(key: string, place: Place, items: readonly JsonNode[]): void {
    const values = items.map(scalarOf);
    if (values.includes(undefined)) {
      const remedy = "List scalars, or describe the value by other keywords";
      this.#report(place, `objects and lists in "${key}" are not supported`, remedy);
    }
    const twice = values.find((item, index) => item !== undefined && values.indexOf(item) < index);
    if (twice !== undefined) this.#report(place, `${JSON.stringify(twice)} is in "${key}" twice`, "Remove one of them");
  }

  #pattern(pattern: string, place: Place): void {
    try {
      new RegExp(pattern, "u");
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/^.*: /s, "") : String(error);
      const remedy = "Correct it; it has to be a regular expression of JavaScript with the flag u";
      this.#report(place, `the pattern ${JSON.stringify(pattern)} cannot be read: ${reason}`, remedy);
    }
  }

  #reference(reference: string, place: Place): void {
    if (this.#document.resolve(reference) !== undefined) return;
    const isInside = reference.startsWith("#") || this.#document.pointerOf(reference) !== undefined;
    const problem = `"${reference}" leads ${isInside ? "to no definition" : "out of the file"}`;
    const remedy = isInside ? "Add it to the definitions, or correct the name" : "Copy the definition into this file";
    this.#report(place, problem, remedy);
  }

  #dialect({ place, value }: JsonEntry): void {
    const dialect = scalarOf(value);
    if (typeof dialect === "string" && dialects.test(dialect)) return;
    const known = "http://json-schema.org/draft-07/schema#";
    this.#report(
      place,
      `the dialect ${JSON.stringify(dialect)} is not known`,
      `Use draft-06 or later, for example ${known}`,
    );
  }

  #note(path: readonly string[], reason: string): void {
    this.#notes.push({ subject: path.join("."), reason });
  }

  #report(place: Place, problem: string, remedy: string): void {
    this.isSound = false;
    this.#diagnostics.add(place, problem, remedy);
  }
}
