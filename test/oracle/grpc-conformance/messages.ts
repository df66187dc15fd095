import { join } from "node:path";
import protobuf from "protobufjs";

/** The messages of the conformance suite, which are read from the protos of its release. */
export class Messages {
  readonly #root = new protobuf.Root();

  /** Reads the protos in a folder. */
  constructor(folder: string) {
    // The imports of `google/protobuf` are part of protobufjs.
    this.#root.resolvePath = (_, path) => (path.startsWith("google/") ? path : join(folder, path));
    for (const name of ["service", "server_compat"])
      this.#root.loadSync(`connectrpc/conformance/v1/${name}.proto`);
  }

  decode(name: string, bytes: Uint8Array): unknown {
    return this.#type(name).decode(bytes);
  }

  encode(name: string, value: object): Uint8Array {
    const type = this.#type(name);
    return type.encode(type.fromObject(value)).finish();
  }

  #type(name: string): protobuf.Type {
    return this.#root.lookupType(`connectrpc.conformance.v1.${name}`);
  }
}

/** A packed message. */
export interface Any {
  readonly type_url: string;
  readonly value: Uint8Array;
}

export interface Header {
  readonly name: string;
  readonly value: readonly string[];
}

/** How the service must respond. */
export interface Definition {
  readonly responseHeaders: readonly Header[];
  readonly responseTrailers: readonly Header[];
  readonly responseDelayMs: number;
  /** The response, or the responses of a stream. */
  readonly responseData?: Uint8Array | readonly Uint8Array[];
  readonly error?: {
    readonly code: number;
    readonly message?: string;
    readonly details: readonly Any[];
  } | null;
}

/** A request of any method. */
export interface Request {
  readonly responseDefinition?: Definition | null;
  readonly fullDuplex?: boolean;
}
