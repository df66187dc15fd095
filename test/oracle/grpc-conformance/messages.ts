import { join } from "node:path";
import protobuf from "protobufjs";

export const packageName = "connectrpc.conformance.v1";

/** The messages of the conformance suite, which are read from the protos of its release. */
export class Messages {
  readonly #root = new protobuf.Root();

  /** Reads the protos in a folder. */
  constructor(folder: string) {
    // The imports of `google/protobuf` are part of protobufjs.
    this.#root.resolvePath = (_, path) => (path.startsWith("google/") ? path : join(folder, path));
    for (const name of ["service", "server_compat", "client_compat"])
      this.#root.loadSync(`connectrpc/conformance/v1/${name}.proto`);
  }

  decode(name: string, bytes: Uint8Array): unknown {
    return this.#type(name).decode(bytes);
  }

  /** Decodes a message as JSON. */
  decodeJson(name: string, bytes: Uint8Array): object {
    const type = this.#type(name);
    return type.toObject(type.decode(bytes), {
      json: true,
      bytes: String,
      longs: String,
      enums: String,
    });
  }

  encode(name: string, value: object): Uint8Array {
    const type = this.#type(name);
    return type.encode(type.fromObject(value)).finish();
  }

  /**
   * Packs the JSON of a message with its type in `@type`. The bytes of messages that the output does
   * not know are in `value`.
   */
  pack({ "@type": type_url, ...value }: AnyJson): Any {
    const name = type_url.slice(type_url.indexOf("/") + 1);
    const isKnown = name.startsWith(`${packageName}.`);
    if (!isKnown || typeof value["value"] === "string")
      return { type_url, value: Buffer.from(String(value["value"]), "base64") };
    return {
      type_url,
      value: this.encode(name.slice(packageName.length + 1), this.#packed(value)),
    };
  }

  /** Packs the messages inside a value. */
  #packed<T>(value: T): T {
    if (Array.isArray(value)) return value.map((each: unknown) => this.#packed(each)) as T;
    if (typeof value !== "object" || value === null) return value;
    if ("@type" in value) return this.pack(value as unknown as AnyJson) as T;
    const members = Object.entries(value).map(([key, each]) => [
      key,
      this.#packed(each as unknown),
    ]);
    return Object.fromEntries(members) as T;
  }

  #type(name: string): protobuf.Type {
    return this.#root.lookupType(`${packageName}.${name}`);
  }
}

/** A packed message. */
export interface Any {
  readonly type_url: string;
  readonly value: Uint8Array;
}

/** The JSON of a packed message. */
export interface AnyJson {
  readonly "@type": string;
  readonly [name: string]: unknown;
}

/** A header with its values. */
export interface Header {
  readonly name?: string;
  readonly value?: readonly string[];
}

/** An error that a service must throw, or that a client has caught. */
export interface ErrorDefinition {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly AnyJson[];
}

/** How the service must respond. */
export interface Definition {
  readonly responseHeaders?: readonly Header[];
  readonly responseTrailers?: readonly Header[];
  readonly responseDelayMs?: number;
  /** The response, or the responses of a stream, in base64. */
  readonly responseData?: string | readonly string[];
  readonly error?: ErrorDefinition;
}

/** A request of any method, as JSON. */
export interface Request {
  readonly responseDefinition?: Definition;
  readonly fullDuplex?: boolean;
}

/** The content of a response, as JSON. */
export interface Payload {
  readonly data?: string;
  readonly requestInfo?: object;
}

/** A response of any method, as JSON. */
export interface Response {
  readonly payload?: Payload;
}
