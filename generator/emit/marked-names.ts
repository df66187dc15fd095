import type { NameSource } from "./imports.js";
import type { SymbolRef, ValueRef } from "./symbols.js";

/** A name in a text that stands for something imported, and whether its value is used. */
export interface MarkedName {
  readonly symbol: SymbolRef;
  readonly isValue: boolean;
}

/** A text with names in it that are not decided: strings as they are, and numbers for entries of a list of names. */
export type OpenText = readonly (string | number)[];

/** The first of the characters that mark names, which Unicode leaves to private use, and the one that fills them up. */
const firstMark = 0xe000;
const filler = "\uF8FF";

/**
 * Names for a text whose imports are decided later. Each is marked by characters that code does not have, as many as the
 * name has, so that lines break as they will with the name.
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

  /** Splits a text at the marks; numbers stand for entries of {@link names}. */
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
    const known = this.#names.findIndex(({ symbol: one }) => one.module === module && one.name === name);
    const index = known < 0 ? this.#names.length : known;
    this.#names[index] = { symbol, isValue: isValue || this.#names[index]?.isValue === true };
    const mark = String.fromCharCode(firstMark + index).padEnd(name.length, filler);
    this.#marks[index] = mark;
    return mark;
  }
}
