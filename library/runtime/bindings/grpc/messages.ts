import type { ClientDuplexStream, ClientReadableStream } from "@grpc/grpc-js";

/** The responses to a call. */
export type ResponseStream = ClientReadableStream<Buffer> | ClientDuplexStream<Uint8Array, Buffer>;

/**
 * Returns the messages of a stream, and then throws its error. The iterator of the stream would
 * drop the messages that were received before the error and not read yet.
 */
export async function* messagesOf(stream: ResponseStream): AsyncGenerator<Buffer, void> {
  const ends: (Error | undefined)[] = [];
  let wake = (): void => undefined;
  stream
    .on("readable", () => {
      wake();
    })
    .on("end", () => {
      ends.push(undefined);
      wake();
    })
    // The listener stays: leaving the loop cancels the call, which emits an error.
    .on("error", (error: Error) => {
      ends.push(error);
      wake();
    });
  for (;;) {
    const message = stream.read() as Buffer | null;
    if (message !== null) yield message;
    else if (ends.length > 0) {
      const error = ends.find((end) => end !== undefined);
      if (error !== undefined) throw error;
      return;
    } else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
}
