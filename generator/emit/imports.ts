import { keywords } from "../../support/names.js";
import type { FilePlan, Statement } from "./file-plan.js";
import { sortedBy } from "./statements.js";
import type { NamespaceRef, SymbolRef, ValueRef } from "./symbols.js";

/** Records the names that generated code uses, and returns their local names. */
export interface NameSource {
  /** Records the use of a value. Returns its local name. */
  value(symbol: ValueRef): string;
  /** Records the use of a type. Returns its local name. */
  type(symbol: SymbolRef): string;
  /** Records the use of a type that the file declares. Returns its name. */
  ownType(name: string): string;
}

/** The names that a part of a file uses. They are needed to move the part to another file. */
export interface Uses {
  /**
   * For each import, by module and name: a function that records the use in the imports of another
   * file, under the same local name.
   */
  readonly imported: Map<string, (target: Imports) => void>;
  /**
   * The names that the part uses and the file itself declares. Each name is used only as a type, or
   * also as a value.
   */
  readonly own: Map<string, "type" | "value">;
}

/** An imported name. It is imported as a type if all of its uses are types. */
interface Imported {
  readonly symbol: SymbolRef;
  readonly local: string;
  isValue: boolean;
}

/**
 * The names in one generated file. Declarations of the file keep their names. If the name of an
 * import is already in use, the import gets another name in this file, with a trailing underscore.
 * A name is determined at its first use, so code must be written with the names that the methods
 * return.
 */
export class Imports implements NameSource {
  readonly #path: string;
  readonly #taken: Set<string>;
  readonly #named = new Map<string, Map<string, Imported>>();
  readonly #namespaces = new Map<string, { readonly local: string; isValue: boolean }>();
  readonly #exports = new Map<string, Map<string, SymbolRef>>();
  readonly #reexportedModules = new Set<string>();
  #uses: Uses | undefined;

  /**
   * Creates the names of a file. `path` is relative to the output folder; `declared` contains the
   * file's top-level declarations.
   */
  constructor(path: string, declared: Iterable<string | Pick<SymbolRef, "name">> = []) {
    this.#path = path;
    this.#taken = new Set();
    for (const name of declared) this.#taken.add(typeof name === "string" ? name : name.name);
  }

  /** Records the use of a value. Returns its local name: `preferred`, if it is set and unused. */
  value(symbol: ValueRef, preferred?: string): string {
    const found = this.#find(symbol, preferred);
    found.isValue = true;
    const { local } = found;
    this.#uses?.imported.set(`value ${symbol.module} ${symbol.name}`, (target) =>
      target.value(symbol, local),
    );
    return local;
  }

  /** Records the use of a type. Returns its local name. */
  type(symbol: SymbolRef, preferred?: string): string {
    const { local } = this.#find(symbol, preferred);
    this.#uses?.imported.set(`type ${symbol.module} ${symbol.name}`, (target) =>
      target.type(symbol, local),
    );
    return local;
  }

  /**
   * Records the use of names by the fixed text of a template. The text contains the names
   * themselves, so they must be recorded before names of a specification, which get other local
   * names instead.
   */
  use(...symbols: readonly SymbolRef[]): void {
    for (const symbol of symbols) {
      const found = this.#find(symbol);
      found.isValue ||= !symbol.typeOnly;
      if (found.local !== symbol.name)
        throw new Error(`${this.#path} already uses the name ${symbol.name}`);
    }
  }

  /** Records the use of a type that the file declares. Returns its name. */
  ownType(name: string): string {
    if (this.#uses?.own.get(name) === undefined) this.#uses?.own.set(name, "type");
    return name;
  }

  /** Records the use of a value that the file declares. Returns its name. */
  own(name: string): string {
    this.#uses?.own.set(name, "value");
    return name;
  }

  /**
   * Begins a part of the file. Returns an object to which all uses are added until the next part
   * begins.
   */
  startPart(): Uses {
    this.#uses = { imported: new Map(), own: new Map() };
    return this.#uses;
  }

  /** Records the use of a whole module. Returns its local name. */
  namespace(module: NamespaceRef): string {
    const name = this.#namespaceImport(module, true);
    this.#uses?.imported.set(`namespace ${module.module}`, (target) =>
      target.namespace({ ...module, name }),
    );
    return name;
  }

  /** Records the use of the types of a whole module. Returns its local name. */
  typeNamespace(module: NamespaceRef): string {
    return this.#namespaceImport(module, false);
  }

  /**
   * Reserves a name for a declaration that no other file imports. Returns the name, or a similar
   * unused name.
   */
  declare(name: string): string {
    const free = freeName(keywords.has(name) ? `${name}_` : name, this.#taken);
    this.#taken.add(free);
    return free;
  }

  /** Returns whether the file already uses a name. */
  isTaken(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Exports names of other modules under the same names. */
  reexport(...symbols: readonly SymbolRef[]): void {
    for (const symbol of symbols) inner(this.#exports, symbol.module).set(symbol.name, symbol);
  }

  /** Exports names of other modules. A name that the file declares gets a trailing underscore. */
  reexportFree(...symbols: readonly SymbolRef[]): void {
    for (const symbol of symbols) this.reexportAs(symbol, freeName(symbol.name, this.#taken));
  }

  /** Exports a name of another module as `exported`. */
  reexportAs({ module, name, typeOnly }: SymbolRef, exported: string): void {
    const item = { module, name: name === exported ? name : `${name} as ${exported}`, typeOnly };
    inner(this.#exports, module).set(exported, item);
  }

  /** Exports everything that another module exports. */
  reexportAll(module: string): void {
    this.#reexportedModules.add(module);
  }

  /** Plans the file with all imports and exports that have been recorded. */
  plan(template: string, view: object): FilePlan {
    return {
      path: this.#path,
      template,
      view,
      imports: this.#imports(),
      exports: this.#reexports(),
    };
  }

  #find(symbol: SymbolRef, preferred = symbol.name): Imported {
    const names = inner(this.#named, symbol.module);
    const known = names.get(symbol.name);
    if (known !== undefined) return known;
    const found = { symbol, local: this.declare(preferred), isValue: false };
    names.set(symbol.name, found);
    return found;
  }

  #namespaceImport({ module, name }: NamespaceRef, isValue: boolean): string {
    const known = this.#namespaces.get(module) ?? { local: this.declare(name), isValue };
    known.isValue ||= isValue;
    this.#namespaces.set(module, known);
    return known.local;
  }

  #imports(): Statement[] {
    const named = [...this.#named].map(([module, names]): Statement => {
      const onlyTypes = [...names.values()].every(({ isValue }) => !isValue);
      const found = sortedBy([...names.values()], ({ symbol }) => symbol.name);
      const items = found.map(({ symbol: { name }, local, isValue }) => {
        const renamed = name === local ? name : `${name} as ${local}`;
        return isValue || onlyTypes ? renamed : `type ${renamed}`;
      });
      return { module, clause: onlyTypes ? "import type" : "import", items };
    });
    const namespaces = [...this.#namespaces].map(([module, { local, isValue }]): Statement => {
      return { module, clause: `${isValue ? "import" : "import type"} * as ${local}` };
    });
    return sortedBy([...named, ...namespaces], ({ module }) => (isPlatform(module) ? "" : module));
  }

  #reexports(): Statement[] {
    const named = [...this.#exports].map(([module, names]): Statement => {
      const found = sortedBy([...names.values()], ({ name }) => name);
      const onlyTypes = found.every(({ typeOnly }) => typeOnly);
      const items = found.map(({ name, typeOnly }) =>
        typeOnly && !onlyTypes ? `type ${name}` : name,
      );
      return { module, clause: onlyTypes ? "export type" : "export", items };
    });
    const reexports = [...this.#reexportedModules].map((module): Statement => ({
      module,
      clause: "export *",
    }));
    return sortedBy([...reexports, ...named], ({ module }) => module);
  }
}

/**
 * Returns names for files that use most of a module: symbols of the given namespaces become members
 * of these namespaces.
 */
export function membersOf(namespaces: readonly NamespaceRef[], imports: Imports): NameSource {
  const find = ({ module }: SymbolRef): NamespaceRef | undefined =>
    namespaces.find((namespace) => namespace.module === module);
  return {
    value: (symbol) => {
      const whole = find(symbol);
      return whole === undefined
        ? imports.value(symbol)
        : `${imports.namespace(whole)}.${symbol.name}`;
    },
    type: (symbol) => {
      const whole = find(symbol);
      return whole === undefined
        ? imports.type(symbol)
        : `${imports.typeNamespace(whole)}.${symbol.name}`;
    },
    ownType: (name) => imports.ownType(name),
  };
}

/**
 * Returns an unused name: the name itself, or the name with as many trailing underscores as
 * necessary.
 */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name;
}

/**
 * Returns whether a module belongs to the platform, so that its specifier is the same in every
 * file.
 */
export function isPlatform(module: string): boolean {
  return module.startsWith("node:");
}

function inner<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = map.get(key) ?? new Map<string, V>();
  map.set(key, found);
  return found;
}
