/** A line to a server, on which the same call is made over and over. */
export interface Line {
  /**
   * Makes the call, and calls `seen` with the number of responses whenever some have come in. Rejects where the server
   * breaks off, or answers with an error.
   */
  call(seen: (responses: number) => void): Promise<void>;
  /** Makes the call and returns its responses: strings of JSON, or messages of protobuf. */
  responses(): Promise<readonly Buffer[]>;
  close(): void;
}

/**
 * Makes calls on all lines at once, one after the other on each, and returns the number of responses. Calls that are under
 * way when the time is over go on to their end, and count: a server may send the events of all streams at the very last.
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
