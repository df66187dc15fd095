import { constants, type ServerHttp2Stream } from "node:http2";
import type { CallGroup } from "./server-stream.js";
import { WaitingCall } from "./server-waiting.js";

/** A request whose body must arrive in time, as `node:http` requires over HTTP/1.1. */
class Upload extends WaitingCall {
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream) {
    super();
    this.#stream = stream;
  }

  begin({ ring, limits }: CallGroup): void {
    this.link(ring);
    this.waitFor(limits.requestTimeoutMs);
    this.#stream.on("close", () => {
      this.unlink();
    });
  }

  protected override expire(): void {
    const stream = this.#stream;
    // The caller has sent everything, although the listener may not have read it.
    const hasArrived = stream.state.remoteClose === 1;
    if (hasArrived || stream.destroyed || stream.closed) return;
    if (stream.headersSent) stream.close(constants.NGHTTP2_NO_ERROR);
    else refuse(stream, 408);
  }
}

/** Ends a request whose body does not arrive in time. `flags` are the flags of its HEADERS. */
export function limitUpload(stream: ServerHttp2Stream, flags: number, group: CallGroup): void {
  const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
  if (hasBody) new Upload(stream).begin(group);
}

/** Responds to a request that is not handled. */
export function refuse(
  stream: ServerHttp2Stream,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  stream.on("error", () => {
    // The event `close` follows.
  });
  stream.respond({ ":status": status, ...headers }, { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}
