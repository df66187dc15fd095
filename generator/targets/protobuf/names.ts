import { Imports } from "../../emit/imports.js";
import { codecNames } from "../../protocol/names/output-names.js";
import type { WireDef } from "../../protocol/model/types.js";
import { camelCase, isIdentifier, keywords, pascalCase } from "../../../support/names.js";

/** Name of the codec's table of the messages that an Any can contain. */
const registry = "registry";

/** Names of parameters and variables in the functions of the codec. */
const variables = "bytes depth end item key reader stop tag value writer".split(" ");

/** Creates the imports of the codec's file. Exported functions keep their names. */
export function codecImports(path: string, { messages }: WireDef): Imports {
  const exported = messages.flatMap(({ name }) =>
    codecNames.map(([prefix, suffix]) => prefix + name + suffix),
  );
  return new Imports(path, [...exported, registry, ...variables]);
}

/** Names of the functions and tables of the codec that no other file imports. */
export class CodecNames {
  readonly #imports: Imports;
  readonly #names = new Map<string, string>();

  constructor(imports: Imports) {
    this.#imports = imports;
  }

  /** Returns the name of the function that writes a message. */
  write(message: string): string {
    return this.#name(`write${message}`, "write", message);
  }

  /** Returns the name of the function that reads a message. */
  read(message: string): string {
    return this.#name(`read${message}`, "read", message);
  }

  /** Returns the name of the table with the numbers of an enum. */
  numbers(type: string): string {
    return this.#name(`${camelCase(type)}Numbers`, "numbers", type);
  }

  /** Returns the name of the table with the names of an enum. */
  names(type: string): string {
    return this.#name(`${camelCase(type)}Names`, "names", type);
  }

  /** Returns the name of the table with the members of a oneof. */
  members(message: string, oneof: string): string {
    const table = camelCase(message) + oneof.charAt(0).toUpperCase() + oneof.slice(1);
    return this.#name(table, "members", message, oneof);
  }

  /** Returns the name of the constant for the resource name in a field. */
  resource(message: string, field: string): string {
    return this.#name(camelCase(message) + pascalCase(field), "resource", message, field);
  }

  /** Returns the name of the table of the messages that an Any can contain. */
  registry(): string {
    return this.#imports.own(registry);
  }

  /**
   * Returns the name of a variable: `preferred`, or a longer name if `preferred` is already taken
   * or not an identifier.
   */
  variable(preferred: string): string {
    const key = `variable ${preferred}`;
    const isFree =
      !this.#imports.isTaken(preferred) && !keywords.has(preferred) && isIdentifier(preferred);
    const known = this.#names.get(key) ?? (isFree ? preferred : `${identifierOf(preferred)}Value`);
    this.#names.set(key, known);
    return known;
  }

  #name(preferred: string, ...parts: readonly string[]): string {
    const key = parts.join(" ");
    const known = this.#names.get(key) ?? this.#imports.declare(identifierOf(preferred));
    this.#names.set(key, known);
    return this.#imports.own(known);
  }
}

/**
 * Converts a name to an identifier. This is necessary because a proto name without its underscores
 * may begin with a digit.
 */
function identifierOf(name: string): string {
  return isIdentifier(name) ? name : `_${name}`;
}
