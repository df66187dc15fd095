/** A cell of a {@link BusyMap}. */
interface Cell<T> {
  value: T | undefined;
}

/**
 * A map whose entries live about as long as a request. When a `Map` grows in V8, its old table
 * refers to the new table. After many additions and deletions, deleted values therefore survive
 * until the next full garbage collection, and each collection of young objects copies them. This
 * map avoids this: it clears the cell of a deleted value.
 */
export class BusyMap<T> {
  readonly #cells = new Map<string, Cell<T>>();

  get isEmpty(): boolean {
    return this.#cells.size === 0;
  }

  get(key: string): T | undefined {
    return this.#cells.get(key)?.value;
  }

  /** Sets a value, and returns the value that it replaces. */
  set(key: string, value: T): T | undefined {
    const cell = this.#cells.get(key);
    const before = cell?.value;
    if (cell === undefined) this.#cells.set(key, { value });
    else cell.value = value;
    return before;
  }

  /** Deletes a value, unless the key has another value. */
  delete(key: string, value: T): void {
    const cell = this.#cells.get(key);
    if (cell?.value !== value) return;
    cell.value = undefined;
    this.#cells.delete(key);
  }

  /** Returns all current values. */
  values(): T[] {
    const values: T[] = [];
    for (const { value } of this.#cells.values()) if (value !== undefined) values.push(value);
    return values;
  }
}
