import type { Imports } from "../../emit/imports.js";
import { enclose, quote } from "../../emit/text.js";

/** Function or constant that guards require, with the lines of its declaration. */
export interface Helper {
  readonly name: string;
  readonly lines: readonly string[];
}

/** The functions and constants that the guards of a file require in addition to themselves. */
export class GuardHelpers {
  readonly #imports: Imports;
  #names = new Set<string>();
  #patterns = new Map<string, string>();
  #added: Helper[] = [];

  constructor(imports: Imports) {
    this.#imports = imports;
  }

  /** Returns the functions and constants that were added since the last call. */
  take(): readonly Helper[] {
    const added = this.#added;
    this.#added = [];
    return added;
  }

  /** Returns a name that is unique in the file. */
  name(...parts: readonly string[]): string {
    let name = parts.join("");
    while (this.#names.has(name) || this.#imports.isTaken(name)) name += "Too";
    this.#names.add(name);
    return name;
  }

  /** Adds a function that returns whether `value` satisfies a condition. */
  addFunction(name: string, parameters: readonly string[], body: readonly string[]): void {
    const head = enclose(`function ${name}(`, parameters, "): boolean {");
    this.#added.push({ name, lines: [...head, ...body, "}"] });
  }

  /** Adds a regular expression and returns the name of its constant. */
  pattern(source: string, name: string): string {
    const known = this.#patterns.get(source);
    if (known !== undefined) return this.#imports.own(known);
    const constant = this.name("pattern", name);
    this.#patterns.set(source, constant);
    const expression = enclose("/* @__PURE__ */ new RegExp(", [quote(source), '"u"'], ");");
    const [first = "", ...rest] = expression;
    const lines = [`const ${constant}: RegExp = ${first}`, ...rest];
    this.#added.push({ name: constant, lines });
    return constant;
  }

  /**
   * Builds a condition. If it is not accepted, removes the names, patterns and functions that were
   * added for it.
   */
  tentatively<T>(build: () => T, accepts: (built: T) => boolean): T | undefined {
    const names = new Set(this.#names);
    const patterns = new Map(this.#patterns);
    const count = this.#added.length;
    const built = build();
    if (accepts(built)) return built;
    this.#names = names;
    this.#patterns = patterns;
    this.#added.length = count;
    return undefined;
  }
}
