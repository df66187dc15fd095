import type { Socket } from "node:net";

/** The first bytes of each HTTP/2 connection. No method of HTTP/1.1 begins with them. */
const preface = Buffer.from("PRI", "latin1");

/** Milliseconds in which a connection must send its first bytes, as in `node:http`. */
const firstBytesMs = 60_000;

/**
 * Waits for the first bytes of a connection, and tells whether they are HTTP/2. The bytes stay
 * readable. Closes a connection that does not send them in time.
 */
export function detectHttp2(socket: Socket, use: (isHttp2: boolean) => void): void {
  let held = Buffer.alloc(0);
  const timer = setTimeout(() => {
    socket.destroy();
  }, firstBytesMs);
  const stop = (): void => {
    clearTimeout(timer);
    socket.off("readable", look).off("end", drop).off("close", stop).off("error", ignore);
  };
  const drop = (): void => {
    socket.destroy();
  };
  const look = (): void => {
    const bytes = socket.read() as Buffer | null;
    if (bytes === null) return;
    held = Buffer.concat([held, bytes]);
    const start = held.subarray(0, preface.length);
    const isHttp2 = start.equals(preface.subarray(0, start.length));
    if (isHttp2 && start.length < preface.length) return;
    stop();
    socket.unshift(held);
    use(isHttp2);
  };
  socket.on("readable", look).on("end", drop).on("close", stop).on("error", ignore);
}

function ignore(): void {
  // The event `close` follows.
}
