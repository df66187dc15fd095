/**
 * A name that a module exports. Modules are identified by their path below the output folder,
 * without extension.
 */
export interface SymbolRef {
  readonly module: string;
  readonly name: string;
  /** Whether the name only refers to types. */
  readonly typeOnly: boolean;
}

/** An exported name that refers to a value. */
export interface ValueRef extends SymbolRef {
  readonly typeOnly: false;
}

/** A module that is imported as a whole, and its default local name. */
export interface NamespaceRef {
  readonly module: string;
  readonly name: string;
}

/** Returns a reference to an exported value: a function, a class or a constant. */
export function valueRef(module: string, name: string): ValueRef {
  return { module, name, typeOnly: false };
}

/** Returns a reference to an exported type. */
export function typeRef(module: string, name: string): SymbolRef {
  return { module, name, typeOnly: true };
}

/** Names that modules export, by module. */
type Exports = Readonly<
  Record<string, { readonly types?: readonly string[]; readonly values?: readonly string[] }>
>;

/** The names of one kind in a table of exports. */
type NamesIn<Table extends Exports, Kind extends "types" | "values"> = {
  [Module in keyof Table]: Table[Module] extends Readonly<Record<Kind, readonly (infer Name)[]>>
    ? Extract<Name, string>
    : never;
}[keyof Table];

/** References to all names in a table of exports, by name. */
type Symbols<Table extends Exports> = {
  readonly [Name in NamesIn<Table, "types">]: SymbolRef;
} & { readonly [Name in NamesIn<Table, "values">]: ValueRef };

/** Returns references to the names that the modules of a folder export. No name occurs twice. */
export function symbolsOf<const Table extends Exports>(
  folder: string,
  table: Table,
): Symbols<Table> {
  const symbols = Object.entries(table).flatMap(([module, { types = [], values = [] }]) => [
    ...types.map((name) => typeRef(folder + module, name)),
    ...values.map((name) => valueRef(folder + module, name)),
  ]);
  return Object.fromEntries(symbols.map((symbol) => [symbol.name, symbol])) as Symbols<Table>;
}
