import { keywords } from "../support/names.js";
import { encloseObject, quote } from "./text.js";
import type { FilePlan, Statement } from "./plan.js";
import type { NamespaceRef, SymbolRef, ValueRef } from "./symbols.js";

/** Notes the names that generated code uses, and returns what they are called there. */
export interface NameSource {
  /** Notes the use of a value; returns its local name. */
  value(symbol: ValueRef): string;
  /** Notes the use of a type; returns its local name. */
  type(symbol: SymbolRef): string;
  /** Notes the use of a type that the file declares itself; returns its name. */
  ownType(name: string): string;
}

/** What a part of a file uses, so that it can move to another file. */
export interface Uses {
  /** Notes each use of something imported in the imports of another file, under the same local name; by module and name. */
  readonly imported: Map<string, (target: Imports) => void>;
  /** The names that the file declares itself, and whether their values are used. */
  readonly own: Map<string, "type" | "value">;
}

/** An imported name; the import is one of a type as long as all of its uses are. */
interface Imported {
  readonly symbol: SymbolRef;
  readonly local: string;
  isValue: boolean;
}

/**
 * The names of one generated file. What the file declares keeps its name; an import whose name is taken gets another one
 * in this file alone, with a trailing underscore. A name is decided when it is asked for the first time, so that code
 * has to be written with the names that the methods return.
 */
export class Imports implements NameSource {
  readonly #path: string;
  readonly #taken: Set<string>;
  readonly #named = new Map<string, Map<string, Imported>>();
  readonly #namespaces = new Map<string, { readonly local: string; isValue: boolean }>();
  readonly #exports = new Map<string, Map<string, SymbolRef>>();
  readonly #wholes = new Set<string>();
  #uses: Uses | undefined;

  /** `path` is that of the file below the output folder, `declared` what the file declares at its top level. */
  constructor(path: string, declared: Iterable<string> = []) {
    this.#path = path;
    this.#taken = new Set(declared);
  }

  /** Notes the use of a value; returns its local name, which is `preferred` where that is given and free. */
  value(symbol: ValueRef, preferred?: string): string {
    const found = this.#find(symbol, preferred);
    found.isValue = true;
    const { local } = found;
    this.#uses?.imported.set(`value ${symbol.module} ${symbol.name}`, (target) => target.value(symbol, local));
    return local;
  }

  /** Notes the use of a type; returns its local name. */
  type(symbol: SymbolRef, preferred?: string): string {
    const { local } = this.#find(symbol, preferred);
    this.#uses?.imported.set(`type ${symbol.module} ${symbol.name}`, (target) => target.type(symbol, local));
    return local;
  }

  /** Notes the use of a type that the file declares itself; returns its name. */
  ownType(name: string): string {
    if (this.#uses?.own.get(name) === undefined) this.#uses?.own.set(name, "type");
    return name;
  }

  /** Notes the use of a value that the file declares itself; returns its name. */
  own(name: string): string {
    this.#uses?.own.set(name, "value");
    return name;
  }

  /** Begins a part of the file; returns what it uses, which is all that is noted until the next one begins. */
  startPart(): Uses {
    this.#uses = { imported: new Map(), own: new Map() };
    return this.#uses;
  }

  /** Notes the use of a module as a whole; returns its local name. */
  namespace(module: NamespaceRef): string {
    const name = this.#whole(module, true);
    this.#uses?.imported.set(`namespace ${module.module}`, (target) => target.namespace({ ...module, name }));
    return name;
  }

  /** Notes the use of the types of a module as a whole; returns its local name. */
  typeNamespace(module: NamespaceRef): string {
    return this.#whole(module, false);
  }

  /** Claims a name for a declaration that no other file imports; returns the name, or a similar one that is free. */
  declare(name: string): string {
    const free = freeName(keywords.has(name) ? `${name}_` : name, this.#taken);
    this.#taken.add(free);
    return free;
  }

  /** Returns whether the file has something of a name already. */
  isTaken(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Exports names of other modules under the same names. */
  reexport(...symbols: readonly SymbolRef[]): void {
    for (const symbol of symbols) inner(this.#exports, symbol.module).set(symbol.name, symbol);
  }

  /** Exports everything that another module does. */
  reexportAll(module: string): void {
    this.#wholes.add(module);
  }

  /** Plans the file, with all imports and exports that have been noted. */
  plan(template: string, view: object): FilePlan {
    return { path: this.#path, template, view, imports: this.#imports(), exports: this.#reexports() };
  }

  #find(symbol: SymbolRef, preferred = symbol.name): Imported {
    const names = inner(this.#named, symbol.module);
    const known = names.get(symbol.name);
    if (known !== undefined) return known;
    const found = { symbol, local: this.declare(preferred), isValue: false };
    names.set(symbol.name, found);
    return found;
  }

  #whole({ module, name }: NamespaceRef, isValue: boolean): string {
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
    const wholes = [...this.#namespaces].map(([module, { local, isValue }]): Statement => {
      return { module, clause: `${isValue ? "import" : "import type"} * as ${local}` };
    });
    return sortedBy([...named, ...wholes], ({ module }) => (isPlatform(module) ? "" : module));
  }

  #reexports(): Statement[] {
    const named = [...this.#exports].map(([module, names]): Statement => {
      const found = sortedBy([...names.values()], ({ name }) => name);
      const onlyTypes = found.every(({ typeOnly }) => typeOnly);
      const items = found.map(({ name, typeOnly }) => (typeOnly && !onlyTypes ? `type ${name}` : name));
      return { module, clause: onlyTypes ? "export type" : "export", items };
    });
    const wholes = [...this.#wholes].map((module): Statement => ({ module, clause: "export *" }));
    return sortedBy([...wholes, ...named], ({ module }) => module);
  }
}

/** Returns names that are members of whole modules where they come from one of these, for files that use most of them. */
export function membersOf(namespaces: readonly NamespaceRef[], imports: Imports): NameSource {
  const find = ({ module }: SymbolRef): NamespaceRef | undefined => namespaces.find((each) => each.module === module);
  return {
    value: (symbol) => {
      const whole = find(symbol);
      return whole === undefined ? imports.value(symbol) : `${imports.namespace(whole)}.${symbol.name}`;
    },
    type: (symbol) => {
      const whole = find(symbol);
      return whole === undefined ? imports.type(symbol) : `${imports.typeNamespace(whole)}.${symbol.name}`;
    },
    ownType: (name) => imports.ownType(name),
  };
}

/** The lines of statements; `specifierOf` says how the file refers to a module. */
export function statementLines(statements: readonly Statement[], specifierOf: (module: string) => string): string[] {
  return statements.flatMap(({ module, clause, items }) => {
    const from = ` from ${quote(specifierOf(module))};`;
    return items === undefined ? [clause + from] : encloseObject(`${clause} `, items, from, 0);
  });
}

/** Returns a name that is not taken: the name itself, or with as many trailing underscores as it takes. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name;
}

/** Returns whether a module is one of the platform, which goes by its own name everywhere. */
export function isPlatform(module: string): boolean {
  return module.startsWith("node:");
}

function inner<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = map.get(key) ?? new Map<string, V>();
  map.set(key, found);
  return found;
}

function sortedBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return items.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}
