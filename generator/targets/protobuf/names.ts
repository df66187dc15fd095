import { Imports } from "../../emit/imports.js";
import { codecNames } from "../../protocol/names/output-names.js";
import type { WireDef } from "../../protocol/model/types.js";
import { camelCase, isIdentifier, keywords, pascalCase } from "../../support/names.js";

/** What the codec calls the table of what an Any may hold. */
const registry = "registry";

/** What functions of the codec call their parameters and variables. */
const variables = "bytes depth end item key reader stop tag value writer".split(" ");

/** The imports of the file of the codec; what it exports keeps its name. */
export function codecImports(path: string, { messages }: WireDef): Imports {
  const exported = messages.flatMap(({ name }) => codecNames.map(([before, behind]) => before + name + behind));
  return new Imports(path, [...exported, registry, ...variables]);
}

/** What functions and tables of the codec are called that no other file imports. */
export class CodecNames {
  readonly #imports: Imports;
  readonly #names = new Map<string, string>();

  constructor(imports: Imports) {
    this.#imports = imports;
  }

  /** The function that writes a message. */
  write(message: string): string {
    return this.#name(`write${message}`, "write", message);
  }

  /** The function that reads a message. */
  read(message: string): string {
    return this.#name(`read${message}`, "read", message);
  }

  /** The table with the numbers of an enum. */
  numbers(type: string): string {
    return this.#name(`${camelCase(type)}Numbers`, "numbers", type);
  }

  /** The table with the names of an enum. */
  names(type: string): string {
    return this.#name(`${camelCase(type)}Names`, "names", type);
  }

  /** The table with the members of a oneof. */
  members(message: string, oneof: string): string {
    const table = camelCase(message) + oneof.charAt(0).toUpperCase() + oneof.slice(1);
    return this.#name(table, "members", message, oneof);
  }

  /** The resource name that a field holds. */
  resource(message: string, field: string): string {
    return this.#name(camelCase(message) + pascalCase(field), "resource", message, field);
  }

  /** The table of what an Any may hold. */
  registry(): string {
    return this.#imports.own(registry);
  }

  /** A variable of a function, called like what it holds as far as nothing around it is called so. */
  variable(wanted: string): string {
    const key = `variable ${wanted}`;
    const isFree = !this.#imports.isTaken(wanted) && !keywords.has(wanted) && isIdentifier(wanted);
    const known = this.#names.get(key) ?? (isFree ? wanted : `${identifierOf(wanted)}Value`);
    this.#names.set(key, known);
    return known;
  }

  #name(wanted: string, ...parts: readonly string[]): string {
    const key = parts.join(" ");
    const known = this.#names.get(key) ?? this.#imports.declare(identifierOf(wanted));
    this.#names.set(key, known);
    return this.#imports.own(known);
  }
}

/** Returns a name as an identifier: names of a proto can begin with digits once their underscores are removed. */
function identifierOf(name: string): string {
  return isIdentifier(name) ? name : `_${name}`;
}
