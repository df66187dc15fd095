/**
 * The intermediate representation: everything that the targets know about a version of the protocol. Readers build it,
 * targets read it. The JSON that travels is the model; each field also knows how protobuf carries it.
 */
export interface Protocol {
  /** Where it comes from, for headers and reports, for example `A2A 1.0.1`. */
  readonly title: string;
  /** Every type of the JSON that travels, in the order of the source. Names are unique. */
  readonly types: readonly TypeDef[];
  /** How protobuf carries the types; absent for versions without a proto. */
  readonly wire?: WireDef;
  /** What one binding carries and another does not. */
  readonly losses: readonly LossDef[];
  readonly operations: readonly OperationDef[];
  /** What the binding manifest says beyond the operations; absent without a manifest. */
  readonly binding?: BindingDef;
  /** What a target cannot carry, and why. */
  readonly omissions: readonly Omission[];
}

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
  /** What a schema says about other members; where absent they may be anything, and are ignored. */
  readonly rest?: RestDef;
}

/** What a schema says about the members of an object that are no fields of it. */
export interface RestDef {
  /** What members have to be whose name matches a pattern (a regular expression), fields among them. */
  readonly patterns: readonly { readonly pattern: string; readonly type: ValueType }[];
  /** What members have to be that are neither fields nor match a pattern; `never` closes the object. */
  readonly others?: ValueType;
  /** What the names of all members have to be. */
  readonly names?: ValueType;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** One of several types. */
export interface UnionDef extends Named {
  readonly kind: "union";
  readonly members: readonly ValueType[];
  /** The field whose constant tells the members apart; all of them are messages then. */
  readonly discriminator?: string;
  /** Whether a value may only fit one of the members, as `oneOf` says. */
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
  /** How protobuf knows the field, where the message is one of a proto. */
  readonly proto?: ProtoFieldDef;
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
}

/** How protobuf knows a field. */
export interface ProtoFieldDef {
  readonly name: string;
  readonly number: number;
  /** Whether a list of numbers is packed. */
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

/** An enum: names in JSON, numbers in protobuf where the enum is one of a proto. */
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
  /** Absent in enums of a schema. */
  readonly number?: number;
  /** Other spellings that are read, and never written. */
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

/** The well-known types that ProtoJSON writes in a way of their own; wrappers carry the name of their scalar. */
export type WellKnownName =
  "Timestamp" | "Duration" | "Struct" | "Value" | "ListValue" | "NullValue" | "Empty" | "FieldMask" | "Any";

/** The type of a value. */
export type ValueType =
  | ProtoValueType
  | { readonly kind: "message" | "enum" | "union" | "alias"; readonly name: string }
  | ListType
  | { readonly kind: "map"; readonly key: ScalarName; readonly value: ValueType }
  | SchemaValueType;

/** Values of protobuf, in the form that ProtoJSON gives them. */
export type ProtoValueType =
  | { readonly kind: "scalar"; readonly scalar: ScalarName }
  | { readonly kind: "wrapper"; readonly scalar: ScalarName }
  | { readonly kind: "wellKnown"; readonly wellKnown: WellKnownName };

/** A list. Lists of protobuf have no limits. */
export interface ListType {
  readonly kind: "list";
  readonly element: ValueType;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly unique?: boolean;
}

/** Values as JSON Schema describes them. A map with string keys stands for an object that only has other members. */
export type SchemaValueType =
  | { readonly kind: "any" | "never" | "boolean" | "null" }
  | TextType
  | NumberType
  | LiteralType
  /** A type list, or an inline `anyOf`, `oneOf` or `allOf`. */
  | { readonly kind: "anyOf" | "oneOf" | "allOf"; readonly members: readonly ValueType[] }
  | { readonly kind: "not"; readonly type: ValueType }
  | { readonly kind: "if"; readonly test: ValueType; readonly then: ValueType; readonly otherwise: ValueType };

/** Text, with limits in characters (code points). */
export interface TextType {
  readonly kind: "text";
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression that has to match somewhere. */
  readonly pattern?: string;
}

/** A number of JSON. */
export interface NumberType {
  readonly kind: "number";
  readonly integer: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

/** One of some constants. */
export interface LiteralType {
  readonly kind: "literal";
  readonly values: readonly (string | number | boolean | null)[];
}

/** What goes in or out of an operation: a named type, or nothing, for which JSON has `{}` or `null`. */
export type TypeRef =
  { readonly kind: "named"; readonly name: string } | { readonly kind: "empty"; readonly json: "object" | "null" };

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

/** Something that one binding carries and others do not. */
export interface LossDef {
  /** The type that has the field, by its name in TypeScript; for fields of protobuf, the message. */
  readonly type: string;
  /** The field, or the path to it. */
  readonly field: string;
  /** The bindings that do not carry it. */
  readonly bindings: readonly ("jsonrpc" | "rest" | "grpc")[];
  /**
   * - `field`: the binding has no place for it.
   * - `default`: a value that is the default of its type arrives as if it were absent.
   * - `form`: only some values can be carried, or arrive in another form.
   */
  readonly kind: "field" | "default" | "form";
  /** What happens, as a sentence for reports and doc comments. */
  readonly text: string;
}

/** An operation of the protocol, on every binding that can carry it. */
export interface OperationDef {
  /** The name of the rpc, for example `GetTask`; without a proto, what the schema calls the operation. */
  readonly name: string;
  /** The name of the method in TypeScript, for example `getTask`. */
  readonly method: string;
  readonly docs: string;
  readonly deprecated: boolean;
  readonly streaming: "none" | "server" | "client" | "both";
  readonly request: TypeRef;
  readonly response: TypeRef;
  /** How gRPC carries it; absent for versions without a proto. */
  readonly rpc?: RpcDef;
  readonly jsonRpc?: string;
  readonly http: readonly HttpRouteDef[];
  readonly requires?: { readonly capability: readonly string[]; readonly error: string };
  /** The error of a service that leaves the operation out, where it is not the usual one. */
  readonly missing?: string;
  /** What the agent skeleton answers; operations without it are left for the user to write. */
  readonly sample?: Readonly<Record<string, unknown>>;
  /** Paths of lists in the request that the server wants an element of, beyond what the types say. */
  readonly demands?: readonly (readonly string[])[];
}

/** An operation as gRPC carries it. */
export interface RpcDef {
  /** The full name of the service, for example `lf.a2a.v1.A2AService`. */
  readonly service: string;
  /** The names of the messages in {@link WireDef}; absent for `google.protobuf.Empty`. */
  readonly request?: string;
  readonly response?: string;
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
  /** How errors travel; the runtime knows what each name means. */
  readonly errorFormat: ErrorFormat;
  /** Whether JSON-RPC tells an error of a streaming call as the one event of a stream, or as an ordinary response. */
  readonly streamErrors: "event" | "response";
  readonly errors: readonly ErrorDef[];
  readonly errorRoles: Readonly<Partial<Record<ErrorRole, string>>>;
}

/**
 * How errors travel:
 *
 * - `status`: the details of `google.rpc.Status` on every binding.
 * - `plain`: code, text and free data; gRPC has nothing but its status.
 * - `named`: as `plain`, but HTTP+JSON names the error in an `error` object, and gRPC has details.
 */
export type ErrorFormat = "status" | "plain" | "named";

/** How an agent is discovered. Keys are JSON names. */
export interface CardDef {
  /** The type of the card, for example `AgentCard`. */
  readonly type: string;
  readonly path: string;
  /** The card of the agent skeleton. */
  readonly sample?: Readonly<Record<string, unknown>>;
  readonly interfaces: CardInterfacesDef;
  /** Absent where cards have no extensions. */
  readonly extensions?: { readonly list: readonly string[]; readonly uri: string; readonly required: string };
}

/** Where an agent card says how the agent can be reached. */
export interface CardInterfacesDef {
  /** The interface that the card itself names, before those of the list; `binding` is what it means without one. */
  readonly main?: { readonly url: string; readonly binding?: string; readonly defaultBinding: string };
  /** The key of the list of interfaces, and the keys of each of them. */
  readonly list?: string;
  readonly url?: string;
  readonly binding?: string;
  readonly version?: string;
  readonly tenant?: string;
}

/** Something that is left out of a target. */
export interface Omission {
  /** The name of the target or binding, for example `jsonrpc`. */
  readonly target: string;
  /** What is left out: the operation, field, or all of it. */
  readonly subject: string;
  readonly reason: string;
}
