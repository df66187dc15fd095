/** A name that a module exports. Modules go by their path below the output folder, without extension. */
export interface SymbolRef {
  readonly module: string;
  readonly name: string;
  /** Whether the name is one of types alone. */
  readonly typeOnly: boolean;
}

/** A name that a module exports for a value. */
export interface ValueRef extends SymbolRef {
  readonly typeOnly: false;
}

/** A module that is imported as a whole, and the name that its importers use unless something else has it. */
export interface NamespaceRef {
  readonly module: string;
  readonly name: string;
}

/** An exported value: a function, a class or a constant. */
export function valueRef(module: string, name: string): ValueRef {
  return { module, name, typeOnly: false };
}

/** An exported type. */
export function typeRef(module: string, name: string): SymbolRef {
  return { module, name, typeOnly: true };
}
