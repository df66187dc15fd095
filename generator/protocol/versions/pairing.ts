/** An element of one version, and its counterpart in another version. */
export interface Pair<T> {
  readonly from: T;
  readonly to: T;
}

/**
 * Finds the counterparts of the elements of one version in another version, step by step. Each
 * element has at most one counterpart.
 */
export class Pairing<T> {
  readonly #from: readonly T[];
  readonly #to: readonly T[];
  readonly #counterparts = new Map<T, T>();
  readonly #taken = new Set<T>();

  constructor(from: readonly T[], to: readonly T[]) {
    this.#from = from;
    this.#to = to;
  }

  /** Pairs each unpaired element with the first unpaired counterpart that `isSame` accepts. */
  by(isSame: (from: T, to: T) => boolean): this {
    return this.find((element, free) => free.find((other) => isSame(element, other)));
  }

  /**
   * Pairs each unpaired element with the counterpart that `find` selects from the unpaired elements
   * of the other version.
   */
  find(find: (element: T, free: readonly T[]) => T | undefined): this {
    for (const element of this.removed) {
      const found = find(element, this.added);
      if (found === undefined) continue;
      this.#counterparts.set(element, found);
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

  /** The elements that only the first version has. */
  get removed(): readonly T[] {
    return this.#from.filter((element) => !this.#counterparts.has(element));
  }

  /** The elements that only the second version has. */
  get added(): readonly T[] {
    return this.#to.filter((element) => !this.#taken.has(element));
  }
}
