/** Something of one version, and its counterpart in another. */
export interface Pair<T> {
  readonly from: T;
  readonly to: T;
}

/** Finds the counterparts of what one version has in another one, step by step: nothing has two counterparts. */
export class Pairing<T> {
  readonly #from: readonly T[];
  readonly #to: readonly T[];
  readonly #counterparts = new Map<T, T>();
  readonly #taken = new Set<T>();

  constructor(from: readonly T[], to: readonly T[]) {
    this.#from = from;
    this.#to = to;
  }

  /** Pairs what has no counterpart yet with the first that `isSame` accepts. */
  by(isSame: (one: T, other: T) => boolean): this {
    return this.find((one, free) => free.find((other) => isSame(one, other)));
  }

  /** Pairs what has no counterpart yet with what `find` picks among the rest of the other version. */
  find(find: (one: T, free: readonly T[]) => T | undefined): this {
    for (const one of this.removed) {
      const found = find(one, this.added);
      if (found === undefined) continue;
      this.#counterparts.set(one, found);
      this.#taken.add(found);
    }
    return this;
  }

  /** The pairs, in the order of the first version. */
  get pairs(): readonly Pair<T>[] {
    return this.#from.flatMap((from) => {
      const to = this.#counterparts.get(from);
      return to === undefined ? [] : [{ from, to }];
    });
  }

  /** What only the first version has. */
  get removed(): readonly T[] {
    return this.#from.filter((one) => !this.#counterparts.has(one));
  }

  /** What only the second version has. */
  get added(): readonly T[] {
    return this.#to.filter((one) => !this.#taken.has(one));
  }
}
