import { isJsonValue, isObject, type Unchecked } from "../base/json.js";
import { isTextList } from "./predicates.js";
import { ValidationContext, ValidationError, type Issue, type Type } from "./schema.js";
import { list, listValue, string, value as json } from "./types.js";

const strings = /* @__PURE__ */ list(string);

/** Function that reports all issues in a value to `search`. */
export type Finder = (value: unknown, search: IssueSearch) => unknown;

/**
 * A search for all issues in a value that is not in its canonical form. The generated functions that use it read fields
 * by name, which is several times faster than looking up each member in a table.
 */
export class IssueSearch extends ValidationContext {
  constructor() {
    super("strict");
  }

  /** Returns whether a value is an object whose members can be searched. Otherwise, also reports an issue. */
  object<T>(name: string, value: unknown): value is Unchecked<T> {
    if (isObject(value)) return !this.tooDeep(value);
    this.report(name, value);
    return false;
  }

  /** Searches a member with `find`. */
  in(key: string | number, value: unknown, find: Finder): void {
    this.path.push(key);
    find(value, this);
    this.path.pop();
  }

  /** Searches a member that is a list of strings. */
  texts(key: string, value: unknown): void {
    if (!isTextList(value, this.path.length + 1)) this.at(key, strings, value);
  }

  /**
   * Searches a member with a JSON type, such as `google.protobuf.Struct`. Issues inside the member are reported with
   * their own paths.
   */
  json(key: string, type: Type<unknown>, value: unknown): void {
    const before = this.issues.length;
    // Check the member as a whole first, and only search inside the member if this check fails.
    this.at(key, type, value);
    const whole = this.issues.at(before);
    if (whole === undefined || !isNested(value) || (type !== json && Array.isArray(value) !== (type === listValue)))
      return;
    this.issues.length = before;
    this.in(key, value, searchJson);
    if (this.issues.length === before) this.issues.push(whole);
  }

  /** Searches the elements of a member that is a list. */
  each(key: string, value: unknown, name: string, find: Finder): void {
    this.#list(key, value, `a list of ${name}`, 0, find);
  }

  /** Searches the elements of a member that is a list of at least one element. */
  some(key: string, value: unknown, name: string, find: Finder): void {
    this.#list(key, value, `a list of at least one ${name}`, 1, find);
  }

  #list(key: string, value: unknown, expected: string, least: number, find: Finder): void {
    this.path.push(key);
    if (!Array.isArray(value) || value.length < least) this.report(expected, value);
    else if (!this.tooDeep(value))
      for (let index = 0; index < value.length && !this.full; index += 1) this.in(index, value[index], find);
    this.path.pop();
  }
}

function searchJson(value: unknown, search: IssueSearch): void {
  if (!isNested(value)) {
    if (!isJsonValue(value)) search.report(json.name, value);
  } else if (!search.tooDeep(value)) {
    // Iterate by index, because `Object.entries` skips holes in arrays.
    if (Array.isArray(value)) for (let at = 0; at < value.length; at += 1) search.in(at, value[at], searchJson);
    else for (const [key, member] of Object.entries(value)) search.in(key, member, searchJson);
  }
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/**
 * Returns all issues in a value that is not in its canonical form. If no member has an issue, for example because a
 * getter hides the issue, reports the value as a whole.
 */
export function issuesOf(type: Type<unknown>, value: unknown, find: Finder = type.check): readonly Issue[] {
  const search = new IssueSearch();
  find(value, search);
  if (search.issues.length === 0) search.report(type.name, value);
  return search.issues;
}

/** Returns the error for a value that is not in its canonical form, with all issues. */
export function errorOf(type: Type<unknown>, value: unknown, find?: Finder): ValidationError {
  return new ValidationError(type.name, issuesOf(type, value, find));
}
