/** Bytes in chunks: a Web stream, or any iterable of chunks; `null` for an empty body. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null;

/**
 * Yields the chunks of `body`. Leaving the loop early cancels the body. Not every platform can
 * iterate over a `ReadableStream`, so this function uses its reader. Throws the errors of the body.
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
    // If the body has failed, its cancellation rejects with the error that the loop has already
    // thrown.
    await reader.cancel().catch(() => undefined);
  }
}
