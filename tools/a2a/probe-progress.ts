import { isFailure, type Result } from "../probe/result.js";
import { count } from "../terminal/output.js";

/** A stream that can be a terminal. */
type Stream = Pick<NodeJS.WriteStream, "write"> & { readonly isTTY?: boolean };

/** Progress of a probe on one line, which is erased at the end. */
export interface Progress {
  readonly onResult: ((result: Result) => void) | undefined;
  readonly end: () => void;
}

/** Displays the number of checks while the probe runs, if the stream is a terminal. */
export function progressOn(stream: Stream = process.stderr): Progress {
  if (stream.isTTY !== true) return { onResult: undefined, end: () => undefined };
  let [checks, failed] = [0, 0];
  return {
    onResult(result) {
      checks += 1;
      if (isFailure(result)) failed += 1;
      stream.write(`\r${count(checks, "check")}, ${failed} failed`);
    },
    end: () => void stream.write("\r\u001b[K"),
  };
}
