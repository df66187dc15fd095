/** Size above which a chunk is kept instead of copied, and size of the blocks for smaller chunks. */
const [largeBytes, blockBytes] = [4_096, 16_384];

/**
 * Collects the chunks of a body. Small chunks are copied into blocks: a caller can send a body byte
 * by byte, and an object for each byte would take a hundred times the memory.
 */
export class Chunks {
  #parts: Buffer[] = [];
  #block: Buffer | undefined;
  #used = 0;
  #length = 0;

  /** Number of collected bytes. */
  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    const isFirst = this.#length === 0;
    this.#length += chunk.length;
    // Most bodies have a single chunk.
    if (isFirst || chunk.length >= largeBytes) {
      this.#endBlock();
      this.#parts.push(chunk);
      return;
    }
    if (this.#used + chunk.length > (this.#block?.length ?? 0)) this.#endBlock();
    this.#block ??= Buffer.allocUnsafeSlow(blockBytes);
    this.#block.set(chunk, this.#used);
    this.#used += chunk.length;
  }

  /** Returns all bytes, and removes them. */
  take(): Buffer {
    this.#endBlock();
    const first = this.#parts.at(0);
    const isOne = first !== undefined && this.#parts.length === 1;
    const bytes = isOne ? first : Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return bytes;
  }

  #endBlock(): void {
    if (this.#block !== undefined) this.#parts.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
