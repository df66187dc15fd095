import type { Peer, PeerCertificate } from "../../protocol/headers.js";

/** A call of `@grpc/grpc-js`, as far as it knows its connection. */
export interface ConnectedCall {
  getPeer(): string;
  /** Absent before `@grpc/grpc-js` 1.12. Servers that ask for certificates refuse those that they cannot verify. */
  getAuthContext?(): { readonly sslPeerCertificate?: PeerCertificate };
}

/** Returns the other end of the connection of a call when it is asked for. */
export class CallSource {
  readonly #call: ConnectedCall;

  constructor(call: ConnectedCall) {
    this.#call = call;
  }

  get peer(): Peer {
    const call = this.#call;
    // The address of a socket is followed by its port; that of IPv6 has colons, too.
    const [, address] = /^(.+):\d+$/.exec(call.getPeer()) ?? [];
    return { address, certificate: call.getAuthContext?.().sslPeerCertificate };
  }
}
