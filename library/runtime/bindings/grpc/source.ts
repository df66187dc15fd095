import type { Peer, PeerCertificate } from "../../protocol/headers.js";

/** The members of a call of `@grpc/grpc-js` that describe its connection. */
export interface ConnectedCall {
  readonly cancelled: boolean;
  once(event: "cancelled", listener: () => void): unknown;
  getPeer(): string;
  /** `Infinity` if the caller has not sent a time-out. */
  getDeadline(): Date | number;
  /**
   * Absent before `@grpc/grpc-js` 1.12. If a server requests certificates, it rejects unverified
   * certificates.
   */
  getAuthContext?(): { readonly sslPeerCertificate?: PeerCertificate };
}

/** The connection of a call. Its other end is only determined if a hook requests it. */
export class CallSource {
  readonly #call: ConnectedCall;

  constructor(call: ConnectedCall) {
    this.#call = call;
  }

  get peer(): Peer {
    const call = this.#call;
    // The port follows the last colon, because IPv6 addresses also contain colons.
    const [, address] = /^(.+):\d+$/.exec(call.getPeer()) ?? [];
    return { address, certificate: call.getAuthContext?.().sslPeerCertificate };
  }

  get deadline(): number | undefined {
    const deadline = Number(this.#call.getDeadline());
    return deadline < Infinity ? deadline : undefined;
  }

  onClose(listener: () => void): void {
    if (this.#call.cancelled) listener();
    else this.#call.once("cancelled", listener);
  }
}
