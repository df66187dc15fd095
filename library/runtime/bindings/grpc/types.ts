/*
 * Parts of the types of `@grpc/grpc-js`, for exported declarations. Importing the types themselves
 * would add the package's declarations, about 90 files, to the type-check of each project. The
 * values of the package are assignable to these types.
 */

/** Credentials of a channel, such as `credentials.createSsl()` of `@grpc/grpc-js`. */
export interface GrpcCredentials {
  compose(callCredentials: never): GrpcCredentials;
}

/** Options of a channel: any `ClientOptions` of `@grpc/grpc-js`. */
export interface GrpcChannelOptions {
  readonly "grpc.keepalive_time_ms"?: number | undefined;
  readonly "grpc.keepalive_timeout_ms"?: number | undefined;
  readonly "grpc.max_receive_message_length"?: number | undefined;
  readonly "grpc.max_send_message_length"?: number | undefined;
  readonly [name: string]: unknown;
}

/** Definition of a method, whose requests and responses are bytes. */
export interface GrpcMethod {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (bytes: Uint8Array) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => Uint8Array;
  readonly responseSerialize: (bytes: Uint8Array) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Uint8Array;
}

/** Handler of a method. `@grpc/grpc-js` passes the call and, for a single response, a callback. */
export type GrpcHandler = (call: unknown, reply: unknown) => void;
