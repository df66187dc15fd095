/** Turns values of one type into protobuf bytes and back. Both directions throw where they cannot. */
export interface Codec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
  /** Whether ids are put together into resource names, which not every id fits into. */
  readonly hasNames?: boolean;
}

/** The codecs of one operation. */
export interface OperationCodec<Request = unknown, Response = unknown> {
  readonly request: Codec<Request>;
  readonly response: Codec<Response>;
}

/** The codecs of a protocol, by the name of the operation. */
export type Codecs = Readonly<Record<string, OperationCodec>>;
