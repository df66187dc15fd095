/** An element of a {@link Chain}. An element is in one chain at most. */
export interface Link<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * Elements in the order in which they were added. Unlike a `Set`, a chain neither calculates hashes
 * nor copies its elements when it grows.
 */
export class Chain<T extends Link<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an element that is in no chain. */
  add(element: T): void {
    const last = this.#last;
    if (last === undefined) this.#first = element;
    else last.next = element;
    element.previous = last;
    this.#last = element;
    this.#size += 1;
  }

  /** Removes an element of this chain. */
  remove(element: T): void {
    const { previous, next } = element;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    // Otherwise, a removed element would keep its neighbors in memory.
    element.previous = element.next = undefined;
    this.#size -= 1;
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (let element = this.#first; element !== undefined; element = element.next) yield element;
  }
}
