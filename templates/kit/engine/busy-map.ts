/** A cell of a {@link BusyMap}. */
interface Cell<T> {
  value: T | undefined;
}

/**
 * A map whose entries live about as long as a request. When a `Map` grows in V8, its old table refers to the new table.
 * If a map has many additions and deletions, deleted values therefore survive until the next full garbage collection,
 * and collections of young objects copy them. This map clears the cell of a deleted value instead.
 */
export class BusyMap<T> {
  readonly #cells = new Map<string, Cell<T>>();

  get(key: string): T | undefined {
    return this.#cells.get(key)?.value;
  }

  set(key: string, value: T): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, { value });
    else cell.value = value;
  }

  delete(key: string): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) return;
    cell.value = undefined;
    this.#cells.delete(key);
  }

  /** Returns all values at this time. */
  values(): T[] {
    const values: T[] = [];
    for (const { value } of this.#cells.values()) if (value !== undefined) values.push(value);
    return values;
  }
}
