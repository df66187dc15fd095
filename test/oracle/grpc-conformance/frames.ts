/** Returns the messages of a stream, each with its length in four bytes before it. */
export async function* frames(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE();
      yield rest.subarray(4, end);
      rest = rest.subarray(end);
    }
  }
}

/** Writes a message to stdout, with its length before it. */
export function write(message: Uint8Array): void {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(message.length);
  process.stdout.write(Buffer.concat([head, message]));
}
