/** A gRPC call that the page requests. */
export interface GrpcCall {
  /** URL of the interface, or a gRPC target. */
  readonly target: string;
  /** Protocol version of the interface. */
  readonly version: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON-RPC request in the 1.0 models. */
  readonly body: string;
}

/** Responses to a call over gRPC. */
export interface GrpcResponses {
  /** Whether the operation streams responses. */
  readonly isStream: boolean;
  /** The responses as JSON-RPC responses. */
  readonly responses: AsyncIterable<object>;
}

/** Converts between JSON-RPC, which the page uses, and gRPC, which browsers do not support. */
export interface GrpcBridge {
  call(call: GrpcCall, signal: AbortSignal): GrpcResponses;
}
