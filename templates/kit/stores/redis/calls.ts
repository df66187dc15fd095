/** Names a call, so that it is recognized where a client sends it again. */
export function newCall(): string {
  return globalThis.crypto.randomUUID();
}

/** Names calls that claim something. One whose response was lost is made again, so that what it has claimed is not lost. */
export class ClaimCalls {
  readonly #failed: string[] = [];

  /** Makes a call, under a name of its own or the one of a call that has failed. */
  async make<T>(claim: (call: string) => Promise<T>): Promise<T> {
    const call = this.#failed.pop() ?? newCall();
    try {
      return await claim(call);
    } catch (error) {
      this.#failed.push(call);
      throw error;
    }
  }
}
