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
