/**
 * Error for bytes that are not a message of the expected type: truncated, overlong, or nested too
 * deeply.
 */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** Error for a valid message that JSON cannot represent, such as a timestamp in the year 10000. */
export class UnrepresentableError extends DecodeError {}

/** Error for a message that exceeds the limits for decoding. */
export class ExcessError extends DecodeError {
  /** The exceeded limit. */
  readonly limit: "objects" | "values";

  constructor(limit: ExcessError["limit"]) {
    super(`The message contains too many ${limit}`);
    this.limit = limit;
  }
}

/**
 * Error for a value that protobuf cannot represent, such as an arbitrary string instead of a
 * timestamp.
 */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
}
