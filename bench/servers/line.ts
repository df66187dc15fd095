/** Number of concurrent calls to a server. */
export const concurrentCalls = 16;

/** A line to a server, on which the same call is made repeatedly. */
export interface Line {
  /**
   * Makes the call, and calls `seen` with the number of responses whenever responses arrive.
   * Rejects if the server closes the connection, or responds with an error.
   */
  call(seen: (responses: number) => void): Promise<void>;
  /** Makes the call and returns its responses: JSON strings or protobuf messages. */
  responses(): Promise<readonly Buffer[]>;
  close(): void;
}

/**
 * Makes calls on all lines concurrently, one after another on each line, and returns the number of
 * responses. Calls that are running when the time is over are completed and counted, because a
 * server may send all events at the end.
 */
export async function keepBusy(lines: readonly Line[], milliseconds: number): Promise<number> {
  const begin = performance.now();
  let count = 0;
  const seen = (responses: number): void => void (count += responses);
  const keepCalling = async (line: Line): Promise<void> => {
    do await line.call(seen);
    while (performance.now() < begin + milliseconds);
  };
  await Promise.all(lines.map(keepCalling));
  return count;
}
