import { ExitCode } from "../terminal/output.js";
import { BrokenPipe, Interrupted } from "./errors.js";

/**
 * Returns a signal that Ctrl-C and a closed output abort. The first Ctrl-C ends calls cleanly, the
 * second ends the process. `end` sets the exit code.
 */
export function interruptible(): {
  readonly signal: AbortSignal;
  readonly end: (code: number) => void;
} {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(ExitCode.interrupted);
    controller.abort(new Interrupted());
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, interrupt);
  let isBroken = false;
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      // A reader such as `head` has read enough. This is not an error, but the command must stop.
      isBroken = true;
      controller.abort(new BrokenPipe());
    });
  const end = (code: number): void => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, interrupt);
    process.exitCode = isBroken ? 0 : code;
    // An agent that keeps its connections open must not keep the process alive.
    if (isBroken || controller.signal.aborted) process.exit();
  };
  return { signal: controller.signal, end };
}
