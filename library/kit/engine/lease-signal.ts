/**
 * Lets a signal check the lease of its turn whenever it is read. A turn that takes the signal out
 * of its `Turn` is thereby stopped by its next look at the signal, even if the process was
 * suspended and its timers are late.
 * @param check Aborts the signal if the lease is over.
 */
export function checking(signal: AbortSignal, check: () => void): void {
  const read = (name: "aborted" | "reason"): unknown => {
    check();
    return Reflect.get(AbortSignal.prototype, name, signal);
  };
  // Own properties of a real signal, because `fetch` and `AbortSignal.any` do not accept a proxy.
  Object.defineProperties(signal, {
    aborted: { get: () => read("aborted") },
    reason: { get: () => read("reason") },
    throwIfAborted: {
      value: (): void => {
        check();
        AbortSignal.prototype.throwIfAborted.call(signal);
      },
    },
  });
}
