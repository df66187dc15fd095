import type protobuf from "protobufjs";
import type { ProtoType } from "./resolve.js";

/** The encoding of a field in bytes, according to the syntax of its file and its options. */
export interface FieldTraits {
  /**
   * Whether an absent field differs from a field with the default value. In this case, default
   * values are written.
   */
  readonly hasPresence: boolean;
  /** Whether bytes without the field are invalid; `required` in proto2. */
  readonly isRequired: boolean;
  /** Whether a list of numbers is packed. */
  readonly isPacked: boolean;
  /** Whether a message is enclosed by two tags like a group. Otherwise, its length precedes it. */
  readonly isDelimited: boolean;
}

/**
 * Returns the traits of a field. For proto3, they follow from the text of the field. For other
 * syntaxes, features must be resolved first.
 */
export function traitsOf(
  field: protobuf.Field,
  type: ProtoType | undefined,
  isProto3: boolean,
): FieldTraits {
  if (isProto3) {
    const isPacked = field.options?.["packed"] !== false;
    return { hasPresence: field.partOf !== null, isRequired: false, isPacked, isDelimited: false };
  }
  // protobufjs only reports that a message is delimited if the type of the field has been resolved.
  if (type !== undefined) field.resolvedType = type;
  const { required, packed, delimited } = field;
  const hasPresence = field.partOf !== null || field.hasPresence;
  return { hasPresence, isRequired: required, isPacked: packed, isDelimited: delimited };
}
