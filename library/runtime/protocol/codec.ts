/**
 * Encodes values of one type as protobuf bytes and decodes them. Both methods throw for invalid
 * data.
 */
export interface Codec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
  /** Whether the encoding combines ids into resource names, which cannot represent every id. */
  readonly hasNames?: boolean;
}

/** Codecs of one operation. */
export interface OperationCodec<Request = unknown, Response = unknown> {
  readonly request: Codec<Request>;
  readonly response: Codec<Response>;
}

/** Codecs of a protocol, by the name of the operation. */
export type Codecs = Readonly<Record<string, OperationCodec>>;
