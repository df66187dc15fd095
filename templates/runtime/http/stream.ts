/** Bytes that arrive in pieces: a body of the Web platform, or any iterable of chunks; `null` has none. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null;

/**
 * Returns the chunks of `body` one by one. Leaving the loop early cancels the body; platforms differ in whether their
 * `ReadableStream` can be iterated, so this reads it itself. Throws what the body throws.
 */
export async function* chunksOf(body: ByteStream): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  if (!("getReader" in body)) {
    yield* body;
    return;
  }
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // A body that has failed rejects its cancellation with the error that the loop has thrown already.
    await reader.cancel().catch(() => undefined);
  }
}
