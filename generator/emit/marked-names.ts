import type { NameSource } from "./imports.js";
import type { SymbolRef, ValueRef } from "./symbols.js";

/** A marked name that refers to an import, and whether its value is used. */
export interface MarkedName {
  readonly symbol: SymbolRef;
  readonly isValue: boolean;
}

/**
 * A string in which some names are not determined yet. Strings are literal, and numbers are indexes
 * in a list of names.
 */
export type OpenText = readonly (string | number)[];

/**
 * The first marker character, from the private use area of Unicode, and the character that pads a
 * marker.
 */
const firstMark = 0xe000;
const filler = "\uF8FF";

/**
 * Names for code whose imports are determined later. Each name is replaced by a marker of the same
 * length, which consists of characters that code does not contain. Lines therefore break in the
 * same way as with the final name.
 */
export class MarkedNames implements NameSource {
  readonly #names: MarkedName[] = [];
  readonly #marks: string[] = [];

  /** All names, in the order of their first use. */
  get names(): readonly MarkedName[] {
    return this.#names;
  }

  value(symbol: ValueRef): string {
    return this.#mark(symbol, true);
  }

  type(symbol: SymbolRef): string {
    return this.#mark(symbol, false);
  }

  ownType(name: string): string {
    return name;
  }

  /** Splits a string at the markers. Numbers are indexes in {@link names}. */
  split(text: string): OpenText {
    return this.#marks.reduce<OpenText>(
      (parts, mark, index) =>
        parts.flatMap((part) => {
          if (typeof part === "number") return [part];
          const [first = "", ...others] = part.split(mark);
          return [first, ...others.flatMap((other) => [index, other])];
        }),
      [text],
    );
  }

  #mark(symbol: SymbolRef, isValue: boolean): string {
    const { module, name } = symbol;
    const known = this.#names.findIndex(
      ({ symbol: one }) => one.module === module && one.name === name,
    );
    const index = known < 0 ? this.#names.length : known;
    this.#names[index] = { symbol, isValue: isValue || this.#names[index]?.isValue === true };
    const mark = String.fromCharCode(firstMark + index).padEnd(name.length, filler);
    this.#marks[index] = mark;
    return mark;
  }
}
