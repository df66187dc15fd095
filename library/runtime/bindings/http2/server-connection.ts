import type { ServerHttp2Session } from "node:http2";
import { peerOf } from "../../http/adapters/node.js";
import type { Peer } from "../../protocol/headers.js";

/** Times of a connection, in milliseconds. */
export interface ConnectionTimes {
  readonly keepAliveMs: number;
  readonly idleTimeoutMs: number;
  readonly maxConnectionAgeMs: number | undefined;
}

/** Milliseconds in which a caller must respond to a ping. */
const pingTimeoutMs = 20_000;

/** Closes a connection whose caller is gone, that is idle, or that is too old. */
export class Http2Connection {
  readonly #session: ServerHttp2Session;
  readonly #times: ConnectionTimes;
  /** The address of the caller, which a closed socket no longer has. */
  readonly #address: string | undefined;
  #calls = 0;
  #idleMs = 0;

  constructor(session: ServerHttp2Session, times: ConnectionTimes) {
    const { keepAliveMs, maxConnectionAgeMs } = times;
    this.#session = session;
    this.#times = times;
    this.#address = session.socket.remoteAddress;
    session.setTimeout(keepAliveMs);
    session.on("timeout", () => {
      // The time only starts again with the next frame.
      session.setTimeout(keepAliveMs);
      this.#onSilence();
    });
    if (maxConnectionAgeMs === undefined) return;
    const timer = setTimeout(() => {
      session.close();
    }, maxConnectionAgeMs);
    session.on("close", () => {
      clearTimeout(timer);
    });
  }

  /** The other end of the connection. */
  get peer(): Peer {
    const session = this.#session;
    const certificate = session.destroyed ? undefined : peerOf(session.socket).certificate;
    return { address: this.#address, certificate };
  }

  /** Called when a call begins. */
  begin(): void {
    this.#calls += 1;
    this.#idleMs = 0;
  }

  /** Called when a call has ended. */
  readonly end = (): void => {
    this.#calls -= 1;
  };

  #onSilence(): void {
    const session = this.#session;
    if (this.#calls > 0) {
      // A stream without events does not notice that its caller is gone.
      const timer = setTimeout(() => {
        session.destroy();
      }, pingTimeoutMs);
      session.ping(() => {
        clearTimeout(timer);
      });
      return;
    }
    this.#idleMs += this.#times.keepAliveMs;
    if (this.#idleMs >= this.#times.idleTimeoutMs) session.close();
  }
}
