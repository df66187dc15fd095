// Reading and writing of protobuf messages.
// Only generated code and the tools import this module.

export { readAny, type Registry, writeAny } from "../runtime/protobuf/any.js";
export { readEntry } from "../runtime/protobuf/entry.js";
export * from "../runtime/protobuf/mapping.js";
export * from "../runtime/protobuf/place.js";
export { resourceName } from "../runtime/protobuf/resource.js";
export { type UnknownFields, unknownFields } from "../runtime/protobuf/unknown-fields.js";
export {
  readDuration,
  readFieldMask,
  writeDuration,
  writeFieldMask,
} from "../runtime/protobuf/well-known.js";
export * from "../runtime/protobuf/wire.js";
export { DecodeError, EncodeError } from "../runtime/protobuf/wire-errors.js";
export { readWrapper } from "../runtime/protobuf/wrapper.js";
