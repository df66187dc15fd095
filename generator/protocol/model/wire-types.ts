import type { OneofDef, ProtoFieldDef, ValueType } from "./json-types.js";

/** How protobuf carries the types. */
export interface WireDef {
  /** The proto package, for example `lf.a2a.v1`. */
  readonly package: string;
  /** Whether the JSON of the types is the ProtoJSON of the messages, so that HTTP+JSON needs no conversion. */
  readonly isProtoJson: boolean;
  readonly messages: readonly WireMessageDef[];
  readonly enums: readonly WireEnumDef[];
}

/** A message of the proto, and the type that it carries. */
export interface WireMessageDef {
  /** The name in TypeScript: `encodeTask` writes `Task`. */
  readonly name: string;
  readonly fullName: string;
  /** What it carries: a named type, a list, or a map. */
  readonly model: ValueType;
  /** Members of the type that always have the same value, which protobuf leaves out. */
  readonly constants: Readonly<Record<string, string>>;
  readonly fields: readonly WireFieldDef[];
  readonly oneofs: readonly OneofDef[];
}

/** A field of a message of the proto, and where its value is in the type that the message carries. */
export interface WireFieldDef {
  readonly proto: ProtoFieldDef;
  /** The key in ProtoJSON. */
  readonly jsonName: string;
  /** The type on the side of protobuf. Messages and enums go by their names in {@link WireDef}. */
  readonly type: ValueType;
  /** The presence on the side of protobuf. */
  readonly presence: "required" | "optional" | "implicit";
  readonly oneof?: string;
  readonly place: WirePlace;
  /** Set for a `bool` that is `true` where the type leaves it out; where the bytes leave it out, it is `false`. */
  readonly trueIfAbsent?: true;
}

/** Where the value of a field is in the type that its message carries. */
export type WirePlace =
  | {
      readonly kind: "path";
      /** The keys that lead to it; none for the whole value. */
      readonly path: readonly string[];
      /** The presence in the type. */
      readonly presence: "required" | "optional" | "implicit";
      /** The type in the model. */
      readonly type: ValueType;
      /** The member of a union that the field stands for: the key and value of its constant. */
      readonly when?: { readonly key: string; readonly value: string };
    }
  /**
   * A resource name, put together from ids: `tasks/{id}`. Braces hold the path of a value. The first pattern is written,
   * all of them are read.
   */
  | { readonly kind: "resource"; readonly patterns: readonly string[] }
  /** The type has no place for it. */
  | { readonly kind: "nowhere" };

/** An enum of the proto, and how JSON writes its values. */
export interface WireEnumDef {
  readonly name: string;
  readonly fullName: string;
  /** The name of the type in TypeScript. */
  readonly model: string;
  readonly values: readonly {
    /** The text in JSON; absent where JSON has none. */
    readonly json?: string;
    /** The name in the proto. */
    readonly name: string;
    readonly number: number;
  }[];
}
