import type { Peer, PeerCertificate } from "../../protocol/headers.js";

/** The members of a call of `@grpc/grpc-js` that describe its connection. */
export interface ConnectedCall {
  getPeer(): string;
  /** Absent before `@grpc/grpc-js` 1.12. If a server requests certificates, it rejects unverified certificates. */
  getAuthContext?(): { readonly sslPeerCertificate?: PeerCertificate };
}

/** Reads the other end of the connection of a call on demand. */
export class CallSource {
  readonly #call: ConnectedCall;

  constructor(call: ConnectedCall) {
    this.#call = call;
  }

  get peer(): Peer {
    const call = this.#call;
    // The port follows the address. IPv6 addresses also contain colons.
    const [, address] = /^(.+):\d+$/.exec(call.getPeer()) ?? [];
    return { address, certificate: call.getAuthContext?.().sslPeerCertificate };
  }
}
