/** Ids of a kind, and the names that replace them. */
export class Names {
  readonly #kind: string;
  readonly #names = new Map<string, string>();
  readonly #taken = new Map<string, number>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Returns the name of an id, which contains the number of the turn in which it appeared. */
  of(id: string, turn: number): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const base = `${this.#kind}-${turn}`;
    const count = (this.#taken.get(base) ?? 0) + 1;
    this.#taken.set(base, count);
    const name = count === 1 ? base : `${base}.${count}`;
    this.#names.set(id, name);
    return name;
  }
}
