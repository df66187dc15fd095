/**
 * The request or response of an operation: a named type, or no data, which is `{}` or `null` in
 * JSON.
 */
export type TypeRef =
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "empty"; readonly json: "object" | "null" };

/** An operation of the protocol, with its names on every binding that supports it. */
export interface OperationDef {
  /**
   * The name of the rpc, for example `GetTask`; without a proto, the name in the schema. If several
   * services have an rpc with this name, the names of all except the first also contain the
   * service: `Archive.GetTask`.
   */
  readonly name: string;
  /** The name of the method in TypeScript, for example `getTask`. */
  readonly method: string;
  /**
   * The name of the method in the client and the server of its service, if it differs: services do
   * not share these names.
   */
  readonly ownMethod?: string;
  readonly docs: string;
  readonly deprecated: boolean;
  readonly streaming: "none" | "server" | "client" | "both";
  readonly request: TypeRef;
  readonly response: TypeRef;
  /** The rpc; absent for versions without a proto. */
  readonly rpc?: RpcDef;
  readonly jsonRpc?: string;
  readonly http: readonly HttpRouteDef[];
  readonly requires?: RequirementDef;
  /** The capabilities that the agent card must declare before fields of the request may be set. */
  readonly fieldRequires?: readonly (RequirementDef & { readonly path: readonly string[] })[];
  /**
   * The error if a service does not implement the operation. Default: the error with the role
   * `unsupported`.
   */
  readonly missing?: string;
  /** Set if a service that does not implement the operation responds with the agent card. */
  readonly publicCard?: true;
  /** Additional errors of the operation, and their conditions. */
  readonly errors?: readonly OperationErrorDef[];
  /**
   * The response in the agent skeleton. If it is absent, the method throws. A string in braces is
   * an expression: `{uuid}` is a new id, `{request.id}` is a member of the request, and
   * `{request.id ?? uuid}` is the member if present, otherwise a new id.
   */
  readonly sample?: Readonly<Record<string, unknown>>;
  /**
   * Objects that the request refers to and that may be unknown to the agent: the path of the id,
   * and the error.
   */
  readonly lookups?: readonly LookupDef[];
  /** Alternative spellings of fields that requests may use. */
  readonly spellings?: readonly SpellingDef[];
  /**
   * Paths of lists in the request that require at least one element, in addition to the lists whose
   * type requires it.
   */
  readonly nonEmpty?: readonly (readonly string[])[];
  /** Paths of strings in the request that must be absolute HTTP URLs. */
  readonly urls?: readonly (readonly string[])[];
  /** Ranges of integers in the request, in addition to the ranges of their types. */
  readonly ranges?: readonly RangeDef[];
}

/** An alternative spelling of a field in a request. */
export interface SpellingDef {
  readonly name: string;
  /** The keys that lead to the field in the request. */
  readonly field: readonly string[];
  /** The prefix that is added to the value. */
  readonly prefix?: string;
  /** The unit of a number, counted from 1970, that is converted to the timestamp in the field. */
  readonly unit?: "milliseconds";
}

/** An error that an operation throws. */
export interface OperationErrorDef {
  readonly error: string;
  /** The condition under which the error is thrown, as the text after "if". */
  readonly condition: string;
}

/** The path of a capability in the agent card, and the error if the card does not declare it. */
export interface RequirementDef {
  readonly capability: readonly string[];
  readonly error: string;
}

/**
 * The path of an id in the request, and the error if the agent does not have the object with this
 * id.
 */
export interface LookupDef {
  readonly path: readonly string[];
  readonly error: string;
}

/** The range of the integer at a path. */
export interface RangeDef {
  readonly path: readonly string[];
  readonly least: number;
  readonly most?: number;
}

/** The rpc of an operation. */
export interface RpcDef {
  /** The full name of the service, for example `lf.a2a.v1.A2AService`. */
  readonly service: string;
  /** The name of the method in the service. */
  readonly method: string;
  /** The names of the messages in {@link WireDef}; absent for `google.protobuf.Empty`. */
  readonly request?: string;
  readonly response?: string;
}

/** A service of a proto. */
export interface ServiceDef {
  /** The full name, for example `shop.v1.Orders`. */
  readonly fullName: string;
  /** The name in TypeScript, from which the names of its client and its server are formed. */
  readonly name: string;
  readonly docs: string;
  readonly deprecated: boolean;
}

/**
 * A route of HTTP+JSON. The variables of its path have JSON names. A variable only has a pattern if
 * it can match more than a single segment.
 */
export interface HttpRouteDef {
  readonly httpMethod: string;
  readonly path: string;
  readonly body?: string;
  readonly responseBody?: string;
  readonly use?: "tenant" | "fallback" | "accept";
}

/** A protocol error. */
export interface ErrorDef {
  readonly name: string;
  readonly reason: string;
  /** The default message. If it is absent, the message is derived from the reason. */
  readonly message?: string;
  readonly docs: string;
  readonly jsonRpc?: number;
  readonly http: number;
  readonly grpc: string;
}

/** The roles of errors in the runtime. */
export const errorRoles = [
  "parse",
  "invalidRequest",
  "methodNotFound",
  "pathNotFound",
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

/** The difference between the error of a role and its class. */
export interface ErrorVariant {
  readonly jsonRpc?: number;
  readonly message?: string;
}

/** The requirements of the task kit on a version. */
export interface TasksDef {
  /** The types that the code of the kit uses. */
  readonly types: readonly string[];
  /** The error for a task with a different generation, if tasks on the wire have generations. */
  readonly mismatch?: string;
  /**
   * Additional members of the sample card for agents with the kit, which supports more capabilities
   * than the skeleton of a service.
   */
  readonly sample?: Readonly<Record<string, unknown>>;
}

/** The facts from a binding manifest, in addition to operations and types. */
export interface BindingDef {
  /** The version of the specification, for example `1.0.1`. */
  readonly version: string;
  /** The version on the wire, for example `1.0`. */
  readonly wireVersion: string;
  /** The version that applies to requests that do not specify a version. */
  readonly assumedVersion: string;
  /** Absent for plain services, whose requests have no version and no extensions. */
  readonly headers?: { readonly version: string; readonly extensions: string };
  readonly tenant?: string;
  /** The type of the body that an agent posts to a webhook. */
  readonly webhook?: string;
  /** The requirements of the task kit; absent if the kit does not support the version. */
  readonly tasks?: TasksDef;
  readonly mediaTypes: {
    readonly http: string;
    readonly accept: readonly string[];
    /** The media type of a stream of lines, which callers of HTTP+JSON may request. */
    readonly lines?: string;
  };
  /** The card of an agent. Absent for plain services, which clients call without discovery. */
  readonly card?: CardDef;
  readonly bindings: { readonly jsonRpc: string; readonly http: string; readonly grpc: string };
  /** The domain of the errors. If it is absent, no detail of an error identifies its class. */
  readonly errorDomain?: string;
  /** The format of errors on the wire. */
  readonly errorFormat: ErrorFormat;
  /**
   * Form in which JSON-RPC sends an error that occurs before the first event of a stream: the only
   * event of the stream, or an ordinary response.
   */
  readonly streamErrors: "event" | "response";
  readonly errors: readonly ErrorDef[];
  readonly errorRoles: Readonly<Partial<Record<ErrorRole, string>>>;
  /** The differences between the errors of roles and their classes. */
  readonly errorVariants?: Readonly<Partial<Record<ErrorRole, ErrorVariant>>>;
}

/** The facts of a protocol whose services are agents, which are discovered by their cards. */
export type AgentBinding = BindingDef &
  Required<Pick<BindingDef, "card" | "headers" | "errorDomain">>;

/**
 * The format of errors on the wire:
 *
 * - `status`: the details of `google.rpc.Status` on every binding.
 * - `plain`: code, message and arbitrary data; gRPC only sends its status.
 * - `named`: like `plain`, but HTTP+JSON names the error in an `error` object, and gRPC sends
 *   details.
 */
export type ErrorFormat = "status" | "plain" | "named";

/** The discovery of agents by their cards. Keys are JSON names. */
export interface CardDef {
  /** The type of the card, for example `AgentCard`. */
  readonly type: string;
  readonly path: string;
  /**
   * The keys that lead to the protocol version in cards of any version. They may lead through the
   * elements of lists.
   */
  readonly versions?: readonly (readonly string[])[];
  /** The card of the agent skeleton. */
  readonly sample?: Readonly<Record<string, unknown>>;
  readonly interfaces: CardInterfacesDef;
  /** Absent if cards have no extensions. */
  readonly extensions?: {
    readonly list: readonly string[];
    readonly uri: string;
    readonly required: string;
  };
  /** The key of the list of signatures; absent if cards have no signatures. */
  readonly signatures?: string;
  /** The security requirements; absent if cards have no such requirements. */
  readonly security?: CardSecurityDef;
}

/** The security requirements of an agent card. */
export interface CardSecurityDef {
  /** The key of the list of requirements. */
  readonly list: string;
  /**
   * The key of a requirement's schemes; absent if the requirement itself is the object with the
   * schemes.
   */
  readonly schemes?: string;
  /** The key of the schemes that the card declares, by scheme name. */
  readonly declared?: string;
  /** Dot-separated path from a declared scheme to the name of its HTTP authentication scheme. */
  readonly scheme?: string;
}

/** The parts of an agent card that list the interfaces of the agent. */
export interface CardInterfacesDef {
  /**
   * The interface that the card itself describes, which precedes the interfaces in the list. If it
   * has no binding, `defaultBinding` applies.
   */
  readonly main?: {
    readonly url: string;
    readonly binding?: string;
    readonly defaultBinding: string;
    /**
     * A second interface that the card implies: its binding, and the path that is appended to the
     * URL of the main interface.
     */
    readonly beside?: { readonly binding: string; readonly path: string };
  };
  /** The key of the list of interfaces, followed by the keys in each interface. */
  readonly list?: string;
  readonly url?: string;
  readonly binding?: string;
  readonly version?: string;
  readonly tenant?: string;
}
