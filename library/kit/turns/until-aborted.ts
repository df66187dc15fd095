/** Awaits a promise, and rejects with the signal's reason if the signal aborts first. */
export async function untilAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    abort = () => {
      resolve(undefined);
    };
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    // `Promise.race` also handles the rejection of the slower promise. Check the signal first,
    // because a signal that has already aborted does not emit an event.
    const race = Promise.race([
      promise.then((value) => ({ value })),
      signal.aborted ? undefined : aborted,
    ]);
    const settled = await race;
    if (settled !== undefined) return settled.value;
    throw signal.reason;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
