import type { Codec } from "./codec.js";

/** Codec of `google.protobuf.Empty` as a request or response. */
export const emptyCodec: Codec<Record<string, never>> = {
  encode: () => new Uint8Array(),
  decode: () => ({}),
};

/** Codec of `google.protobuf.Empty` for versions in which its JSON is `null`. */
export const nullCodec: Codec<null> = { encode: () => new Uint8Array(), decode: () => null };
