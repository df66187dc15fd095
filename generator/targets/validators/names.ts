import type { Imports } from "../../emit/imports.js";
import { modelRef } from "../../emit/output-modules.js";
import { validatorNames } from "../../protocol/names/output-names.js";
import { subjectOf } from "../../protocol/build/subjects.js";
import { valueRef, type ValueRef } from "../../emit/symbols.js";
import type { Protocol, TypeDef } from "../../protocol/model/types.js";

/**
 * Returns the subject of a type's guard. If the validators have several files, guards have files of
 * their own, so that a client can import them without the schemas.
 */
export function guardSubject(protocol: Protocol, name: string): string {
  const subject = subjectOf(protocol, name);
  return isParted(protocol) ? `guards/${subject}` : subject;
}

/** Returns a reference to the guard of a type in the file that declares it. */
export function guardRef(protocol: Protocol, name: string): ValueRef {
  const module = isParted(protocol) ? `validators/${guardSubject(protocol, name)}` : "validators";
  return valueRef(module, `is${name}`);
}

function isParted(protocol: Protocol): boolean {
  if (protocol.services !== undefined) return true;
  const [first, ...others] = protocol.types.map(({ name }) => subjectOf(protocol, name));
  return others.some((subject) => subject !== first);
}

/** Returns the names that the validators export for types. */
export function exportedValidators(types: readonly TypeDef[]): string[] {
  return types.flatMap(({ name }) =>
    validatorNames.map(([prefix, suffix]) => prefix + name + suffix),
  );
}

/** Names of functions, schemas and types in the generated validators. */
export class ValidatorNames {
  readonly #imports: Imports;
  readonly #locals = new Map<string, string>();

  /**
   * Imports the types first, so that no other name in the file collides with the name of a type.
   */
  constructor(types: readonly TypeDef[], imports: Imports) {
    this.#imports = imports;
    for (const { name } of types) imports.type(modelRef(name));
  }

  /** Returns the name of the type. */
  type(name: string): string {
    return this.#imports.type(modelRef(name));
  }

  /** Returns the name of the guard. */
  is(name: string): string {
    return this.#imports.own(`is${name}`);
  }

  /** Returns the name of the guard with a depth parameter. */
  isAt(name: string): string {
    return this.#local(`is${name}At`);
  }

  /** Returns the name of the schema. */
  schema(name: string): string {
    return this.#imports.own(`${name}Schema`);
  }

  #local(preferred: string): string {
    const known = this.#locals.get(preferred) ?? this.#imports.declare(preferred);
    this.#locals.set(preferred, known);
    return this.#imports.own(known);
  }
}
