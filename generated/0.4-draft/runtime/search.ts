// Part of a2a-codegen 0.1.0. Do not edit.

import { isObject, type Unchecked } from "./json.js";
import { texts } from "./predicates.js";
import { Run, type Issue, type Type } from "./schema.js";
import { list, string } from "./types.js";

const strings = /* @__PURE__ */ list(string);

/** Reports to `search` everything that is wrong with a value. */
export type Finder = (this: void, value: unknown, search: Search) => unknown;

/**
 * A search for everything that keeps a value from its canonical form. The functions that search messages read their
 * fields by name, which is several times faster than to look each member up in a table.
 */
export class Search extends Run {
  constructor() {
    super("strict");
  }

  /** Tells whether a value is an object whose members can be searched. */
  object<T>(name: string, value: unknown): value is Unchecked<T> {
    if (isObject(value)) return !this.tooDeep(value);
    this.report(name, value);
    return false;
  }

  /** Searches a member. */
  in(key: string | number, value: unknown, find: Finder): void {
    this.path.push(key);
    find(value, this);
    this.path.pop();
  }

  /** Searches a member that is a list of strings. */
  texts(key: string, value: unknown): void {
    if (!texts(value, this.path.length + 1)) this.at(key, strings, value);
  }

  /** Searches the elements of a member that is a list. */
  each(key: string, value: unknown, name: string, find: Finder): void {
    this.path.push(key);
    if (!Array.isArray(value)) this.report(`a list of ${name}`, value);
    else this.#elements(value, find);
    this.path.pop();
  }

  /** Searches the elements of a member that is a list of at least one. */
  some(key: string, value: unknown, name: string, find: Finder): void {
    this.path.push(key);
    if (!Array.isArray(value) || value.length === 0) this.report(`a list of at least one ${name}`, value);
    else this.#elements(value, find);
    this.path.pop();
  }

  #elements(values: readonly unknown[], find: Finder): void {
    if (this.tooDeep(values)) return;
    for (let index = 0; index < values.length && !this.full; index += 1) this.in(index, values[index], find);
  }
}

/**
 * Finds every issue with a value that is not in its canonical form. Where none of its members is to blame, as with one
 * that an object hides, the value as a whole is.
 */
export function issuesOf(type: Type<unknown>, value: unknown, find: Finder = type.check): readonly Issue[] {
  const search = new Search();
  find(value, search);
  if (search.issues.length === 0) search.report(type.name, value);
  return search.issues;
}
