import type { Imports } from "../../emit/imports.js";
import { modelRef } from "../../emit/output-modules.js";
import { validatorNames } from "../../protocol/names/output-names.js";
import type { TypeDef } from "../../protocol/model/types.js";

/** The names that the validators export for types. */
export function exportedValidators(types: readonly TypeDef[]): string[] {
  return types.flatMap(({ name }) => validatorNames.map(([before, behind]) => before + name + behind));
}

/** What functions, schemas and types are called in the file of the validators. */
export class ValidatorNames {
  readonly #imports: Imports;
  readonly #locals = new Map<string, string>();

  /** Imports the types, so that nothing else in the file is called like one of them. */
  constructor(types: readonly TypeDef[], imports: Imports) {
    this.#imports = imports;
    for (const { name } of types) imports.type(modelRef(name));
  }

  /** The type. */
  type(name: string): string {
    return this.#imports.type(modelRef(name));
  }

  /** The guard. */
  is(name: string): string {
    return this.#imports.own(`is${name}`);
  }

  /** The guard that knows how deep a value is. */
  isAt(name: string): string {
    return this.#local(`is${name}At`);
  }

  /** The function that finds what is wrong with a value. */
  search(name: string): string {
    return this.#local(`search${name}`);
  }

  /** The schema. */
  schema(name: string): string {
    return this.#imports.own(`${name}Schema`);
  }

  #local(wanted: string): string {
    const known = this.#locals.get(wanted) ?? this.#imports.declare(wanted);
    this.#locals.set(wanted, known);
    return this.#imports.own(known);
  }
}
