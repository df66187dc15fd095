/** A received card, and the time until which it may be used without a request. */
export interface CachedCard {
  readonly body: unknown;
  readonly url: string;
  readonly etag: string | null;
  /** Milliseconds since 1970. */
  readonly freshUntil: number;
  /** Whether the text of the card has been checked. */
  readonly isChecked?: boolean;
}

/** Stores agent cards in memory. Several clients may share a cache. */
export class CardCache {
  readonly #cards = new Map<string, CachedCard>();
  readonly #unserved = new Map<string, Set<string>>();
  readonly #capacity: number;

  /**
   * Creates a cache. If the cache contains more than `capacity` cards, it deletes the oldest card.
   */
  constructor(capacity = 100) {
    this.#capacity = capacity;
  }

  get(key: string): CachedCard | undefined {
    return this.#cards.get(key);
  }

  set(key: string, card: CachedCard): void {
    this.#put(this.#cards, key, card);
  }

  delete(key: string): void {
    this.#cards.delete(key);
  }

  /** Returns the interfaces of the card at a URL that are known not to serve their version. */
  unservedAt(url: string): Set<string> {
    const known = this.#unserved.get(url) ?? new Set();
    this.#put(this.#unserved, url, known);
    return known;
  }

  /** Stores a value. If the map is full, deletes the oldest value. */
  #put<T>(map: Map<string, T>, key: string, value: T): void {
    map.delete(key);
    map.set(key, value);
    for (const oldest of map.keys()) {
      if (map.size <= this.#capacity) break;
      map.delete(oldest);
    }
  }
}
