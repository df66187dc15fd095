/**
 * The intermediate representation: everything that the targets know about a version of the protocol. Readers build it,
 * targets read it. The JSON that travels is the model; each field also knows how protobuf carries it.
 */
export interface Protocol {
  /** Where it comes from, for headers and reports, for example `A2A 1.0.1`. */
  readonly title: string;
  /** The proto package, for example `lf.a2a.v1`. */
  readonly package: string;
  /** Every message and enum, in the order of the source. Names are unique. */
  readonly types: readonly TypeDef[];
  readonly operations: readonly OperationDef[];
  /** What the binding manifest says beyond the operations; absent without a manifest. */
  readonly binding?: BindingDef;
  /** What a target cannot carry, and why. */
  readonly omissions: readonly Omission[];
}

/** A named type of the protocol. */
export type TypeDef = MessageDef | EnumDef;

interface Named {
  /** The name in TypeScript. */
  readonly name: string;
  /** The name in the source, for example `lf.a2a.v1.Task`. */
  readonly fullName: string;
  readonly docs: string;
  readonly deprecated: boolean;
}

/** A message: an object in JSON. */
export interface MessageDef extends Named {
  readonly kind: "message";
  readonly fields: readonly FieldDef[];
  readonly oneofs: readonly OneofDef[];
}

/** A field of a message. */
export interface FieldDef {
  /** The key in JSON. */
  readonly name: string;
  /** The name in the proto. */
  readonly protoName: string;
  readonly number: number;
  readonly docs: string;
  readonly deprecated: boolean;
  readonly type: ValueType;
  /**
   * - `required`: has to be there.
   * - `optional`: may be left out, which differs from its default.
   * - `implicit`: may be left out, which is the same as its default.
   */
  readonly presence: "required" | "optional" | "implicit";
  /** Set on lists that need an element. */
  readonly nonEmpty: boolean;
  /** The name of the oneof that the field belongs to. */
  readonly oneof?: string;
  /** Whether protobuf packs a list of numbers. */
  readonly packed: boolean;
}

/** A group of fields of which at most one is there. */
export interface OneofDef {
  readonly name: string;
  readonly docs: string;
  /** Whether exactly one has to be there. */
  readonly required: boolean;
  /** The JSON keys of the members. */
  readonly members: readonly string[];
}

/** An enum: names in JSON, numbers in protobuf. */
export interface EnumDef extends Named {
  readonly kind: "enum";
  readonly values: readonly EnumValueDef[];
}

/** A value of an enum. */
export interface EnumValueDef {
  /** The text in JSON. */
  readonly name: string;
  /** The key of the const object in TypeScript. */
  readonly key: string;
  readonly number: number;
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

/** The well-known types that ProtoJSON writes in a way of their own; wrappers carry the name of their scalar. */
export type WellKnownName =
  "Timestamp" | "Duration" | "Struct" | "Value" | "ListValue" | "NullValue" | "Empty" | "FieldMask" | "Any";

/** The type of a field. */
export type ValueType =
  | { readonly kind: "scalar"; readonly scalar: ScalarName }
  | { readonly kind: "wrapper"; readonly scalar: ScalarName }
  | { readonly kind: "wellKnown"; readonly wellKnown: WellKnownName }
  | { readonly kind: "message" | "enum"; readonly name: string }
  | { readonly kind: "list"; readonly element: ValueType }
  | { readonly kind: "map"; readonly key: ScalarName; readonly value: ValueType };

/** What goes in or out of an operation. */
export type MessageRef = { readonly kind: "message"; readonly name: string } | { readonly kind: "empty" };

/** An operation of the protocol, on every binding that can carry it. */
export interface OperationDef {
  /** The name of the rpc, for example `GetTask`. */
  readonly name: string;
  /** The name of the method in TypeScript, for example `getTask`. */
  readonly method: string;
  readonly docs: string;
  readonly deprecated: boolean;
  readonly streaming: "none" | "server" | "client" | "both";
  readonly request: MessageRef;
  readonly response: MessageRef;
  /** The full name of the service, for example `lf.a2a.v1.A2AService`. */
  readonly service: string;
  readonly jsonRpc?: string;
  readonly http: readonly HttpRouteDef[];
  readonly requires?: { readonly capability: readonly string[]; readonly error: string };
  /** The error of a service that leaves the operation out, where it is not the usual one. */
  readonly missing?: string;
  /** What the agent skeleton answers; operations without it are left for the user to write. */
  readonly sample?: Readonly<Record<string, unknown>>;
}

/** A route of HTTP+JSON. Paths carry JSON field names and no type suffix where it says nothing. */
export interface HttpRouteDef {
  readonly verb: string;
  readonly path: string;
  readonly body?: string;
  readonly responseBody?: string;
  readonly use?: "tenant" | "fallback" | "accept";
}

/** An error of the protocol. */
export interface ErrorDef {
  readonly name: string;
  readonly reason: string;
  /** The default text, where it is not the reason in words. */
  readonly message?: string;
  readonly docs: string;
  readonly jsonRpc?: number;
  readonly http: number;
  readonly grpc: string;
}

/** The roles that errors play in the runtime. */
export const errorRoles = [
  "parse",
  "invalidRequest",
  "methodNotFound",
  "invalidParams",
  "internal",
  "unauthenticated",
  "permissionDenied",
  "unsupported",
  "contentType",
  "invalidResponse",
  "versionNotSupported",
  "extensionRequired",
] as const;

/** A role of {@link errorRoles}. */
export type ErrorRole = (typeof errorRoles)[number];

/** What a binding manifest adds to the interface. */
export interface BindingDef {
  /** The version of the specification, for example `1.0.1`. */
  readonly version: string;
  /** The version on the wire, for example `1.0`. */
  readonly wireVersion: string;
  /** The version that a request without one means. */
  readonly assumedVersion: string;
  readonly headers: { readonly version: string; readonly extensions: string };
  readonly tenant?: string;
  readonly mediaTypes: { readonly http: string; readonly accept: readonly string[] };
  readonly card: CardDef;
  readonly bindings: { readonly jsonRpc: string; readonly http: string; readonly grpc: string };
  readonly errorDomain: string;
  readonly errors: readonly ErrorDef[];
  readonly errorRoles: Readonly<Partial<Record<ErrorRole, string>>>;
}

/** How an agent is discovered. Keys are JSON names. */
export interface CardDef {
  /** The type of the card, for example `AgentCard`. */
  readonly type: string;
  readonly path: string;
  /** The card of the agent skeleton. */
  readonly sample?: Readonly<Record<string, unknown>>;
  readonly interfaces: {
    readonly list: string;
    readonly url: string;
    readonly binding: string;
    readonly version?: string;
    readonly tenant?: string;
  };
  readonly extensions: { readonly list: readonly string[]; readonly uri: string; readonly required: string };
}

/** Something that is left out of a target. */
export interface Omission {
  /** The name of the target or binding, for example `jsonrpc`. */
  readonly target: string;
  /** What is left out: the operation, field, or all of it. */
  readonly subject: string;
  readonly reason: string;
}
