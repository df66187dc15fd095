/**
 * Key of the unknown fields of a message. Decoding keeps their bytes, and encoding writes them
 * after the known fields. The key is enumerable, so that `{ ...message }` keeps the unknown fields.
 * JSON, `structuredClone` and parsers, which return JSON, omit them.
 *
 * Messages that are represented as objects keep their unknown fields. Other messages lose them:
 * entries of maps, types of `google.protobuf`, messages nested in the content of an Any, and, if a
 * JSON Schema defines the JSON, messages that are lists, maps or unions.
 */
export const unknownFields: unique symbol = /* @__PURE__ */ Symbol("unknownFields");

/** A message with the bytes of its unknown fields, including their tags. */
export interface UnknownFields {
  [unknownFields]?: Uint8Array | undefined;
}

/** Set at the first message with unknown fields, because looking for them slows down parsers. */
const found = { any: false };

/** Sets the unknown fields of a message. */
export function setUnknownFields(message: UnknownFields, bytes: Uint8Array): void {
  found.any = true;
  message[unknownFields] = bytes;
}

/**
 * Returns whether an object has the form in which `JSON.parse` returns objects: no class, and no
 * unknown fields of protobuf, which JSON does not contain.
 */
export function isPlain(value: object): boolean {
  return (
    Object.getPrototypeOf(value) === Object.prototype && !(found.any && unknownFields in value)
  );
}
