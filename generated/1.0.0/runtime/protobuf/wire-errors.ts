// Part of a2a-codegen 0.1.0. Do not edit.

/** Thrown for bytes that are no message of the expected type: truncated, overlong, or nested too deep. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** Thrown for bytes that are a message, but hold what JSON has no form for, such as a timestamp of the year 10000. */
export class UnrepresentableError extends DecodeError {}

/** Thrown for a value that protobuf cannot carry, such as text where a timestamp belongs. */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
}
