/** What goes in or out of an operation: a named type, or nothing, for which JSON has `{}` or `null`. */
export type TypeRef =
  { readonly kind: "named"; readonly name: string } | { readonly kind: "empty"; readonly json: "object" | "null" };

/** An operation of the protocol, on every binding that can carry it. */
export interface OperationDef {
  /**
   * The name of the rpc, for example `GetTask`; without a proto, what the schema calls the operation. Where several
   * services have an rpc of one name, the later ones go by that of the service, too: `Archive.GetTask`.
   */
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
  readonly requires?: RequirementDef;
  /** What the agent card has to declare before a field of the request may be there. */
  readonly fieldRequires?: readonly (RequirementDef & { readonly path: readonly string[] })[];
  /** The error of a service that leaves the operation out, where it is not the usual one. */
  readonly missing?: string;
  /** What the agent skeleton answers; operations without it are left for the user to write. */
  readonly sample?: Readonly<Record<string, unknown>>;
  /** Paths of lists in the request that the server wants an element of, beyond what the types say. */
  readonly demands?: readonly (readonly string[])[];
  /** The least and the most that whole numbers in the request may be, beyond what the types say. */
  readonly ranges?: readonly RangeDef[];
}

/** A capability of the agent card, by the keys that lead to it, and the error where it is not declared. */
export interface RequirementDef {
  readonly capability: readonly string[];
  readonly error: string;
}

/** What a whole number may be; `path` leads to it. */
export interface RangeDef {
  readonly path: readonly string[];
  readonly least: number;
  readonly most?: number;
}

/** An operation as gRPC carries it. */
export interface RpcDef {
  /** The full name of the service, for example `lf.a2a.v1.A2AService`. */
  readonly service: string;
  /** The name of the method in the service. */
  readonly method: string;
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
