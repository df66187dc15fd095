/** Random numbers that a seed determines: the same on every machine, and cheap. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number of 32 bits without a sign. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** A whole number from 0 to `limit`, without `limit`. */
  below(limit: number): number {
    return this.next() % limit;
  }

  /** Tells whether something happens that does in one of `times` cases. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  /** Returns one of several values. The list must not be empty. */
  pick<T>(values: readonly T[]): T {
    const index = this.below(values.length);
    if (index >= values.length) throw new Error("There is nothing to pick from");
    return values[index] as T;
  }

  /** A list with as many elements as `most` at most. */
  list<T>(most: number, element: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, element);
  }
}

/** The seed of one of many cases: what it is called and its number tell it from all others. */
export function seedOf(seed: number, name: string, index: number): number {
  let mixed = seed >>> 0;
  for (let at = 0; at < name.length; at += 1)
    mixed = Math.imul(mixed ^ name.charCodeAt(at), 0x01000193);
  return (Math.imul(mixed ^ (index + 1), 0x85ebca6b) ^ index) >>> 0;
}
