/** Position of an element in a list that is ordered by time, and then by id. */
export interface Position {
  readonly time: number;
  readonly id: string;
}

/** Maximum number of elements in a block. */
const blockSize = 512;

/**
 * Elements in the order of their positions. They are stored in blocks, so that adding, removing and
 * counting only take a few microseconds even with millions of elements. A new element usually has
 * the greatest position, so it is added to the end of the last block.
 */
export class Order<T extends Position> {
  readonly #blocks: T[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(element: T): void {
    this.#size += 1;
    const last = this.#blocks.at(-1);
    const greatest = last?.at(-1);
    if (last === undefined || greatest === undefined) this.#blocks.push([element]);
    else if (compare(greatest, element) >= 0) this.#insert(element);
    else if (last.length < blockSize) last.push(element);
    else this.#blocks.push([element]);
  }

  /** Removes an element. Its position must not have changed since it was added. */
  remove(element: T): void {
    const at = this.#blockOf(element);
    const block = this.#blocks.at(at);
    const index = block === undefined ? -1 : positionIn(block, element);
    if (block?.at(index) !== element) return;
    this.#size -= 1;
    if (index === block.length - 1) block.pop();
    else if (index === 0) block.shift();
    else block.splice(index, 1);
    if (block.length < blockSize / 4) this.#mend(at, block);
  }

  /** Returns the number of elements at or after a time. */
  countSince(time: number): number {
    const position = { time, id: "" };
    const at = this.#blockOf(position);
    const block = this.#blocks.at(at);
    let count = block === undefined ? 0 : block.length - positionIn(block, position);
    for (let next = at + 1; next < this.#blocks.length; next += 1)
      count += this.#blocks.at(next)?.length ?? 0;
    return count;
  }

  /** Visits the elements before a position in descending order, until `visit` returns `false`. */
  descend(before: Position | undefined, visit: (element: T) => boolean): void {
    let at = before === undefined ? this.#blocks.length : this.#blockOf(before);
    const first = this.#blocks.at(at);
    let index = first === undefined || before === undefined ? 0 : positionIn(first, before);
    for (;;) {
      if (index === 0) {
        if (at === 0) return;
        at -= 1;
        index = this.#blocks.at(at)?.length ?? 0;
      }
      index -= 1;
      const element = this.#blocks.at(at)?.at(index);
      if (element === undefined || !visit(element)) return;
    }
  }

  #insert(element: T): void {
    const at = this.#blockOf(element);
    const block = this.#blocks.at(at);
    if (block === undefined) return;
    block.splice(positionIn(block, element), 0, element);
    if (block.length > blockSize) this.#blocks.splice(at + 1, 0, block.splice(blockSize / 2));
  }

  /** Removes an empty block, or joins a short block with the next block. */
  #mend(at: number, block: T[]): void {
    const next = this.#blocks.at(at + 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
    else if (next !== undefined && block.length + next.length <= blockSize / 2) {
      this.#blocks.splice(at, 2, block.concat(next));
    }
  }

  /** Returns the index of the first block with elements at or after a position. */
  #blockOf(position: Position): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#blocks.at(middle)?.at(-1);
      if (last !== undefined && compare(last, position) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Returns the index of the first element of a block at or after a position. */
function positionIn(block: readonly Position[], position: Position): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const element = block.at(middle);
    if (element !== undefined && compare(element, position) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares two positions, for sorting. */
export function compare(first: Position, second: Position): number {
  if (first.time !== second.time) return first.time - second.time;
  if (first.id === second.id) return 0;
  return first.id < second.id ? -1 : 1;
}
