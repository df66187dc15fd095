import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import { isIdentifier, pascalCase } from "../../../support/names.js";
import type { SchemaDocument } from "./document.js";
import { memberOf, membersOf, scalarOf, textOf, type JsonNode } from "./json.js";
import type { SchemaHints } from "../../protocol/model/schema-parts.js";

/**
 * Returns a hint by its key. Only checks own properties, because a key may be the name of a member
 * of `Object.prototype`.
 */
export function hintOf<Hint>(hints: Readonly<Record<string, Hint>>, key: string): Hint | undefined {
  return Object.hasOwn(hints, key) ? hints[key] : undefined;
}

/** Chooses the TypeScript names of types, and reports types that would have the same name. */
export class Naming {
  readonly #document: SchemaDocument;
  readonly #hints: SchemaHints;
  readonly #diagnostics: Diagnostics;
  readonly #definitions = new Map<string, string>();
  readonly #proposed = new Map<string, string>();
  readonly #owners = new Map<string, string>();

  /**
   * Names the definitions. The names of errors end in `Object`, because the error class uses the
   * plain name.
   */
  constructor(
    document: SchemaDocument,
    isError: (definition: string) => boolean,
    hints: SchemaHints,
    diagnostics: Diagnostics,
  ) {
    this.#document = document;
    this.#hints = hints;
    this.#diagnostics = diagnostics;
    for (const { name, location } of document.definitions.values()) {
      const given = hintOf(hints.names, name) ?? this.base(name) + (isError(name) ? "Object" : "");
      if (!isIdentifier(given)) {
        const hint = `Rename it, or set its name in a manifest: names: { "${name}": … }`;
        diagnostics.add(
          location,
          `the definition "${name}" has a name that is invalid in TypeScript`,
          hint,
        );
      }
      this.#definitions.set(name, given);
      this.claim(given, name, location);
    }
  }

  /** Returns the TypeScript name of a definition. */
  definition(name: string): string {
    return this.#definitions.get(name) ?? name;
  }

  /** Returns the prefix for the names of schemas inside a definition. */
  base(definition: string): string {
    const name = isIdentifier(definition) ? definition : pascalCase(definition);
    return hintOf(this.#hints.names, definition) ?? name;
  }

  /**
   * Proposes names for an inline schema. Unless the manifest names the schema, it gets the first
   * candidate that is not in use.
   */
  propose(path: readonly string[], candidates: readonly string[]): void {
    const taken = new Set([...this.#definitions.values(), ...this.#proposed.values()]);
    const name = candidates.find((candidate) => !taken.has(candidate)) ?? candidates[0];
    const key = path.join(".");
    if (name !== undefined && !this.#proposed.has(key)) this.#proposed.set(key, name);
  }

  /** Returns the name of an inline schema; `undefined` if it has no name. */
  given(path: readonly string[]): string | undefined {
    const key = path.join(".");
    return path.length > 1
      ? (hintOf(this.#hints.names, key) ?? this.#proposed.get(key))
      : undefined;
  }

  /** Reserves a name for a type. Reports an error if another type already has the name. */
  claim(name: string, fullName: string, location: Location | undefined): void {
    const owner = this.#owners.get(name);
    this.#owners.set(name, owner ?? fullName);
    if (owner === undefined) return;
    const at = location ?? this.#document.locationOf([fullName]);
    const hint = `Rename one of them, or set its name in a manifest: names: { "${fullName}": … }`;
    this.#diagnostics.add(
      at,
      `"${owner}" and "${fullName}" both have the name "${name}" in TypeScript`,
      hint,
    );
  }
}

/** Names the members of a union: by a constant, a title, a distinctive property, or a letter. */
export function memberNames(members: readonly JsonNode[], base: string): string[] {
  const propertiesOf = (node: JsonNode): string[] =>
    membersOf(memberOf(node, "properties")).map(([name]) => name);
  const all = members.map(propertiesOf);
  const ways = [
    (node: JsonNode): string =>
      propertiesOf(node)
        .flatMap(
          (name) => scalarOf(memberOf(memberOf(memberOf(node, "properties"), name), "const")) ?? [],
        )
        .filter((value) => typeof value === "string")
        .map(pascalCase)
        .join(""),
    (node: JsonNode): string => pascalCase(textOf(node, "title") ?? ""),
    (node: JsonNode): string => {
      const own = propertiesOf(node).find(
        (name) => all.filter((names) => names.includes(name)).length === 1,
      );
      return own === undefined ? "" : `With${pascalCase(own)}`;
    },
  ];
  const objects = members.filter((_, index) => (all[index] ?? []).length > 0);
  const isGood = (way: (node: JsonNode) => string): boolean => {
    const names = objects.map(way);
    return names.every((name) => /^[A-Za-z]/.test(name)) && new Set(names).size === names.length;
  };
  const way = objects.length > 0 ? ways.find(isGood) : undefined;
  return members.map((node, index) => {
    const name = objects.includes(node) ? way?.(node) : undefined;
    return base + (name ?? letters(index));
  });
}

/** Returns letters for a number: A to Z, then AA, AB and so on. */
function letters(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? letters(rest - 1) : "") + String.fromCharCode(65 + (index % 26));
}
