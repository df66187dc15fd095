import type protobuf from "protobufjs";
import type { ProtoType } from "./resolve.js";

/** How a field is carried in bytes, as the syntax of its file and its options say. */
export interface FieldTraits {
  /** Whether absence differs from the default, so that a default is written. */
  readonly hasPresence: boolean;
  /** Whether bytes without the field are invalid, which proto2 calls `required`. */
  readonly isRequired: boolean;
  /** Whether a list of numbers is packed. */
  readonly isPacked: boolean;
  /** Whether a message is enclosed by two tags instead of preceded by its length, as groups are. */
  readonly isDelimited: boolean;
}

/** Returns the traits of a field. Those of proto3 alone follow from its text; others need the resolved features. */
export function traitsOf(field: protobuf.Field, type: ProtoType | undefined, isProto3: boolean): FieldTraits {
  if (isProto3) {
    const isPacked = field.options?.["packed"] !== false;
    return { hasPresence: field.partOf !== null, isRequired: false, isPacked, isDelimited: false };
  }
  // protobufjs knows that a message is delimited once it knows that the field has a message.
  if (type !== undefined) field.resolvedType = type;
  const { required, packed, delimited } = field;
  const hasPresence = field.partOf !== null || field.hasPresence;
  return { hasPresence, isRequired: required, isPacked: packed, isDelimited: delimited };
}
