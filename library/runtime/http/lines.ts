/**
 * Returns a body whose lines are responses as a body of server-sent events, so that the same code
 * reads both. Line breaks without text between them count as one, so that a peer cannot make the
 * reader work on millions of empty lines.
 */
export async function* linesAsEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  yield encoder.encode("data: ");
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    yield encoder.encode(text.replaceAll(/\n\s*/g, "\n\ndata: "));
  }
}
