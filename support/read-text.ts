/**
 * Reads text in chunks, such as standard input or the body of a request. Throws the error of
 * `refuse` as soon as the text has more than `maxBytes` bytes, so that an endless source cannot
 * exhaust the memory.
 */
export async function readText(
  chunks: AsyncIterable<string | Uint8Array>,
  maxBytes: number,
  refuse: () => Error,
): Promise<string> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    length += bytes.byteLength;
    if (length > maxBytes) throw refuse();
    read.push(bytes);
  }
  return Buffer.concat(read).toString("utf8");
}
