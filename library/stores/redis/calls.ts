/** Returns a unique id for a call, so that scripts recognize a repeated call. */
export function newCall(): string {
  return globalThis.crypto.randomUUID();
}

/**
 * Ids of calls that claim leases. If a call fails, it may have succeeded on the server and only its
 * response was lost. The next call therefore repeats the id, and the script returns the tasks or
 * webhooks that the failed call has claimed.
 */
export class ClaimCalls {
  readonly #failed: string[] = [];

  /** Makes a call with the id of a failed call, or with a new id. */
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
