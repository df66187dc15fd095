import type { OneofDef, ProtoFieldDef, ProtoValueType, ValueType } from "./json-types.js";

/** The messages and enums of a proto, and the types that they represent. */
export interface WireDef {
  /** The proto package, for example `lf.a2a.v1`. */
  readonly package: string;
  /** Whether the model is the ProtoJSON of the messages, so that HTTP+JSON needs no conversion. */
  readonly isProtoJson: boolean;
  readonly messages: readonly WireMessageDef[];
  readonly enums: readonly WireEnumDef[];
}

/** A message of the proto, and the type that it represents. */
export interface WireMessageDef {
  /** The name in TypeScript: `encodeTask` writes `Task`. */
  readonly name: string;
  readonly fullName: string;
  /** The type that the message represents: a named type, a list, or a map. */
  readonly model: ValueType;
  /** Constant members of the type, which protobuf omits. */
  readonly constants: Readonly<Record<string, string>>;
  /** Set for a well-known message: its ProtoJSON type. The fields of such a message are unknown. */
  readonly wellKnown?: ProtoValueType;
  readonly fields: readonly WireFieldDef[];
  readonly oneofs: readonly OneofDef[];
}

/** A field of a proto message, and the part of the represented type that contains its value. */
export interface WireFieldDef {
  readonly proto: ProtoFieldDef;
  /** The key in ProtoJSON. */
  readonly jsonName: string;
  /** The type in protobuf. Messages and enums have their names in {@link WireDef}. */
  readonly type: ValueType;
  /** The presence in protobuf. */
  readonly presence: "required" | "optional" | "implicit";
  readonly oneof?: string;
  readonly mapping: WireMapping;
  /**
   * Set for a `bool` whose absence means `true` in the model. In bytes, an absent value means
   * `false`.
   */
  readonly trueIfAbsent?: true;
}

/** The part of the represented type that contains the value of a field. */
export type WireMapping =
  | {
      readonly kind: "path";
      /** The keys that lead to the value; empty for the whole value. */
      readonly path: readonly string[];
      /** The presence in the type. */
      readonly presence: "required" | "optional" | "implicit";
      /** The type in the model. */
      readonly type: ValueType;
      /** The member of a union that the field represents: the key and value of its constant. */
      readonly when?: { readonly key: string; readonly value: string };
    }
  /**
   * A resource name that consists of ids: `tasks/{id}`. Braces contain the path of a value. The
   * first pattern is written, and all patterns are read.
   */
  | { readonly kind: "resource"; readonly patterns: readonly string[] }
  /** The field has no counterpart in the type. */
  | { readonly kind: "unmapped" };

/** An enum of the proto, and its values in JSON. */
export interface WireEnumDef {
  readonly name: string;
  readonly fullName: string;
  /** The name of the type in TypeScript. */
  readonly model: string;
  readonly values: readonly {
    /** The string in JSON; absent if JSON has no string for the value. */
    readonly json?: string;
    /** The name in the proto. */
    readonly name: string;
    readonly number: number;
  }[];
}
