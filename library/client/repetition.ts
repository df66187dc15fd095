import type { Part } from "../kit/model.js";
import { isTextLike } from "./differences.js";
import { isSame } from "./same.js";

/**
 * Compares the parts of an artifact that an agent writes again with the parts that are known. Reads
 * each part once, because comparing all parts after each chunk would take quadratic time.
 */
export class Repetition {
  /** The parts that were written again. */
  readonly parts: Part[] = [];
  /** The known parts. Adjacent texts are one part. */
  readonly #known: readonly Part[];
  /** Position of the known part with which the next part is compared. */
  #at = 0;
  /** Number of characters of this part that were repeated; `undefined` before the first part. */
  #offset: number | undefined;

  constructor(known: readonly Part[]) {
    this.#known = known;
  }

  /**
   * Adds parts, and returns whether they repeat the known parts. If all known parts were repeated,
   * also returns the parts after them.
   */
  add(parts: readonly Part[]): { readonly isRepeated: boolean; readonly more?: readonly Part[] } {
    for (const part of parts) this.parts.push(part);
    for (const [index, part] of parts.entries()) {
      const after = this.#isWholeBefore(part) ? part : this.#compare(part);
      if (after === false) return { isRepeated: false };
      if (after !== undefined)
        return { isRepeated: true, more: [after, ...parts.slice(index + 1)] };
    }
    return this.#isWhole ? { isRepeated: true, more: [] } : { isRepeated: true };
  }

  /** Whether all known parts were repeated. */
  get #isWhole(): boolean {
    const left = this.#known.length - this.#at;
    return left === 0 || (left === 1 && this.#isTextWhole);
  }

  /** Whether the text of the current known part was repeated. */
  get #isTextWhole(): boolean {
    return this.#offset !== undefined && this.#offset === this.#known[this.#at]?.text?.length;
  }

  /** Moves to the known part to compare with, and returns whether all known parts were repeated. */
  #isWholeBefore(part: Part): boolean {
    const known = this.#known.at(this.#at);
    if (known !== undefined && this.#isTextWhole && !isTextLike(known, part)) this.#next();
    return this.#at === this.#known.length;
  }

  /**
   * Compares a part. Returns `false` if it differs, and the part of it that follows the known
   * parts.
   */
  #compare(part: Part): Part | false | undefined {
    const known = this.#known.at(this.#at);
    if (known === undefined) return part;
    if (!isTextLike(known, part)) {
      if (this.#offset !== undefined || !isSame(known, part)) return false;
      this.#next();
      return undefined;
    }
    const { text = "" } = known;
    const offset = this.#offset ?? 0;
    if (text.startsWith(part.text, offset)) {
      this.#offset = offset + part.text.length;
      return undefined;
    }
    const isLast = this.#at === this.#known.length - 1;
    const rest = text.slice(offset);
    return isLast && part.text.startsWith(rest) && { ...part, text: part.text.slice(rest.length) };
  }

  #next(): void {
    this.#at += 1;
    this.#offset = undefined;
  }
}
