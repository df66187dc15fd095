/**
 * A fixed number of slots that owners share. An owner may take a slot if the number of the owner's
 * slots is less than the number of free slots. A single owner therefore gets half of all slots, two
 * owners get a third each, and a new owner always finds a free slot.
 */
export class Slots {
  readonly #count: number;
  #taken = 0;
  readonly #byOwner = new Map<string, number>();

  constructor(count: number) {
    this.#count = count;
  }

  /** Number of free slots. */
  get free(): number {
    return Math.max(this.#count - this.#taken, 0);
  }

  get isUnused(): boolean {
    return this.#taken === 0;
  }

  /**
   * Returns whether an owner may take `count` more slots. A large `count` may fail although part of
   * the owner's share is left.
   */
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
