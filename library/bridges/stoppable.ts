/**
 * Returns a stream of the elements that a generator yields as they are read. The signal of the
 * generator aborts with the given signal, or when the stream is canceled.
 */
export function stoppable<T>(
  given: AbortSignal | undefined,
  open: (signal: AbortSignal) => AsyncGenerator<T, unknown, undefined>,
): ReadableStream<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const elements = open(given === undefined ? signal : AbortSignal.any([given, signal]));
  return new ReadableStream<T>({
    async pull(target) {
      const { done, value } = await elements.next();
      if (done === true) target.close();
      else target.enqueue(value);
    },
    cancel(reason) {
      controller.abort(reason);
      // The generator ends when it notices the abort.
      elements.return(undefined).catch(() => undefined);
    },
  });
}
