import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { type Arrived, BodyError } from "../server.js";
import { Chunks } from "./chunks.js";

/**
 * Reads the body of a request. Throws a {@link BodyError} if it is too large, not UTF-8, or
 * incomplete.
 */
export function readText(
  request: IncomingMessage,
  maxBytes: number,
  arrived?: Arrived,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks = new Chunks();
    let isSettled = false;
    const stop = (error: Error): void => {
      isSettled = true;
      request.off("data", onData).off("end", onEnd).pause();
      reject(error);
    };
    const fail = (reason: BodyError["reason"]): void => {
      stop(new BodyError(reason));
    };
    const onData = (chunk: Buffer): void => {
      if (chunks.length + chunk.length > maxBytes) {
        fail("too large");
        return;
      }
      chunks.add(chunk);
      try {
        const waiting = arrived?.(chunk.length);
        if (waiting === undefined) return;
        request.pause();
        void waiting.then(() => {
          if (!isSettled) request.resume();
        });
      } catch (error) {
        stop(error as Error);
      }
    };
    const onEnd = (): void => {
      isSettled = true;
      const bytes = chunks.take();
      if (isUtf8(bytes)) resolve(bytes.toString("utf8"));
      else fail("not UTF-8");
    };
    // Keeping this listener is faster than removing it after each request.
    const onClose = (): void => {
      if (!isSettled) fail("broken off");
    };
    if (request.destroyed) {
      onClose();
      return;
    }
    request.on("data", onData).on("end", onEnd).on("close", onClose);
    // A broken connection first emits an error. The error can be ignored, because a `close` event
    // follows.
    request.on("error", ignore);
  });
}

function ignore(): void {
  // `onClose` handles the `close` event that follows.
}

/** Returns bytes as a string. Throws a {@link BodyError} if they are not UTF-8. */
export function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new BodyError("not UTF-8");
  return bytes.toString("utf8");
}

/** Number of bytes of a refused body that are read before its connection is closed. */
const discardBytes = 8 * 1024 * 1024;

/** Milliseconds after which the connection of a refused body is closed. */
const discardMs = 1_000;

/**
 * Reads and discards the rest of a refused body for some time, and then calls `done`. If a
 * connection is closed while input is unread, the system resets it, and the caller may lose the
 * response.
 */
export function discard(request: IncomingMessage, done: () => void): void {
  let rest = discardBytes;
  const onData = (chunk: Buffer): void => {
    rest -= chunk.length;
    if (rest < 0) finish();
  };
  const finish = (): void => {
    clearTimeout(timer);
    request.off("data", onData).off("end", finish).off("close", finish).pause();
    done();
  };
  const timer = setTimeout(finish, discardMs);
  request.on("data", onData).on("end", finish).on("close", finish).resume();
}
