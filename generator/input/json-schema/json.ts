import { type Diagnostics, InputError, type Place } from "../../support/diagnostics.js";
import { parseJsonText } from "../../support/json-text.js";
import type { SourceText } from "../source.js";

/** A value that is neither an object nor a list. */
export type JsonScalar = string | number | boolean | null;

/** A value of a JSON text, and where it stands. */
export type JsonNode = JsonObject | JsonList | JsonLeaf;

/** An object of a JSON text. */
export interface JsonObject {
  readonly kind: "object";
  readonly place: Place;
  readonly entries: ReadonlyMap<string, JsonEntry>;
}

/** A member of an object; its place is that of the key. */
export interface JsonEntry {
  readonly place: Place;
  readonly value: JsonNode;
}

interface JsonList {
  readonly kind: "list";
  readonly place: Place;
  readonly items: readonly JsonNode[];
}

interface JsonLeaf {
  readonly kind: "scalar";
  readonly place: Place;
  readonly value: JsonScalar;
}

/** How deep objects and lists may nest. Schemas that people write stay far below. */
const deepest = 200;

/**
 * Parses a JSON text into nodes that know their places. Text that is no JSON, keys that an object has twice, numbers that
 * no JavaScript number can hold and endless nesting are reported; the result is `undefined` then.
 */
export function parseJson({ file, text }: SourceText, diagnostics: Diagnostics): JsonNode | undefined {
  try {
    parseJsonText(text, file, "the schema", "Correct it");
    const reader = new JsonReader(file, text.replace(/^\uFEFF/, ""));
    const root = reader.value(0);
    for (const mistake of reader.mistakes) diagnostics.add(mistake.place, mistake.problem, mistake.remedy);
    return reader.mistakes.length > 0 ? undefined : root;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    for (const { place, problem, remedy } of error.diagnostics) diagnostics.add(place, problem, remedy);
    return undefined;
  }
}

interface Mistake {
  readonly place: Place;
  readonly problem: string;
  readonly remedy: string;
}

/** Walks through a text that is known to be JSON. */
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
    const place = this.#place();
    if (depth > deepest) {
      const remedy = "Move inner schemas into definitions";
      throw new InputError({ place, problem: `the schema nests deeper than ${deepest} levels`, remedy });
    }
    if (next === "{") return { kind: "object", place, entries: this.#entries(depth) };
    if (next === "[") return { kind: "list", place, items: this.#items(depth) };
    const value = next === '"' ? this.#string() : this.#word();
    if (value === Infinity || value === -Infinity)
      this.mistakes.push({ place, problem: "the number is too large", remedy: "Use one that a double can hold" });
    return { kind: "scalar", place, value };
  }

  #entries(depth: number): Map<string, JsonEntry> {
    const entries = new Map<string, JsonEntry>();
    this.#at++;
    while (this.#next() !== "}") {
      if (this.#next() === ",") this.#at++;
      this.#next();
      const place = this.#place();
      const key = this.#string();
      this.#next();
      this.#at++;
      const earlier = entries.get(key);
      if (earlier !== undefined) {
        const problem = `the key "${key}" is there twice, first in line ${earlier.place.line ?? 1}`;
        this.mistakes.push({ place, problem, remedy: "Rename or remove one of them" });
      }
      entries.set(key, { place, value: this.value(depth + 1) });
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
    return text === "null" ? null : text === "true" || text === "false" ? text === "true" : Number(text);
  }

  /** Goes to the next character that means something. */
  #next(): string | undefined {
    for (; ; this.#at++) {
      const char = this.#text[this.#at];
      if (char === "\n") {
        this.#line++;
        this.#lineStart = this.#at + 1;
      } else if (char !== " " && char !== "\t" && char !== "\r") return char;
    }
  }

  #place(): Place {
    return { file: this.#file, line: this.#line, column: this.#at - this.#lineStart + 1 };
  }
}

/** The value of a member of an object; `undefined` for other nodes and members that are not there. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === "object" ? node.entries.get(key)?.value : undefined;
}

/** The members of an object, or of a member of it where `key` is given; none for other nodes. */
export function membersOf(node: JsonNode | undefined): (readonly [key: string, entry: JsonEntry])[] {
  return node?.kind === "object" ? [...node.entries] : [];
}

/** The elements of a list; none for other nodes. */
export function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.kind === "list" ? node.items : [];
}

/** The value of a scalar; `undefined` for other nodes. */
export function scalarOf(node: JsonNode | undefined): JsonScalar | undefined {
  return node?.kind === "scalar" ? node.value : undefined;
}

/** The value of a member that is text; `undefined` for anything else. */
export function textOf(node: JsonNode | undefined, key: string): string | undefined {
  const value = scalarOf(memberOf(node, key));
  return typeof value === "string" ? value : undefined;
}

/** The value of a member that is a number; `undefined` for anything else. */
export function numberOf(node: JsonNode | undefined, key: string): number | undefined {
  const value = scalarOf(memberOf(node, key));
  return typeof value === "number" ? value : undefined;
}

/** The texts in a list; anything else in it is passed over. */
export function textsOf(node: JsonNode | undefined): string[] {
  return itemsOf(node).flatMap((item) => {
    const value = scalarOf(item);
    return typeof value === "string" ? [value] : [];
  });
}
