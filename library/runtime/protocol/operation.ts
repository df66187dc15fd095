import type { ErrorClass } from "./error.js";
import type { Schema } from "../schema/schema.js";

/** Facts about an operation, for a client on any binding. */
export interface ClientOperation<Request = unknown, Response = unknown> {
  /** The name of the rpc, for example `GetTask`. */
  readonly name: string;
  /** The side that sends a stream of messages instead of a single message. */
  readonly streaming: "none" | "server" | "client" | "both";
  /** Absent in the client's descriptors, because a client does not check its requests. */
  readonly request?: Schema<Request>;
  /** The type of the response. By default, the client loads it when a response must be read. */
  readonly response?: Schema<Response>;
  /**
   * Returns whether a response is in canonical JSON, and has no field by its name in the proto. The
   * client returns such a response unchanged, and reads any other response leniently. Absent if
   * every response is read.
   */
  readonly accepts?: (response: unknown) => boolean;
  /** The response that JSON-RPC may omit. Absent if responses are required. */
  readonly empty?: unknown;
  /**
   * The JSON-RPC method, or `true` if it equals the name. Absent if JSON-RPC does not support the
   * operation.
   */
  readonly jsonRpc?: string | true;
  /** Set if the request has the tenant field. */
  readonly tenant?: true;
  /** Set if the response is an agent card. */
  readonly card?: true;
  /** Set if the operation changes nothing, so that a client may repeat the call. */
  readonly safe?: true;
  /**
   * Returns whether an event is marked as the last event, so that the stream ends even if the agent
   * keeps it open. Absent if events have no such mark.
   */
  readonly isLast?: (event: unknown) => boolean;
}

/** An operation of the protocol: its request and response types, and its name on each binding. */
export interface Operation<Request = unknown, Response = unknown> extends ClientOperation<
  Request,
  Response
> {
  /** The name of the method on the client and on the service, for example `getTask`. */
  readonly method: string;
  readonly request: Schema<Request>;
  readonly response: Schema<Response>;
  readonly jsonRpc?: string;
  /**
   * The HTTP+JSON routes, in order of preference. Absent if HTTP+JSON does not support the
   * operation.
   */
  readonly http?: readonly HttpRoute[];
  /**
   * The gRPC path, for example `/lf.a2a.v1.A2AService/GetTask`. Absent if gRPC does not support the
   * operation.
   */
  readonly grpc?: string;
  /** The capability that the agent card must declare for the operation. */
  readonly requires?: Requirement;
  /** The capabilities that the agent card must declare for fields of the request. */
  readonly fieldRequires?: readonly FieldRequirement[];
  /**
   * The error if the service does not implement the operation. By default, the error for
   * unsupported operations.
   */
  readonly missing?: ErrorClass;
  /** Set if the agent responds with its card when the service does not implement the operation. */
  readonly publicCard?: true;
  /**
   * Paths of members of the request that must not be empty: strings, lists, and enums, which must
   * not have the unspecified value.
   */
  readonly nonEmpty?: readonly (readonly string[])[];
  /** Ranges of numbers in the request, in addition to their types. */
  readonly ranges?: readonly Range[];
  /** Paths of strings in the request that must be absolute HTTP URLs. */
  readonly urls?: readonly (readonly string[])[];
  /** Alternative spellings of fields of the request. */
  readonly spellings?: readonly Spelling[];
  /**
   * Paths of booleans in the request whose default is `true`. Clients set them, because some agents
   * use `false` as the default.
   */
  readonly trueIfAbsent?: readonly (readonly string[])[];
}

/** An operation, for a client over HTTP+JSON. */
export interface RestOperation extends Pick<Operation, "name" | "http" | "trueIfAbsent"> {
  /** The type of the response, if its JSON over HTTP+JSON differs from the JSON of the model. */
  readonly response?: Schema<unknown>;
  /** The fields of each event of a stream. */
  readonly members?: readonly string[];
  /** Set if an event may be an empty object. */
  readonly mayBeEmpty?: true;
  /** The paths of maps in the request, whose keys are in brackets in a query. */
  readonly maps?: readonly string[];
}

/** An alternative spelling of a field of a request. */
export interface Spelling {
  readonly name: string;
  /** The keys that lead to the field. */
  readonly field: readonly string[];
  /** Prefix to add to the value. */
  readonly prefix?: string;
  /** Unit of the value if it is a time since 1970 and the field is a timestamp. */
  readonly unit?: "milliseconds";
}

/** An HTTP+JSON route, as described by `google.api.http`. */
export interface HttpRoute {
  readonly method: string;
  /** The path with its variables, such as `/tasks/{id}:cancel` or `/{name=tasks/*}`. */
  readonly path: string;
  /** The field that is sent as the body, or `*` for all fields that are not in the path. */
  readonly body?: string;
  /** The field of the response that is the HTTP body. If absent, the body is the whole response. */
  readonly responseBody?: string;
  /** Requests for which a client uses the route. Servers serve all routes. */
  readonly use?: "tenant" | "fallback" | "accept";
}

/**
 * Union of all calls of a protocol, discriminated by `name`. `Requests` maps the names of the
 * operations to their requests, and `Call` contains the common members.
 */
export type CallOf<Requests, Call> = {
  [Name in keyof Requests]: Call & { readonly name: Name; readonly request: Requests[Name] };
}[keyof Requests];

/**
 * A capability of the agent card, and the error that an operation throws if it requires the
 * capability and the card does not declare it.
 */
export interface Requirement {
  /** The keys that lead to a boolean in the agent card. */
  readonly capability: readonly string[];
  readonly error: ErrorClass;
}

/** A capability that a field of the request requires. `path` is the path of the field. */
export interface FieldRequirement extends Requirement {
  readonly path: readonly string[];
}

/** Minimum and maximum of the number at `path`. */
export interface Range {
  readonly path: readonly string[];
  readonly least: number;
  readonly most?: number;
}

/** Facts about a protocol for every client, in addition to the operations. */
export interface CallerFacts {
  /** The version in its wire format, `Major.Minor`. */
  readonly version: string;
  /** The names of HTTP headers or gRPC metadata. Absent if calls have no version. */
  readonly headers?: { readonly version: string; readonly extensions: string };
  /** The field of a request that names the tenant. */
  readonly tenant?: string;
  /** The name of JSON-RPC in agent cards. */
  readonly bindings: { readonly jsonRpc: string };
  /** Set if a stream may end without an event. */
  readonly emptyStreams?: true;
}

/** Facts about a version of the protocol of agents for every client. */
export type ClientFacts = CallerFacts & Required<Pick<CallerFacts, "headers">>;

/** Facts about a protocol that apply to all operations. */
export interface ServiceFacts extends CallerFacts {
  /** The names of the bindings in agent cards. */
  readonly bindings: { readonly jsonRpc: string; readonly http: string; readonly grpc: string };
  /** The version of a request that does not specify a version. */
  readonly assumedVersion: string;
  readonly mediaTypes: {
    /** The media type that HTTP+JSON sends. */
    readonly http: string;
    /** The media types that a server accepts, on either HTTP binding. */
    readonly accept: readonly string[];
    /**
     * The media type of a stream over HTTP+JSON in which each event is a line. Absent if callers
     * cannot request such a stream.
     */
    readonly lines?: string;
  };
  /**
   * Set if JSON-RPC sends the error of a streaming call as the only event of a stream instead of as
   * an ordinary response.
   */
  readonly streamErrors?: "event";
}

/** Facts about a version of the protocol of agents that apply to all operations. */
export type ProtocolFacts = ServiceFacts & ClientFacts;

/** Path and structure of the agent card. */
export interface DiscoveryFacts {
  /** The path of the agent card, relative to the origin of the agent. */
  readonly path: string;
  /**
   * The keys that lead to the protocol version in cards of any version. They may lead through the
   * elements of lists.
   */
  readonly versions?: readonly (readonly string[])[];
  /** The key of the list of interfaces, and the keys of each interface. */
  readonly interfaces: {
    /** The keys of the main interface, which the card itself describes, and its default binding. */
    readonly main?: MainInterface;
    readonly list?: string;
    readonly url?: string;
    readonly binding?: string;
    readonly version?: string;
    readonly tenant?: string;
  };
  /**
   * The keys that lead to the list of extensions, and the keys of each extension. Absent if cards
   * have no extensions.
   */
  readonly extensions?: {
    readonly list: readonly string[];
    readonly uri: string;
    readonly required: string;
  };
  /** The keys of the required credentials. Absent if cards do not declare required credentials. */
  readonly security?: SecurityKeys;
}

/** Keys of the credentials that an agent card requires. */
export interface SecurityKeys {
  /** The key of the list of requirements. A caller must satisfy one of them. */
  readonly list: string;
  /**
   * The key of the object in a requirement that contains the schemes by name. If the key is absent,
   * the requirement itself is this object.
   */
  readonly schemes?: string;
  /** The key of the declared schemes, by their names. */
  readonly declared?: string;
  /** Dot-separated path from a declared scheme to the name of its HTTP authentication scheme. */
  readonly scheme?: string;
}

/** Keys of the interface that a card describes outside its list of interfaces. */
export interface MainInterface {
  readonly url: string;
  readonly binding?: string;
  /** The binding if the card does not specify one. */
  readonly defaultBinding: string;
  /** Another interface of the same agent: its binding, and its path relative to the URL. */
  readonly beside?: { readonly binding: string; readonly path: string };
}
