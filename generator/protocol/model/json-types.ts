/** A named type of the protocol. */
export type TypeDef = MessageDef | EnumDef | UnionDef | AliasDef;

interface Named {
  /** The name in TypeScript. */
  readonly name: string;
  /** The name in the source: `lf.a2a.v1.Task` in a proto, `Task` in a schema. */
  readonly fullName: string;
  readonly docs: string;
  readonly deprecated: boolean;
}

/** A message: an object in JSON. */
export interface MessageDef extends Named {
  readonly kind: "message";
  readonly fields: readonly FieldDef[];
  readonly oneofs: readonly OneofDef[];
  /**
   * The constraints on additional members. If they are absent, additional members may have any
   * value and are ignored.
   */
  readonly rest?: RestDef;
}

/** The constraints of a schema on members of an object that are not fields. */
export interface RestDef {
  /**
   * The types of members whose name matches a pattern (a regular expression). They also apply to
   * fields.
   */
  readonly patterns: readonly { readonly pattern: string; readonly type: ValueType }[];
  /**
   * The type of members that are not fields and do not match a pattern; `never` forbids such
   * members.
   */
  readonly others?: ValueType;
  /** The type of the names of all members. */
  readonly names?: ValueType;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** A union: a value that has one of several types. */
export interface UnionDef extends Named {
  readonly kind: "union";
  readonly members: readonly ValueType[];
  /**
   * The field whose constant identifies the member of the union. If it is set, all members are
   * messages.
   */
  readonly discriminator?: string;
  /** Whether a value must match exactly one of the members, as `oneOf` requires. */
  readonly exclusive: boolean;
}

/** Another name for a type. */
export interface AliasDef extends Named {
  readonly kind: "alias";
  readonly type: ValueType;
}

/** A field of a message. */
export interface FieldDef {
  /** The key in JSON. */
  readonly name: string;
  /** The field of protobuf; absent in messages of a schema. */
  readonly proto?: ProtoFieldDef;
  readonly docs: string;
  readonly deprecated: boolean;
  readonly type: ValueType;
  /**
   * - `required`: must be present.
   * - `optional`: may be absent. Absence and the default value have different meanings.
   * - `implicit`: may be absent. Absence means the default value.
   */
  readonly presence: "required" | "optional" | "implicit";
  /** Whether a list requires at least one element. */
  readonly nonEmpty: boolean;
  /**
   * Set for a required field that is not a list, if peers omit the field when it has its default.
   */
  readonly maybeEmpty?: true;
  /** A name under which some peers send the field. */
  readonly alias?: string;
  /** The name of the oneof that the field belongs to. */
  readonly oneof?: string;
}

/** A field in protobuf. */
export interface ProtoFieldDef {
  readonly name: string;
  readonly number: number;
  /** Whether default values are written, because an absent field has a different meaning. */
  readonly hasPresence: boolean;
  /** Whether a list of numbers is packed. */
  readonly packed: boolean;
}

/** A group of fields of which at most one is present. */
export interface OneofDef {
  readonly name: string;
  /**
   * The TypeScript name of the union of the members. By default, the name consists of the names of
   * the message and the oneof.
   */
  readonly typeName?: string;
  readonly docs: string;
  /** Whether exactly one member must be present. */
  readonly required: boolean;
  /** The JSON keys of the members. */
  readonly members: readonly string[];
}

/** An enum: strings in JSON, and numbers in protobuf if it comes from a proto. */
export interface EnumDef extends Named {
  readonly kind: "enum";
  readonly values: readonly EnumValueDef[];
}

/** A value of an enum. */
export interface EnumValueDef {
  /** The string in JSON. */
  readonly name: string;
  /** The key of the const object in TypeScript. */
  readonly key: string;
  /** Absent in enums of a schema. */
  readonly number?: number;
  /** Other spellings that are accepted, but never written. */
  readonly aliases?: readonly string[];
  readonly docs: string;
  readonly deprecated: boolean;
}

/** The scalar types of protobuf. */
export type ScalarName =
  | "double"
  | "float"
  | "int32"
  | "int64"
  | "uint32"
  | "uint64"
  | "sint32"
  | "sint64"
  | "fixed32"
  | "fixed64"
  | "sfixed32"
  | "sfixed64"
  | "bool"
  | "string"
  | "bytes";

/**
 * The well-known types with a special ProtoJSON form. Wrappers are not included, because they use
 * the name of their scalar.
 */
export type WellKnownName =
  | "Timestamp"
  | "Duration"
  | "Struct"
  | "Value"
  | "ListValue"
  | "NullValue"
  | "Empty"
  | "FieldMask"
  | "Any";

/** The type of a value. */
export type ValueType =
  | ProtoValueType
  | { readonly kind: "message" | "enum" | "union" | "alias"; readonly name: string }
  | ListType
  | { readonly kind: "map"; readonly key: ScalarName; readonly value: ValueType }
  | SchemaValueType;

/** Protobuf values, in their ProtoJSON form. */
export type ProtoValueType =
  | { readonly kind: "scalar"; readonly scalar: ScalarName }
  | { readonly kind: "wrapper"; readonly scalar: ScalarName }
  | { readonly kind: "wellKnown"; readonly wellKnown: WellKnownName };

/** A list. Protobuf lists have no limits. */
export interface ListType {
  readonly kind: "list";
  readonly element: ValueType;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly unique?: boolean;
}

/** Values that a JSON Schema describes. An object without fields is a map with string keys. */
export type SchemaValueType =
  | { readonly kind: "any" | "never" | "boolean" | "null" }
  | StringType
  | NumberType
  | LiteralType
  /** A `type` with several names, or an inline `anyOf`, `oneOf` or `allOf`. */
  | { readonly kind: "anyOf" | "oneOf" | "allOf"; readonly members: readonly ValueType[] }
  | { readonly kind: "not"; readonly type: ValueType }
  | {
      readonly kind: "if";
      readonly test: ValueType;
      readonly then: ValueType;
      readonly otherwise: ValueType;
    };

/** A string, with limits in characters (code points). */
export interface StringType {
  readonly kind: "string";
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression that must match somewhere in the string. */
  readonly pattern?: string;
}

/** A JSON number. */
export interface NumberType {
  readonly kind: "number";
  readonly integer: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

/** One of several constants. */
export interface LiteralType {
  readonly kind: "literal";
  readonly values: readonly (string | number | boolean | null)[];
}
