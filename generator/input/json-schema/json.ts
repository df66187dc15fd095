import { type Diagnostics, InputError, type Location } from "../../../support/diagnostics.js";
import { parseJsonText } from "../../../support/json-text.js";
import type { SourceText } from "../source.js";

/** A value that is neither an object nor a list. */
export type JsonScalar = string | number | boolean | null;

/** A value in a JSON document, with its location. */
export type JsonNode = JsonObject | JsonList | JsonLeaf;

/** An object in a JSON document. */
export interface JsonObject {
  readonly kind: "object";
  readonly location: Location;
  readonly entries: ReadonlyMap<string, JsonEntry>;
}

/** A member of an object. Its location is the location of its key. */
export interface JsonEntry {
  readonly location: Location;
  readonly value: JsonNode;
}

interface JsonList {
  readonly kind: "list";
  readonly location: Location;
  readonly items: readonly JsonNode[];
}

interface JsonLeaf {
  readonly kind: "scalar";
  readonly location: Location;
  readonly value: JsonScalar;
}

/** The maximum depth of nested objects and lists. Real schemas are far below this limit. */
const deepest = 200;

/**
 * Parses a JSON document into nodes with locations. Returns `undefined`, and reports the error, if
 * the document is invalid, an object repeats a key, a number exceeds the range of JavaScript
 * numbers, or the nesting is too deep.
 */
export function parseJson(
  { file, text }: SourceText,
  diagnostics: Diagnostics,
): JsonNode | undefined {
  try {
    parseJsonText(text, file, "the schema", "Correct it");
    const reader = new JsonReader(file, text.replace(/^\uFEFF/, ""));
    const root = reader.value(0);
    for (const mistake of reader.mistakes)
      diagnostics.add(mistake.location, mistake.message, mistake.hint);
    return reader.mistakes.length > 0 ? undefined : root;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    for (const { location, message, hint } of error.diagnostics)
      diagnostics.add(location, message, hint);
    return undefined;
  }
}

interface Mistake {
  readonly location: Location;
  readonly message: string;
  readonly hint: string;
}

/** Reads text that must be valid JSON. With invalid JSON, its loops may never end. */
class JsonReader {
  readonly mistakes: Mistake[] = [];
  readonly #file: string;
  readonly #text: string;
  #at = 0;
  #line = 1;
  #lineStart = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  value(depth: number): JsonNode {
    const next = this.#next();
    const location = this.#location();
    if (depth > deepest) {
      const hint = "Move inner schemas into definitions";
      throw new InputError({
        location,
        message: `the schema nests deeper than ${deepest} levels`,
        hint,
      });
    }
    if (next === "{") return { kind: "object", location, entries: this.#entries(depth) };
    if (next === "[") return { kind: "list", location, items: this.#items(depth) };
    const value = next === '"' ? this.#string() : this.#word();
    if (value === Infinity || value === -Infinity)
      this.mistakes.push({
        location,
        message: "the number is too large",
        hint: "Use a number that a double can represent",
      });
    return { kind: "scalar", location, value };
  }

  #entries(depth: number): Map<string, JsonEntry> {
    const entries = new Map<string, JsonEntry>();
    this.#at++;
    while (this.#next() !== "}") {
      if (this.#next() === ",") this.#at++;
      this.#next();
      const location = this.#location();
      const key = this.#string();
      this.#next();
      this.#at++;
      const earlier = entries.get(key);
      if (earlier !== undefined) {
        const message =
          `the key "${key}" is duplicated, first in line ` + `${earlier.location.line ?? 1}`;
        this.mistakes.push({ location, message, hint: "Rename or remove one of them" });
      }
      entries.set(key, { location, value: this.value(depth + 1) });
    }
    this.#at++;
    return entries;
  }

  #items(depth: number): JsonNode[] {
    const items: JsonNode[] = [];
    this.#at++;
    while (this.#next() !== "]") {
      if (this.#next() === ",") this.#at++;
      items.push(this.value(depth + 1));
    }
    this.#at++;
    return items;
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    this.#at++;
    return String(JSON.parse(this.#text.slice(start, this.#at)));
  }

  #word(): number | boolean | null {
    const word = /[^\s,\]}]+/y;
    word.lastIndex = this.#at;
    const [text = "null"] = word.exec(this.#text) ?? [];
    this.#at += text.length;
    return text === "null"
      ? null
      : text === "true" || text === "false"
        ? text === "true"
        : Number(text);
  }

  /** Skips to the next significant character. */
  #next(): string | undefined {
    for (; ; this.#at++) {
      const char = this.#text[this.#at];
      if (char === "\n") {
        this.#line++;
        this.#lineStart = this.#at + 1;
      } else if (char !== " " && char !== "\t" && char !== "\r") return char;
    }
  }

  #location(): Location {
    return { file: this.#file, line: this.#line, column: this.#at - this.#lineStart + 1 };
  }
}

/** Returns the value of a member of an object; `undefined` for other nodes and absent members. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === "object" ? node.entries.get(key)?.value : undefined;
}

/** Returns the members of an object, in the order of the source; empty for other nodes. */
export function membersOf(
  node: JsonNode | undefined,
): (readonly [key: string, entry: JsonEntry])[] {
  return node?.kind === "object" ? [...node.entries] : [];
}

/** Returns the elements of a list; empty for other nodes. */
export function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.kind === "list" ? node.items : [];
}

/** Returns the value of a scalar; `undefined` for other nodes. */
export function scalarOf(node: JsonNode | undefined): JsonScalar | undefined {
  return node?.kind === "scalar" ? node.value : undefined;
}

/** Returns the value of a string member; `undefined` for anything else. */
export function textOf(node: JsonNode | undefined, key: string): string | undefined {
  const value = scalarOf(memberOf(node, key));
  return typeof value === "string" ? value : undefined;
}

/** Returns the value of a number member; `undefined` for anything else. */
export function numberOf(node: JsonNode | undefined, key: string): number | undefined {
  const value = scalarOf(memberOf(node, key));
  return typeof value === "number" ? value : undefined;
}

/** Returns the strings in a list, and ignores other elements. */
export function textsOf(node: JsonNode | undefined): string[] {
  return itemsOf(node).flatMap((item) => {
    const value = scalarOf(item);
    return typeof value === "string" ? [value] : [];
  });
}
