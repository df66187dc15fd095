/**
 * A number of places that owners share: an owner may take a place as long as it has fewer than are free. So a single
 * owner gets half of all places, two owners get a third each, and an owner that comes later still finds free places.
 */
export class Places {
  readonly #count: number;
  #taken = 0;
  readonly #byOwner = new Map<string, number>();

  constructor(count: number) {
    this.#count = count;
  }

  /** The number of free places. */
  get free(): number {
    return Math.max(this.#count - this.#taken, 0);
  }

  get isUnused(): boolean {
    return this.#taken === 0;
  }

  /** Returns whether an owner may take some more places. Fewer than the owner's share may be left for a large `count`. */
  hasRoom(owner: string, count = 1): boolean {
    return (this.#byOwner.get(owner) ?? 0) + count <= this.free;
  }

  take(owner: string, count = 1): void {
    this.#taken += count;
    this.#byOwner.set(owner, (this.#byOwner.get(owner) ?? 0) + count);
  }

  leave(owner: string, count = 1): void {
    const left = (this.#byOwner.get(owner) ?? 0) - count;
    this.#taken -= count;
    if (left > 0) this.#byOwner.set(owner, left);
    else this.#byOwner.delete(owner);
  }

  clear(): void {
    this.#taken = 0;
    this.#byOwner.clear();
  }
}
