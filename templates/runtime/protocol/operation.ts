import type { ErrorClass } from "./error.js";
import type { Schema } from "../schema/schema.js";

/** What a client needs to know about an operation, whatever the binding. */
export interface ClientOperation<Request = unknown, Response = unknown> {
  /** The name of the rpc, for example `GetTask`. */
  readonly name: string;
  /** Which sides send any number of messages instead of one. */
  readonly streaming: "none" | "server" | "client" | "both";
  /** Absent in the descriptors of the client, which does not check what it sends. */
  readonly request?: Schema<Request>;
  readonly response: Schema<Response>;
  /** The JSON-RPC method, `true` where that is the name; absent where JSON-RPC cannot carry the operation. */
  readonly jsonRpc?: string | true;
  /** Set where the request has the field of the tenant. */
  readonly tenant?: true;
  /** Set where the response is an agent card. */
  readonly card?: true;
  /** Set where the operation changes nothing, so that it may be sent twice. */
  readonly safe?: true;
}

/** An operation of the protocol: what goes in and out, and how each binding names it. */
export interface Operation<Request = unknown, Response = unknown> extends ClientOperation<Request, Response> {
  /** The name of the method on the client and on the service, for example `getTask`. */
  readonly method: string;
  readonly request: Schema<Request>;
  readonly jsonRpc?: string;
  /** The HTTP+JSON routes, the one to send first; absent where HTTP+JSON cannot carry the operation. */
  readonly http?: readonly HttpRoute[];
  /** The gRPC path, for example `/lf.a2a.v1.A2AService/GetTask`; absent where gRPC cannot carry the operation. */
  readonly grpc?: string;
  /** What the agent card has to declare before the operation may be used. */
  readonly requires?: Requirement;
  /** What it has to declare before a field of the request may be there. */
  readonly fieldRequires?: readonly FieldRequirement[];
  /** The error of a service that leaves the operation out; by default the one for what is not supported. */
  readonly missing?: ErrorClass;
  /** Set where the agent card is the response of a service that leaves the operation out. */
  readonly publicCard?: true;
  /** Paths of members of the request that must not be empty: strings, lists, and enums with a value for nothing. */
  readonly nonEmpty?: readonly (readonly string[])[];
  /** What numbers in the request may be, beyond what its type says. */
  readonly ranges?: readonly Range[];
  /** Paths of strings in the request that have to be absolute URLs of HTTP. */
  readonly urls?: readonly (readonly string[])[];
  /** Fields that requests may also have in another spelling. */
  readonly spellings?: readonly Spelling[];
  /** Paths of booleans in the request that are `true` where they are absent, and that not every agent reads so. */
  readonly trueIfAbsent?: readonly (readonly string[])[];
}

/** Another spelling of a field of a request. */
export interface Spelling {
  readonly name: string;
  /** The keys that lead to the field. */
  readonly field: readonly string[];
  /** What the value has in front of it in the field. */
  readonly prefix?: string;
  /** What the value counts since 1970, where the field is a timestamp. */
  readonly unit?: "milliseconds";
}

/** One HTTP+JSON route, as `google.api.http` describes it. */
export interface HttpRoute {
  readonly method: string;
  /** The path with its variables: `/tasks/{id}:cancel`, `/{name=tasks/*}`. */
  readonly path: string;
  /** `*` where the body carries all fields that the path does not, or the one field that it carries. */
  readonly body?: string;
  /** The field of the response that is the HTTP body; the whole response where absent. */
  readonly responseBody?: string;
  /** How a client may use the route; servers serve all of them. */
  readonly use?: "tenant" | "fallback" | "accept";
}

/**
 * The calls of a protocol: a union with the request of each operation, told apart by `name`. `Requests` has the requests
 * by the names of the operations, and `Call` is what all calls have.
 */
export type CallOf<Requests, Call> = {
  [Name in keyof Requests]: Call & { readonly name: Name; readonly request: Requests[Name] };
}[keyof Requests];

/** A capability of the agent card, and the error of an operation that needs it where it is not declared. */
export interface Requirement {
  /** The keys that lead to a boolean in the agent card. */
  readonly capability: readonly string[];
  readonly error: ErrorClass;
}

/** A capability that a field of the request takes; `path` leads to the field. */
export interface FieldRequirement extends Requirement {
  readonly path: readonly string[];
}

/** The least and the most that a number may be; `path` leads to it. */
export interface Range {
  readonly path: readonly string[];
  readonly least: number;
  readonly most?: number;
}

/** What every client needs to know of a version of the protocol, beside its operations. */
export interface ClientFacts {
  /** `Major.Minor`, as it travels. */
  readonly version: string;
  /** The names of the service parameters: HTTP headers, or gRPC metadata in lower case. */
  readonly headers: { readonly version: string; readonly extensions: string };
  /** The field of a request that names the tenant. */
  readonly tenant?: string;
  /** The name of JSON-RPC in agent cards. */
  readonly bindings: { readonly jsonRpc: string };
}

/** Facts of a version of the protocol that are not about one operation. */
export interface ProtocolFacts extends ClientFacts {
  /** The names of the bindings in agent cards. */
  readonly bindings: { readonly jsonRpc: string; readonly http: string; readonly grpc: string };
  /** The version of a request that names none. */
  readonly assumedVersion: string;
  readonly mediaTypes: {
    /** What HTTP+JSON sends. */
    readonly http: string;
    /** What a request may declare, on either HTTP binding. */
    readonly accept: readonly string[];
  };
  /**
   * Set where JSON-RPC sends an error of a streaming call as the one event of a stream, not as an ordinary response.
   */
  readonly streamErrors?: "event";
}

/** How an agent is found, and what its card is asked for. */
export interface DiscoveryFacts {
  /** The path of the agent card below the origin of the agent. */
  readonly path: string;
  /** The keys that lead to the version of the protocol in cards of any version, through the elements of lists. */
  readonly versions?: readonly (readonly string[])[];
  /** The key of the list of interfaces, and the keys of each of them. */
  readonly interfaces: {
    /** The interface that the card itself names: its keys, and the binding that it means without the key of one. */
    readonly main?: MainInterface;
    readonly list?: string;
    readonly url?: string;
    readonly binding?: string;
    readonly version?: string;
    readonly tenant?: string;
  };
  /** The keys that lead to the list of extensions, and the keys of each of them; absent where cards have none. */
  readonly extensions?: { readonly list: readonly string[]; readonly uri: string; readonly required: string };
  /** Where cards say which credentials calls need; absent where they do not say it. */
  readonly security?: SecurityKeys;
}

/** Where an agent card says which credentials calls need. */
export interface SecurityKeys {
  /** The key of the list of requirements, one of which a caller has to satisfy. */
  readonly list: string;
  /** The key of a requirement's schemes, by their names; a requirement is itself that object if it is absent. */
  readonly schemes?: string;
  /** The key of the schemes that the card declares, by their names. */
  readonly declared?: string;
}

/** The keys of the interface that a card names outside of any list. */
export interface MainInterface {
  readonly url: string;
  readonly binding?: string;
  /** The binding of a card that names none. */
  readonly defaultBinding: string;
  /** The binding of another interface that comes with it, and where that is, as what follows the URL. */
  readonly beside?: { readonly binding: string; readonly path: string };
}
